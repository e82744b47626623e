"""What an episode with noise remembers from call to call; made again by a replay."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from registry.dispatch.outcome import Write
from registry.package.ordering import StoredRow

Place = tuple[str, str]
"""Table and id of a row."""
Read = tuple[str, bytes]
"""Tool and canonical arguments."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a read gave when it was last made, and whether the agent was then shown something older."""

    result: Any
    text: str
    stale: bool


class Memory:
    """Reads that were made, rows that the agent wrote, rows that another actor wrote.

    Attributes:
        acted: Calls of the other actor that were used up.
        left: Rows as the other actor left them (None: deleted): what the agent's own changes are counted from.
    """

    __slots__ = ("_own", "_reads", "acted", "left")

    def __init__(self) -> None:
        self._reads: dict[Read, Seen] = {}
        self._own: set[Place] = set()
        self.acted = 0
        self.left: dict[Place, StoredRow | None] = {}

    def copy(self) -> "Memory":
        """Another one that holds the same."""
        made = Memory()
        made._reads, made._own = dict(self._reads), set(self._own)
        made.acted, made.left = self.acted, dict(self.left)
        return made

    def last(self, read: Read) -> Seen | None:
        """What this read gave last, if it was made before."""
        return self._reads.get(read)

    def keep(self, read: Read, seen: Seen) -> None:
        """Notes what a read gave."""
        self._reads[read] = seen

    def wrote(self, writes: Iterable[Write]) -> None:
        """Notes what the agent wrote."""
        self._own.update((table, key) for table, _, key, _ in writes)

    def untouched(self, writes: Iterable[Write]) -> bool:
        """Whether none of these rows was written by the agent."""
        return all((table, key) not in self._own for table, _, key, _ in writes)
