"""One call in one state, as the watching interpreter sees it."""

import datetime as dt
from dataclasses import dataclass
from typing import Any

from registry.package.errors import ToolRefusal
from synth.gate.goals import Goal
from synth.gate.parts import SIDED
from synth.gate.sharp_statements import SharpStatements
from synth.gate.watch import MATTERS, Trace, Watched
from synth.reference.arguments import Invalid
from synth.reference.interpret import Reference
from synth.reference.run import STEP_LIMIT
from synth.reference.state import State
from synth.reference.statements import NO_VALUE, Broken, Step


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Instance:
    """A state, arguments, and what the call came to.

    Attributes:
        broken: Every broken rule.
        consistent: Whether the invariants hold in the state.
        steps: How much work it was to look at it.
        refused: How many enforced rules are broken.
        alike: A number that states which hold the same have in common, 0 for the start; -1 where it is not known.
        kin: Which rules are broken, by their marks or codes.
    """

    state: State
    arguments: dict[str, Any]
    broken: tuple[Broken, ...]
    trace: Trace
    consistent: bool = True
    steps: int = 0
    refused: int = 0
    alike: int = -1
    kin: tuple[int | str, ...] = ()


class Lens:
    """Looks at calls of one domain's tools."""

    def __init__(self, reference: Reference) -> None:
        self.reference = reference
        self._statements = SharpStatements(reference.domain)
        self._bodies: dict[str, Step] = {}

    def look(self, state: State, tool: str, arguments: dict[str, Any], now: dt.datetime, *, consistent: bool = True) -> Instance | None:
        """The call as an instance; None if the arguments are invalid or name rows that are not there."""
        program = self.reference.program(tool)
        run = Watched(state.fork(), now, self.reference.actor(state))
        run.begin()
        try:
            scope = self.reference.scope(run, program, program.parse(arguments))
        except (Invalid, ToolRefusal, *NO_VALUE):
            return None
        if run.broken:
            return None
        if tool not in self._bodies:
            self._bodies[tool] = self._statements.body(self.reference.domain_tool(tool).body)
        self._bodies[tool](run, scope)
        return Instance(
            state=state,
            arguments=arguments,
            broken=tuple(run.broken),
            trace=run.trace,
            consistent=consistent,
            steps=STEP_LIMIT - run.steps,
            refused=sum(one.enforced for one in run.broken),
            kin=tuple([one.mark or one.code for one in run.broken]),
        )


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
            return hidden(goal, instance) + instance.trace.nearness(goal.mark, goal.number)
        case "part":
            return hidden(goal, instance) + (0.0 if (goal.mark, goal.number) in instance.trace.parts else _unseen(goal, instance))
        case "argument":
            sent = 0 if goal.names[0] not in instance.arguments else 2 if instance.arguments[goal.names[0]] is None else 1
            return instance.refused + float(sent != goal.number)
        case "search" | "derived":
            return 1.0


def hidden(goal: Goal, instance: Instance) -> int:
    """How many things hide whether a goal is shown: broken rules, all but one that depends on it; a choice that changes nothing."""
    rules, own = goal.rules, False
    for one in instance.broken if rules else ():
        if one.enforced and one.mark in rules:
            own = True
            break
    idle = goal.within and (goal.within, MATTERS) not in instance.trace.parts
    return instance.refused - own + (goal.told and not own) + bool(idle) + (goal.through is not None and not _passed(goal.through, instance))


def _passed(through: tuple[int, int, int], instance: Instance) -> bool:
    """Whether an operand was once the one that decided, or all agreed: then another outcome of it would have turned the whole."""
    mark, at, count = through
    return (mark, at) in instance.trace.parts or (mark, count) in instance.trace.parts


def _unseen(goal: Goal, instance: Instance) -> float:
    """How far a part of an expression is from being seen: 0.25 to 1."""
    part = goal.number if goal.number < SIDED else (goal.number - SIDED) // 10
    off = instance.trace.off.get((goal.mark, part))
    return _apart(goal, instance) if off is None else 0.25 * min(off, 2) + 0.25 * _apart(goal, instance)


def _undecided(goal: Goal, instance: Instance) -> float:
    """How far the comparisons that decide a goal are from their boundaries, and how many operands stand in the way of it: 0.25 to 1."""
    off = instance.trace.off.get(goal.joint) if goal.joint is not None else None
    return _apart(goal, instance) if off is None else 0.25 * min(off, 2) + 0.5 * _apart(goal, instance)


def _apart(goal: Goal, instance: Instance) -> float:
    """How far the comparisons that decide a goal are from their boundaries: 0.5 to 1."""
    return instance.trace.apart(goal.marks)
