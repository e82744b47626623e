"""How alike the tasks of one pack are."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from registry.packs.reading import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class Within:
    """How many tasks there are, and how alike.

    Attributes:
        tasks: Tasks of the pack.
        repeated: Share of the tasks whose kind and tools, in order, some other task has too; a task and its twin count as one.
        tools: Different tools in gold calls.
    """

    tasks: int
    repeated: float
    tools: int


def within(tasks: Iterable[Task]) -> Within:
    """Of the tasks of one environment."""
    listed = list(tasks)
    kept = [one for one in listed if not one.gold.twin or one.gold.task < one.gold.twin]
    shapes = Counter((one.gold.kind, tuple(call.tool for call in one.gold.calls)) for one in kept)
    again = sum(count for count in shapes.values() if count > 1)
    used = {call.tool for one in listed for call in one.gold.calls}
    return Within(tasks=len(listed), repeated=again / len(kept) if kept else 0.0, tools=len(used))
