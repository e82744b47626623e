"""What a call can show of every expression of a tool: goals beyond coverage, shown where they can be."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from synth.gate.goals import Bound, Goal, depends
from synth.gate.parts import parts
from synth.lang import nodes as n
from synth.lang.domain import Domain, Tool
from synth.lang.visit import inside


def part_goals(domain: Domain, tool: Tool) -> tuple[Goal, ...]:
    """Goals of the expressions of one tool and of the functions that it calls, each once; and of its optional parameters."""
    walk = _Parts(domain, tool.name)
    found = {(one.mark, one.number, one.told): one for one in walk.body(tool.body, {}, ())}
    return (*_arguments(tool), *found.values())


def _arguments(tool: Tool) -> Iterator[Goal]:
    """Each optional parameter is sent, left out, and null where it may be."""
    goal = Goal(tool=tool.name, kind="argument", where=tool.where, optional=True)
    for param in tool.params:
        states = (*((0, 1) if not param.required else ()), *((2,) if param.type.optional else ()))
        yield from (replace(goal, mark=id(param), number=number, names=(param.argument, param.name)) for number in states)


class _Parts:
    """Goes through a body, and into each function once."""

    def __init__(self, domain: Domain, tool: str) -> None:
        self._domain = domain
        self._tool = tool
        self._functions = {one.name: one for one in domain.functions}
        self._entered: set[str] = set()

    def body(self, statements: tuple[n.Statement, ...], bound: Bound, rules: tuple[int, ...]) -> Iterator[Goal]:
        """Goals of statements.

        Args:
            rules: Rules that depend on what the body gives back.
        """
        bound = dict(bound)
        enforced = [(id(one), depends(self._domain, one.condition, bound)["names"]) for one in statements if isinstance(one, n.Rule) and one.enforced]
        for one in statements:
            match one:
                case n.Bind():
                    deciding = tuple(mark for mark, names in enforced if self._reads(statements, names, one.name))
                    bound[one.name] = one.value
                    choice = 0 if deciding else next((id(other) for other in statements if isinstance(other, n.If) and _tests(other, one.name)), 0)
                    for goal in self._nodes(one.value, bound, (*rules, *deciding)):
                        yield replace(goal, within=goal.within or choice)
                case n.Rule() if one.enforced:
                    yield from self._nodes(one.condition, bound, (*rules, id(one)))
                    yield from self._nodes(one.says, bound, (*rules, id(one)), told=True)
                case n.Rule():
                    continue
                case n.If():
                    for condition, inner in one.branches:
                        for goal in self._nodes(condition, bound, rules):
                            yield replace(goal, within=goal.within or id(one))
                        yield from self.body(inner, bound, rules)
                case n.For():
                    yield from self._goals(one, bound, rules)
                    yield from self._nodes(one.source, bound, rules)
                    yield from self.body(one.body, bound, rules)
                case n.Assign():
                    yield from self._goals(one, bound, rules)
                    yield from self._nodes(one, bound, rules)
                case _:
                    yield from self._nodes(one, bound, rules)

    def _reads(self, statements: tuple[n.Statement, ...], names: tuple[str, ...], name: str) -> bool:
        """Whether one of these names, or what it is bound to, reads a name."""
        bound = {one.name: one.value for one in statements if isinstance(one, n.Bind)}
        return name in names or any(name in depends(self._domain, bound[one], bound)["names"] for one in names if one in bound)

    def _nodes(self, value: Any, bound: Bound, rules: tuple[int, ...], *, told: bool = False) -> Iterator[Goal]:
        for node in inside(value):
            yield from self._goals(node, bound, rules, told=told)
            if isinstance(node, n.Apply) and node.function not in self._entered:
                self._entered.add(node.function)
                around = depends(self._domain, node.args, bound)["names"]
                for goal in self.body(self._functions[node.function].body, {}, rules):
                    yield replace(goal, names=goal.names + around)

    def _goals(self, node: Any, bound: Bound, rules: tuple[int, ...], *, told: bool = False) -> Iterator[Goal]:
        numbers = parts(node)
        if not numbers:
            return
        on = depends(self._domain, node, bound)
        for number in numbers:
            yield Goal(
                tool=self._tool, kind="part", where=node.where, mark=id(node), number=number, optional=True, rules=rules, told=told,
                names=on["names"], marks=on["marks"],
            )  # fmt: skip


def _tests(choice: n.If, name: str) -> bool:
    """Whether a condition of an `if` reads a name."""
    conditions = tuple(condition for condition, _ in choice.branches if condition is not None)
    return any(isinstance(one, n.Local) and one.name == name for one in inside(conditions))
