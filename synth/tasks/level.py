"""How hard a finished task is, measured on the task itself."""

from collections.abc import Mapping
from types import MappingProxyType

from registry.package.level import level_of, points, work
from registry.package.pack import TaskKind
from synth.lang.domain import Domain
from synth.tasks.draft import Draft
from synth.tasks.play import reads_only

LEAST: Mapping[TaskKind, int] = MappingProxyType({"bulk": 2, "decline": 2, "do-if-else": 2, "repair": 2})
"""The least level of a kind, by the points that each of its tasks has; 1 for others."""


def level(domain: Domain, draft: Draft) -> int:
    """1 (one look-up, one write) to 5."""
    return level_of(points(draft.kind, work(draft.calls, lambda tool: reads_only(domain, tool)), draft.implied))
