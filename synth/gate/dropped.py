"""Whether a condition of a filter decides what a call comes to: the same call in a seed that lacks it."""

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

from synth.gate.goals import Goal
from synth.gate.instance import Instance
from synth.lang import nodes as n
from synth.lang.domain import Tool
from synth.lang.visit import through
from synth.reference.interpret import Reference
from synth.reference.prediction import Prediction


class Drops:
    """The conditions of the filters of one tool, and of the functions that it calls; each may be dropped."""

    def __init__(self, reference: Reference, tool: Tool) -> None:
        self._reference = reference
        self._tool = tool
        self._without: dict[tuple[int, int], Reference] = {}
        self._places = {place for node in through(reference.domain, tool.body) if isinstance(node, n.Comprehension) for place in _conditions(node)}

    def about(self, goal: Goal) -> bool:
        """Whether a goal is that one condition of a filter keeps an element out alone."""
        return goal.kind == "part" and (goal.mark, goal.number) in self._places

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
            functions = tuple(replace(one, body=_dropped(one.body, *place)) for one in domain.functions)
            tools = tuple(replace(one, body=_dropped(one.body, *place)) if one is self._tool else one for one in domain.tools)
            self._without[place] = Reference(replace(domain, functions=functions, tools=tools))
        return self._without[place]


def _outcome(predicted: Prediction) -> tuple[Any, ...]:
    return predicted.kind, predicted.code, predicted.evidence, predicted.result, predicted.writes


def _conditions(node: n.Comprehension) -> Iterator[tuple[int, int]]:
    """Where goals look at each condition of a filter: a part of an `and`, or the only condition of a clause."""
    for at, clause in enumerate(node.clauses):
        if len(clause.conditions) == 1:
            one = clause.conditions[0]
            if isinstance(one, n.Logic) and one.op == "and":
                yield from ((id(one), number) for number in range(len(one.operands)))
            else:
                yield id(node), 10 * at


def _dropped(value: Any, mark: int, at: int) -> Any:
    """A copy of a part of a seed in which one `and`, known by its id, lacks one operand, or one clause of a comprehension its condition."""
    if isinstance(value, n.Logic) and id(value) == mark:
        left = (*value.operands[:at], *value.operands[at + 1 :])
        return left[0] if len(left) == 1 else replace(value, operands=left)
    if isinstance(value, n.Comprehension) and id(value) == mark:
        return replace(value, clauses=tuple(replace(one, conditions=()) if 10 * number == at else one for number, one in enumerate(value.clauses)))
    if isinstance(value, tuple):
        return tuple(_dropped(one, mark, at) for one in value)
    if isinstance(value, n.Node | n.Statement | n.Clause):
        return replace(value, **{one.name: _dropped(getattr(value, one.name), mark, at) for one in fields(value) if one.init})
    return value
