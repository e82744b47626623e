"""How hard a finished task is, measured on the task itself."""

from collections.abc import Mapping
from types import MappingProxyType

from registry.package.pack import TaskKind
from registry.package.symbols import call_of, is_symbol
from synth.lang.domain import Domain
from synth.tasks.draft import Draft
from synth.tasks.play import reads_only

SMALL_SET = 3
LEAST: Mapping[TaskKind, int] = MappingProxyType({"bulk": 2, "decline": 2, "do-if-else": 2, "repair": 2})
"""The least level of a kind, by the points that each of its tasks has; 1 for others."""
FEWEST_OF_SET, MOST_OF_SET = 2, 3


def hops(draft: Draft) -> int:
    """Longest chain of calls in which each needs a result of the one before it."""
    depth: list[int] = []
    for call in draft.calls:
        before = [
            depth[call_of(one)] for value in call.arguments.values() for one in (value if isinstance(value, list) else [value]) if is_symbol(one)
        ]
        depth.append(1 + max(before, default=0))
    return max(depth, default=0)


def level(domain: Domain, draft: Draft) -> int:
    """1 (one look-up, one write) to 5, from writes, reads, hops, conditions and rules that no tool enforces.

    Every write after the first, every two reads after the second, every hop after the second, every condition, every step that stays unsaid, a
    decline and a repair add one. A set counts as two writes, a greater one as three.
    """
    reads = sum(1 for call in draft.calls if reads_only(domain, call.tool))
    writes = len(draft.calls) - reads
    if draft.gathered is not None:
        writes = MOST_OF_SET if writes > SMALL_SET else FEWEST_OF_SET
    points = max(0, writes - 1) + max(0, reads - 2) // 2 + max(0, hops(draft) - 2) + draft.conditions + (draft.kind == "decline")
    points += (draft.kind == "answer" and reads > 1) + (draft.kind == "repair") + draft.implied
    return min(5, 1 + points)
