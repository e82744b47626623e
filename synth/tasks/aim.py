"""What was thought of in vain where only some levels are asked for, so that choices which lead to them come first."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from synth.tasks.chance import Chance

T = TypeVar("T")
LEVELS = frozenset((1, 2, 3, 4, 5))
IN_VAIN = 4
"""A tool whose task had another level comes after others as if so many tasks used it."""


@dataclass(slots=True)
class Aim:
    """Which tools and which ways to make a task of a kind gave other levels than those asked for; nothing is noted where all are.

    Attributes:
        levels: Asked for.
        kind: Of the task that is thought of now.
    """

    levels: frozenset[int] = LEVELS
    kind: str = ""
    _vain: dict[tuple[str, str], int] = field(default_factory=dict)
    _ways: dict[tuple[str, str, object], tuple[int, int]] = field(default_factory=dict)
    _taken: list[tuple[str, str, object]] = field(default_factory=list)

    @property
    def chooses(self) -> bool:
        """Whether some level is not asked for."""
        return self.levels != LEVELS

    def off(self, level: int) -> int:
        """By how much a level misses those asked for: below 0 for one that is too low, 0 for one of them."""
        return 0 if level in self.levels else level - min(self.levels, key=lambda one: abs(one - level))

    def begin(self, kind: str) -> None:
        """Another task is thought of."""
        self.kind = kind
        self._taken = []

    def way(self, what: str, options: Sequence[T], rng: Chance) -> T:
        """One of the options, each as often as it stands there; those that led to levels asked for more often."""
        if not self.chooses:
            return rng.choice(options)
        weights = [self._weight((self.kind, what, one)) for one in options]
        left = rng.random() * sum(weights)
        taken = options[-1]
        for one, weight in zip(options, weights, strict=True):
            left -= weight
            if left < 0:
                taken = one
                break
        self._taken.append((self.kind, what, taken))
        return taken

    def _weight(self, way: tuple[str, str, object]) -> float:
        hits, tries = self._ways.get(way, (0, 0))
        return float(((hits + 1) / (tries + 2)) ** 2)

    def note(self, names: Iterable[str], level: int) -> None:
        """What was thought of, with these tools, came to this level."""
        if not self.chooses:
            return
        fits = level in self.levels
        for way in self._taken:
            hits, tries = self._ways.get(way, (0, 0))
            self._ways[way] = hits + fits, tries + 1
        for name in names:
            before = self._vain.get((self.kind, name), 0)
            self._vain[self.kind, name] = max(0, before - 1) if fits else before + 1

    def missed(self, names: Iterable[str]) -> None:
        """What was thought of with these tools had another level."""
        for name in names:
            self._vain[self.kind, name] = self._vain.get((self.kind, name), 0) + 1

    def behind(self, name: str) -> int:
        """By how many uses a tool comes later."""
        return IN_VAIN * self._vain.get((self.kind, name), 0)
