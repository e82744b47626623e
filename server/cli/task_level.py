"""Why a task has its level, as far as its gold shows it: the points that `docs/tasks.md` tells of."""

from collections.abc import Collection
from dataclasses import dataclass

from registry.package.level import MOST, Point, Work, points, work
from registry.package.pack import Gold

UNSAID = "not seen in gold: each step that the words leave unsaid is one"
GIVEN = "the pack says another level than its gold comes to"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What gold shows of a task's difficulty."""

    work: Work
    points: tuple[Point, ...]


def measured(gold: Gold, reading: Collection[str]) -> Measured:
    """The points of a task; together they are its level, but that no level is above 5.

    Args:
        gold: Of the task.
        reading: Tools that change nothing, `ask_user` among them.
    """
    done = work(gold.calls, reading.__contains__)
    found = points(gold.kind, done)
    rest = gold.level - sum(one.points for one in found)
    if rest > 0:
        found = (*found, Point(points=rest, why=UNSAID))
    elif rest and gold.level < MOST:
        found = (*found, Point(points=rest, why=GIVEN))
    return Measured(work=done, points=found)
