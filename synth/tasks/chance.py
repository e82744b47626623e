"""Chance for the maker of tasks: the same draws on every version of Python."""

from collections.abc import Sequence
from typing import TypeVar

from synth.data.stream import Stream, world_stream

T = TypeVar("T")


class Chance:
    """Draws from one stream, named after those of `random.Random`."""

    __slots__ = ("_stream",)

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def random(self) -> float:
        """A number from 0 to less than 1."""
        return self._stream.unit()

    def randint(self, low: int, high: int) -> int:
        """An integer, both ends included."""
        return self._stream.between(low, high)

    def choice(self, options: Sequence[T]) -> T:
        """One element of a sequence that is not empty."""
        return self._stream.choice(options)

    def shuffle(self, items: list[T]) -> None:
        """Puts the list in random order."""
        items[:] = self._stream.shuffled(items)

    def sample(self, items: Sequence[T], count: int) -> list[T]:
        """`count` different elements in random order."""
        rest = list(items)
        count = min(count, len(rest))
        for at in range(count):
            other = self._stream.between(at, len(rest) - 1)
            rest[at], rest[other] = rest[other], rest[at]
        return rest[:count]


def chance(*parts: object) -> Chance:
    """The chance that these parts name."""
    return Chance(world_stream(*parts))
