"""Whether a condition of a filter decides what a call comes to: the same call in a seed that lacks it."""

from dataclasses import fields, replace
from typing import Any

from synth.gate.goals import Goal
from synth.gate.instance import Instance
from synth.lang import nodes as n
from synth.lang.domain import Tool
from synth.lang.visit import inside
from synth.reference.interpret import Reference
from synth.reference.prediction import Prediction


class Drops:
    """The filters of one tool of two conditions or more, each of which may be dropped."""

    def __init__(self, reference: Reference, tool: Tool) -> None:
        self._reference = reference
        self._tool = tool
        self._without: dict[tuple[int, int], Reference] = {}
        clauses = [clause for node in inside(tool.body) if isinstance(node, n.Comprehension) for clause in node.clauses]
        self._filters = {
            id(one): len(one.operands) for clause in clauses for one in clause.conditions if isinstance(one, n.Logic) and one.op == "and"
        }

    def about(self, goal: Goal) -> bool:
        """Whether a goal is that one condition of a filter keeps an element out alone."""
        return goal.kind == "part" and goal.number < self._filters.get(goal.mark, 0)

    def tells(self, goal: Goal, instance: Instance) -> bool:
        """Whether the call comes to something else if the condition is dropped."""
        name, now = self._tool.name, self._reference.now
        with_it, without_it = (one.predict(instance.state, name, instance.arguments, now) for one in (self._reference, self._lacking(goal)))
        return _outcome(with_it) != _outcome(without_it)

    def _lacking(self, goal: Goal) -> Reference:
        """The interpreter of a seed in which the condition is dropped."""
        place = goal.mark, goal.number
        if place not in self._without:
            domain = self._reference.domain
            tool = replace(self._tool, body=_dropped(self._tool.body, *place))
            self._without[place] = Reference(replace(domain, tools=tuple(tool if one is self._tool else one for one in domain.tools)))
        return self._without[place]


def _outcome(predicted: Prediction) -> tuple[Any, ...]:
    return predicted.kind, predicted.code, predicted.evidence, predicted.result, predicted.writes


def _dropped(value: Any, mark: int, at: int) -> Any:
    """A copy of a part of a seed in which one `and`, known by its id, lacks one operand."""
    if isinstance(value, n.Logic) and id(value) == mark:
        left = (*value.operands[:at], *value.operands[at + 1 :])
        return left[0] if len(left) == 1 else replace(value, operands=left)
    if isinstance(value, tuple):
        return tuple(_dropped(one, mark, at) for one in value)
    if isinstance(value, n.Node | n.Statement | n.Clause):
        return replace(value, **{one.name: _dropped(getattr(value, one.name), mark, at) for one in fields(value) if one.init})
    return value
