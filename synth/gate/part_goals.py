"""What a call can show of every expression of a tool: goals beyond coverage, shown where they can be."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from synth.gate.goals import Bound, Goal, depends
from synth.gate.parts import REFUSED, beside, parts, rules_inside
from synth.lang import nodes as n
from synth.lang.domain import Domain, Tool
from synth.lang.visit import inside
from synth.lang.walk import nodes


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
                    choice = 0 if deciding else _choice(statements, one.name)
                    through = _through(statements, one.name)
                    for goal in self._nodes(one.value, bound, (*rules, *deciding)):
                        yield replace(goal, within=goal.within or choice, through=goal.through or through)
                case n.Rule() if one.enforced:
                    yield from self._nodes(one.condition, bound, (*rules, id(one)), decides=True)
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

    def _nodes(self, value: Any, bound: Bound, rules: tuple[int, ...], *, told: bool = False, decides: bool = False) -> Iterator[Goal]:
        """Goals of an expression; where it decides itself, its own boundary is looked at already (`goals`)."""
        looked_at = {*_looked_at(value), *((id(value),) if decides else ())}
        for node in inside(value):
            yield from self._goals(node, bound, rules, told=told)
            if id(node) not in looked_at:
                yield from self._beside(node, bound, rules, told=told)
            if isinstance(node, n.Apply):
                yield from self._refused(node, bound)
            if isinstance(node, n.Apply) and node.function not in self._entered:
                self._entered.add(node.function)
                around = depends(self._domain, node.args, bound)["names"]
                for goal in self.body(self._functions[node.function].body, {}, rules):
                    yield replace(goal, names=goal.names + around)

    def _refused(self, node: n.Apply, bound: Bound) -> Iterator[Goal]:
        """A call of a function is refused by a rule inside it: another call of it, in this tool or another, does not show that this one is made."""
        rules = rules_inside(self._domain, node)
        if rules:
            yield Goal(
                tool=self._tool, kind="part", where=node.where, mark=id(node), number=REFUSED, optional=True, rules=rules, told=True,
                **depends(self._domain, node, bound),
            )  # fmt: skip

    def _goals(self, node: Any, bound: Bound, rules: tuple[int, ...], *, told: bool = False) -> Iterator[Goal]:
        numbers = parts(node)
        if not numbers:
            return
        on = depends(self._domain, node, bound)
        for number in numbers:
            yield Goal(
                tool=self._tool, kind="part", where=node.where, mark=id(node), number=number, optional=True, rules=rules, told=told,
                names=on["names"], marks=on["marks"], written=isinstance(node, n.Assign | n.For),
            )  # fmt: skip

    def _beside(self, node: Any, bound: Bound, rules: tuple[int, ...], *, told: bool) -> Iterator[Goal]:
        """Both sides of the boundary of a comparison that is a value: an element of `any`, an operand of `not` or `==`, what a function gives."""
        for number in beside(node):
            yield Goal(
                tool=self._tool, kind="part", where=node.where, mark=id(node), number=number, optional=True, rules=rules, told=told,
                names=depends(self._domain, node, bound)["names"], marks=(id(node),),
            )  # fmt: skip


def _looked_at(value: Any) -> Iterator[int]:
    """Comparisons whose boundary other goals look at, by the ids of their nodes: operands, conditions of filters and choices."""
    for node in inside(value):
        match node:
            case n.Logic():
                yield from map(id, node.operands)
            case n.Comprehension():
                yield from (id(one) for clause in node.clauses for one in clause.conditions)
            case n.Choice():
                yield id(node.condition)


def _through(statements: tuple[n.Statement, ...], name: str) -> tuple[int, int, int] | None:
    """The one operand of the condition of a rule or `if` that reads a name, where nothing else of these statements does."""
    reads = _reads_of(statements, name)
    for one in _deciding(statements):
        condition = one.condition if isinstance(one, n.Rule) else one.branches[0][0]
        if isinstance(condition, n.Logic) and _reads_of(one if isinstance(one, n.Rule) else condition, name) == reads:
            reading = [at for at, operand in enumerate(condition.operands) if _reads_of(operand, name)]
            return (id(condition), reading[0], len(condition.operands)) if len(reading) == 1 else None
    return None


def _choice(statements: tuple[n.Statement, ...], name: str) -> int:
    """The first `if` with a condition that reads a name, by its id; 0 if there is none."""
    choices = (one for one in _deciding(statements) if isinstance(one, n.If))
    return next((id(one) for one in choices if any(_reads_of(condition, name) for condition, _ in one.branches)), 0)


def _deciding(statements: tuple[n.Statement, ...]) -> Iterator[n.Rule | n.If]:
    """Rules and `if`s, those inside others too."""
    return (one for one in nodes(statements) if isinstance(one, n.Rule | n.If))


def _reads_of(value: Any, name: str) -> int:
    """How often a name is read."""
    return sum(isinstance(one, n.Local) and one.name == name for one in inside(value))
