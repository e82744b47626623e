"""The one stream of chance from which a world is drawn."""

import hashlib
import math
import random
from collections.abc import Sequence
from itertools import accumulate
from typing import TypeVar

T = TypeVar("T")


def world_stream(*parts: object) -> "Stream":
    """The stream for these parts (seed sha256, number of the world …); other parts give another stream."""
    text = ":".join(str(part) for part in parts)
    return Stream(int.from_bytes(hashlib.sha256(text.encode()).digest(), "big"))


class Stream:
    """Draws from `random.Random.random` alone: the one method whose results Python promises to keep between versions."""

    __slots__ = ("_random",)

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed).random

    def unit(self) -> float:
        """A number from 0 to less than 1."""
        return self._random()

    def below(self, count: int) -> int:
        """An integer from 0 to count - 1."""
        return int(self._random() * count)

    def between(self, low: int, high: int) -> int:
        """An integer, both ends included."""
        return low + int(self._random() * (high - low + 1))

    def near(self, low: int, high: int, usual: int) -> int:
        """An integer, both ends included, the more likely the closer to `usual` (triangular)."""
        if high <= low:
            return low
        spread = high - low + 1
        peak = (min(max(usual, low), high) - low + 0.5) / spread
        drawn = self._random()
        share = math.sqrt(drawn * peak) if drawn < peak else 1 - math.sqrt((1 - drawn) * (1 - peak))
        return min(high, low + int(share * spread))

    def chance(self, share: float) -> bool:
        """True with this probability."""
        return self._random() < share

    def choice(self, options: Sequence[T]) -> T:
        """One element of a list that is not empty."""
        return options[int(self._random() * len(options))]

    def weighted(self, options: Sequence[T], weights: Sequence[float]) -> T:
        """One element; the weights need not add up to anything."""
        sums = list(accumulate(weights))
        drawn = self._random() * sums[-1]
        for option, reached in zip(options, sums, strict=True):
            if drawn < reached:
                return option
        return options[-1]

    def sample(self, options: Sequence[T], count: int) -> list[T]:
        """So many different elements, in the order of the list."""
        left = min(count, len(options))
        chosen = []
        for at, option in enumerate(options):
            if left and self._random() * (len(options) - at) < left:
                chosen.append(option)
                left -= 1
        return chosen

    def shuffled(self, options: Sequence[T]) -> list[T]:
        """The elements in another order."""
        rest = list(options)
        for at in range(len(rest) - 1, 0, -1):
            other = self.below(at + 1)
            rest[at], rest[other] = rest[other], rest[at]
        return rest
