"""How alike two shapes are: from 0, nothing in common, to 1, the same but for names."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from synth.overlap.shapes import Bag, Shape

MOST_ALIKE = 0.60
"""No two environments that ship may be more alike than this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """Likeness of two environments by part; `whole` is the mean of the four."""

    tools: float
    tables: float
    rules: float
    graph: float

    @property
    def whole(self) -> float:
        """The mean of the parts."""
        return (self.tools + self.tables + self.rules + self.graph) / 4


def overlap(one: Shape, other: Shape) -> Overlap:
    """Likeness of two shapes; equal in both directions."""
    return Overlap(
        tools=matched(one.tools, other.tools),
        tables=matched(one.tables, other.tables),
        rules=matched(one.rules, other.rules),
        graph=matched(one.graph, other.graph),
    )


def likeness(one: Bag, other: Bag) -> float:
    """Common features of two bags over all of theirs (Ruzicka's measure)."""
    common = sum(min(count, other[name]) for name, count in one.items() if name in other)
    return common / (one.total() + other.total() - common) if one or other else 1.0


def matched(ones: Sequence[Bag], others: Sequence[Bag]) -> float:
    """Mean likeness when each bag is matched with at most one of the other side, the likest first; what is left without one counts as 0."""
    left, right = _grouped(ones), _grouped(others)
    lefts, rights = [bag(one) for one in left], [bag(one) for one in right]
    pairs = [(likeness(a, b), i, j) for i, a in enumerate(lefts) for j, b in enumerate(rights)]
    pairs.sort(key=lambda one: (-one[0], one[1], one[2]))
    free, taken, total = list(left.values()), list(right.values()), 0.0
    for alike, i, j in pairs:
        both = min(free[i], taken[j])
        total += alike * both
        free[i] -= both
        taken[j] -= both
    most = max(len(ones), len(others))
    return total / most if most else 1.0


def _grouped(bags: Sequence[Bag]) -> dict[tuple[tuple[object, int], ...], int]:
    """Equal bags once, with their number, in an order of their own, so that the order of a seed does not count."""
    return dict(sorted(Counter(tuple(sorted(one.items(), key=repr)) for one in bags).items(), key=repr))


def bag(items: tuple[tuple[object, int], ...]) -> Bag:
    """The bag again."""
    return Counter(dict(items))
