"""Why a task has its level, as far as its gold shows it: the points that `docs/tasks.md` tells of."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from registry.package.pack import Gold, GoldCall
from registry.package.symbols import call_of, is_symbol

MOST = 5
SMALL_SET = 3
FEWEST_OF_SET, MOST_OF_SET = 2, 3
UNSAID = "not seen in gold: each step that the words leave unsaid is one"
GIVEN = "the pack says another level than its gold comes to"


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """Some points, and what they are for."""

    points: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What gold shows of a task's difficulty."""

    reads: int
    writes: int
    hops: int
    points: tuple[Point, ...]


def measured(gold: Gold, reading: Collection[str]) -> Measured:
    """The points of a task; together they are its level, but that no level is above 5.

    Args:
        gold: Of the task.
        reading: Tools that change nothing, `ask_user` among them.
    """
    reads = sum(call.tool in reading for call in gold.calls)
    writes, chain = len(gold.calls) - reads, hops(gold.calls)
    found = [
        Point(points=1, why="every task"),
        _writes(gold, writes),
        Point(points=max(0, reads - 2) // 2, why=f"each two reads after the second: {reads} reads"),
        Point(points=max(0, chain - 2), why=f"each hop after the second: {chain} calls, each of which needs a result of the one before"),
        Point(points=int(gold.kind == "do-if-else"), why="a condition"),
        Point(points=int(gold.kind == "answer" and reads > 1), why="an answer from more than one read"),
        Point(points=int(gold.kind in ("decline", "repair")), why=f"a {gold.kind}"),
    ]
    rest = gold.level - sum(one.points for one in found)
    if rest > 0:
        found.append(Point(points=rest, why=UNSAID))
    elif rest and gold.level < MOST:
        found.append(Point(points=rest, why=GIVEN))
    return Measured(reads=reads, writes=writes, hops=chain, points=tuple(one for one in found if one.points))


def hops(calls: Sequence[GoldCall]) -> int:
    """Longest chain of calls in which each needs a result of the one before it."""
    depth: list[int] = []
    for call in calls:
        values = [one for value in call.arguments.values() for one in (value if isinstance(value, list) else [value])]
        depth.append(1 + max((depth[call_of(one)] for one in values if is_symbol(one) and call_of(one) < len(depth)), default=0))
    return max(depth, default=0)


def _writes(gold: Gold, writes: int) -> Point:
    if gold.kind != "bulk":
        return Point(points=max(0, writes - 1), why=f"each write after the first: {writes} writes")
    counted = MOST_OF_SET if writes > SMALL_SET else FEWEST_OF_SET
    return Point(points=counted - 1, why=f"a set of {writes} writes, which counts as {counted}")
