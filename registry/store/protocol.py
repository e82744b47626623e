"""What the episode engine needs of a store of records; SQLite implements it, another database can."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from registry.errors import StoreError
from registry.record import Written

StoredStatus = Literal["open", "closed", "invalid"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEpisode:
    """An episode to keep.

    Attributes:
        key: Not in use (see `RecordStore.find`).
        spec: JSON of its specification, without the scenario.
        scenario: Digest and JSON of the initial rows; None when it starts from a world of the package.
        records: Calls it begins with, for a fork.
        copied: Another way to say them: number of an episode that was never rewound, and how many of its records, from the first.
        state_digest: Digest of the state after them.
    """

    key: str
    spec: bytes
    scenario: tuple[str, bytes] | None = None
    status: StoredStatus = "open"
    records: tuple[Written, ...] = ()
    copied: tuple[int, int] | None = None
    state_digest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredEpisode:
    """A kept episode without its records.

    Attributes:
        scenario: Digest of the initial rows, or empty.
        reason: Why it is invalid.
        interrupted: A crash fell between the log and the answer of its last call.
        answered: The call of this record, if not of a later one, was answered.
        state_seq, state_digest: The state's digest when it was last taken, after that record; -1 if never.
        copied_whole: Whether `NewEpisode.copied` may name it.
    """

    id: int
    key: str
    spec: bytes
    scenario: str
    status: StoredStatus
    reason: str
    interrupted: bool
    answered: int
    state_seq: int
    state_digest: str
    copied_whole: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """One kept episode at a glance.

    Attributes:
        idle: Seconds since its last call was answered, to a quarter of a second or so.
        age: Seconds since it was made.
    """

    id: int
    key: str
    status: StoredStatus
    idle: int
    age: int


class RecordStore(Protocol):
    """Durable records. Writes are kept in the order they are handed over; a future is done when its write is durable."""

    async def open(self) -> None:
        """Opens it for this process alone, and marks episodes whose last record was never answered.

        Raises:
            StoreLocked: another process has it.
            StoreError: it cannot be used.
        """

    async def close(self) -> None:
        """Writes what is pending and lets go."""

    def create(self, new: NewEpisode) -> tuple[int, "asyncio.Future[None]"]:
        """Keeps a new episode; gives its number."""

    def append(
        self, episode: int, record: Written, status: StoredStatus | None, reason: str, settled: Callable[[StoreError | None], None]
    ) -> "asyncio.Future[None]":
        """Adds a record, and with it a new status if one is given.

        Args:
            episode: Its number.
            record: The next one.
            status: The new status, or None.
            reason: Of the new status.
            settled: Told when it is durable or failed, also when nobody waits for the future any more; before who waits goes on.
        """

    def mark(self, episode: int, status: StoredStatus, reason: str = "") -> "asyncio.Future[None]":
        """Changes the status."""

    def rename(self, episode: int, key: str) -> "asyncio.Future[None]":
        """Gives an episode another key."""

    def note_answered(self, episode: int, seq: int) -> None:
        """The call of this record was answered; written soon, not at once."""

    def note_state(self, episode: int, seq: int, digest: str) -> None:
        """The state after this record has this digest; written soon, not at once."""

    async def find(self, key: str) -> StoredEpisode | None:
        """The episode of that key."""

    async def records(self, episode: int) -> tuple[bytes, ...]:
        """Bodies of all records in order."""

    async def branch(self, episode: int) -> tuple[bytes, ...]:
        """Bodies of the last record and its ancestors, oldest first; records of branches that were left are not read."""

    async def scenario(self, digest: str) -> bytes:
        """JSON of the initial rows kept under that digest."""

    async def open_episodes(self) -> int:
        """How many episodes are open."""

    async def keys(self) -> tuple[str, ...]:
        """Keys of all episodes, oldest first."""

    async def kept(self) -> tuple[Kept, ...]:
        """All episodes, oldest first."""

    def delete(self, episodes: Sequence[int]) -> "asyncio.Future[None]":
        """Forgets episodes with their records, and initial rows that no episode starts from any more."""

    def trouble(self) -> str:
        """Why nothing can be written at the moment, or an empty text."""
