"""One call in one state, as the watching interpreter sees it."""

import datetime as dt
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from registry.package.errors import ToolRefusal
from synth.gate.goals import Goal
from synth.gate.watch import Trace, Watched, WatchedStatements
from synth.reference.arguments import Invalid
from synth.reference.interpret import Reference
from synth.reference.state import State
from synth.reference.statements import NO_VALUE, Broken, Step


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Instance:
    """A state, arguments, and what the call came to.

    Attributes:
        broken: Every broken rule.
        consistent: Whether the invariants hold in the state.
    """

    state: State
    arguments: dict[str, Any]
    broken: tuple[Broken, ...]
    trace: Trace
    consistent: bool = True

    @property
    def refused(self) -> int:
        """How many enforced rules are broken."""
        return sum(one.enforced for one in self.broken)


class Lens:
    """Looks at calls of one domain's tools."""

    def __init__(self, reference: Reference) -> None:
        self.reference = reference
        self._statements = WatchedStatements(reference.domain)
        self._bodies: dict[str, Step] = {}

    def look(self, state: State, tool: str, arguments: dict[str, Any], now: dt.datetime, *, consistent: bool = True) -> Instance | None:
        """The call as an instance; None if the arguments are invalid or name rows that are not there."""
        program = self.reference.program(tool)
        run = Watched(state.fork(), now, self.reference.actor(state))
        run.broken, run.beyond, run.trace = [], False, Trace()
        try:
            scope = self.reference.scope(run, program, program.parse(arguments))
        except (Invalid, ToolRefusal, *NO_VALUE):
            return None
        if run.broken:
            return None
        if tool not in self._bodies:
            self._bodies[tool] = self._statements.body(self.reference.domain_tool(tool).body)
        self._bodies[tool](run, scope)
        return Instance(state=state, arguments=arguments, broken=tuple(run.broken), trace=run.trace, consistent=consistent)


def distance(goal: Goal, instance: Instance) -> float:
    """How far an instance is from showing a goal; 0 when it does."""
    match goal.kind:
        case "success":
            return float(len(instance.broken))
        case "rule":
            others = sum(one.mark != goal.mark for one in instance.broken)
            return others + (0.0 if len(instance.broken) > others else _undecided(goal, instance))
        case "branch":
            return instance.refused + (0.0 if (goal.mark, goal.number) in instance.trace.branches else _undecided(goal, instance))
        case "boundary":
            found = instance.trace.distances.get(goal.mark)
            return 2.0 if not found else min(_closeness(abs(one - goal.number)) for one in found)


def _undecided(goal: Goal, instance: Instance) -> float:
    """How far the comparisons that decide a goal are from their boundaries: 0.5 to 1."""
    distances = instance.trace.distances
    return 0.5 + 0.5 * min((_closeness(abs(one)) for mark in goal.marks for one in distances.get(mark, ())), default=1.0)


def _closeness(units: Fraction) -> float:
    """0 for nothing, towards 1 for much."""
    return float(units / (units + 50))
