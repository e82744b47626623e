"""Records that lie in several stores, served as one: a farm with another number of workers finds what the one before it kept."""

import asyncio
import contextlib
import logging
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace

from registry.errors import StoreError
from registry.record import Written
from registry.store.protocol import Kept, NewEpisode, RecordStore, StoredEpisode, StoredStatus

_log = logging.getLogger(__name__)

MOST = 1 << 16
"""More than there are stores. An episode's number here is its number in its store times this, plus the place of the store."""


class JoinedStore:
    """Implements `registry.store.protocol.RecordStore`: new episodes go to `own`, those of all are found and gone on with where they lie.

    Args:
        own: Must open.
        others: In the order in which they are asked; one that cannot be opened is left out, and said in the log.
    """

    def __init__(self, own: RecordStore, others: Sequence[RecordStore]) -> None:
        self._stores = [own]
        self._others = tuple(others)

    async def open(self) -> None:
        """Opens all for this process alone."""
        await self._stores[0].open()
        for other in self._others:
            try:
                await other.open()
            except StoreError as error:
                _log.warning("the episodes of one store are not served: %s", error)
            else:
                self._stores.append(other)

    async def close(self) -> None:
        """Writes what is pending and lets go of all."""
        while len(self._stores) > 1:
            await self._stores.pop().close()
        await self._stores[0].close()

    def create(self, new: NewEpisode) -> "tuple[int, asyncio.Future[None]]":
        """Keeps a new episode in the own store; what it copies lies there too, see `StoredEpisode.copied_whole`."""
        copied = new.copied and (self._place(new.copied[0])[1], new.copied[1])
        number, kept = self._stores[0].create(replace(new, copied=copied))
        return number * MOST, kept

    def append(
        self, episode: int, record: Written, status: StoredStatus | None, reason: str, settled: Callable[[StoreError | None], None]
    ) -> "asyncio.Future[None]":
        """Adds a record where the episode lies."""
        store, number = self._place(episode)
        return store.append(number, record, status, reason, settled)

    def mark(self, episode: int, status: StoredStatus, reason: str = "") -> "asyncio.Future[None]":
        """Changes the status."""
        store, number = self._place(episode)
        return store.mark(number, status, reason)

    def rename(self, episode: int, key: str) -> "asyncio.Future[None]":
        """Gives an episode another key."""
        store, number = self._place(episode)
        return store.rename(number, key)

    def note_answered(self, episode: int, seq: int) -> None:
        """The call of this record was answered."""
        store, number = self._place(episode)
        store.note_answered(number, seq)

    def note_state(self, episode: int, seq: int, digest: str) -> None:
        """The state after this record has this digest."""
        store, number = self._place(episode)
        store.note_state(number, seq, digest)

    async def find(self, key: str) -> StoredEpisode | None:
        """The episode of that key, of the first store that has one."""
        for place, store in enumerate(self._stores):
            found = await store.find(key)
            if found is not None:
                return replace(found, id=found.id * MOST + place, copied_whole=place == 0)
        return None

    async def records(self, episode: int) -> tuple[bytes, ...]:
        """Bodies of all records in order."""
        store, number = self._place(episode)
        return await store.records(number)

    async def branch(self, episode: int) -> tuple[bytes, ...]:
        """Bodies of the last record and its ancestors, oldest first."""
        store, number = self._place(episode)
        return await store.branch(number)

    async def scenario(self, digest: str) -> bytes:
        """JSON of the initial rows kept under that digest, in whichever store."""
        *others, last = self._stores
        for store in others:
            with contextlib.suppress(StoreError):  # it lies in another
                return await store.scenario(digest)
        return await last.scenario(digest)

    async def open_episodes(self) -> int:
        """How many episodes are open."""
        return sum([await store.open_episodes() for store in self._stores])

    async def keys(self) -> tuple[str, ...]:
        """Keys of all episodes, store by store, oldest first."""
        return tuple([key for store in self._stores for key in await store.keys()])

    async def kept(self) -> tuple[Kept, ...]:
        """All episodes, store by store, oldest first."""
        return tuple([replace(one, id=one.id * MOST + place) for place, store in enumerate(self._stores) for one in await store.kept()])

    def delete(self, episodes: Sequence[int]) -> "asyncio.Future[None]":
        """Forgets episodes with their records."""
        shares: defaultdict[int, list[int]] = defaultdict(list)
        for episode in episodes:
            shares[episode % MOST].append(episode // MOST)
        writes = [self._stores[place].delete(numbers) for place, numbers in sorted(shares.items())]
        return asyncio.ensure_future(_all(writes))

    def trouble(self) -> str:
        """Why nothing can be written at the moment, or an empty text."""
        return next(filter(None, (store.trouble() for store in self._stores)), "")

    def _place(self, episode: int) -> tuple[RecordStore, int]:
        return self._stores[episode % MOST], episode // MOST


async def _all(writes: "Sequence[asyncio.Future[None]]") -> None:
    for one in writes:
        await one
