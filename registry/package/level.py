"""How hard a task is, 1 to 5: the points that its gold calls and its kind make."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from registry.package.pack import GoldCall, TaskKind
from registry.package.symbols import call_of, is_symbol

MOST = 5
SMALL_SET = 3
FEWEST_OF_SET, MOST_OF_SET = 2, 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """Some points, and what they are for."""

    points: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What is to be done: how many calls read, how many write, and the longest chain of calls in which each needs a result of the one before it."""

    reads: int
    writes: int
    hops: int


def work(calls: Sequence[GoldCall], reads_only: Callable[[str], bool]) -> Work:
    """The work of gold calls; `reads_only` tells of a tool's name whether it changes nothing."""
    reads = sum(reads_only(call.tool) for call in calls)
    return Work(reads=reads, writes=len(calls) - reads, hops=_hops(calls))


def points(kind: TaskKind, done: Work, unsaid: int = 0) -> tuple[Point, ...]:
    """What a task has its level for: 1 to begin with, and what is not as simple as one look-up and one write.

    Every write after the first, every two reads after the second, every hop after the second, a condition, a decline, a repair, an answer from more
    than one read and every step that stays unsaid make one. A set counts as two writes, a greater one as three.
    """
    found = (
        Point(points=1, why="every task"),
        _writes(kind, done.writes),
        Point(points=max(0, done.reads - 2) // 2, why=f"each two reads after the second: {done.reads} reads"),
        Point(points=max(0, done.hops - 2), why=f"each hop after the second: {done.hops} calls, each of which needs a result of the one before"),
        Point(points=int(kind == "do-if-else"), why="a condition"),
        Point(points=int(kind == "answer" and done.reads > 1), why="an answer from more than one read"),
        Point(points=int(kind in ("decline", "repair")), why=f"a {kind}"),
        Point(points=unsaid, why="each step that the words leave unsaid"),
    )
    return tuple(one for one in found if one.points)


def level_of(points: Sequence[Point]) -> int:
    """The level that points come to."""
    return min(MOST, sum(one.points for one in points))


def _hops(calls: Sequence[GoldCall]) -> int:
    depth: list[int] = []
    for call in calls:
        values = [one for value in call.arguments.values() for one in (value if isinstance(value, list) else [value])]
        depth.append(1 + max((depth[call_of(one)] for one in values if is_symbol(one) and call_of(one) < len(depth)), default=0))
    return max(depth, default=0)


def _writes(kind: TaskKind, writes: int) -> Point:
    if kind != "bulk":
        return Point(points=max(0, writes - 1), why=f"each write after the first: {writes} writes")
    counted = MOST_OF_SET if writes > SMALL_SET else FEWEST_OF_SET
    return Point(points=counted - 1, why=f"a set of {writes} writes, which counts as {counted}")
