"""Draws that depend on nothing but the profile, the seed and what they are for."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

One = TypeVar("One")
_WHOLE = 2**64


@dataclass(frozen=True, slots=True)
class Chance:
    """One source of draws.

    Attributes:
        name: Of the profile, and the seed.
    """

    name: str

    def share(self, *about: str | int) -> float:
        """A number from 0 up to 1, the same for the same words."""
        text = "\x1f".join([self.name, *(str(one) for one in about)])
        return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest()) / _WHOLE

    def among(self, weighed: Sequence[tuple[One, int]], *about: str | int) -> One:
        """One of several, by weight; there is at least one."""
        at = self.share(*about) * sum(weight for _, weight in weighed)
        for one, weight in weighed:
            at -= weight
            if at < 0:
                return one
        return weighed[-1][0]

    def shuffled(self, many: Sequence[One], *about: str | int) -> list[One]:
        """All of them in another order."""
        order = sorted(range(len(many)), key=lambda place: self.share(*about, place))
        return [many[place] for place in order]
