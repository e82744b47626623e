"""Which states of lifecycles a tool needs, and which it brings about."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from synth.lang import nodes as n
from synth.lang.domain import Domain, Function, Lifecycle, Tool

Field = tuple[str, str]
States = dict[Field, frozenset[str]]


@dataclass(slots=True)
class Moves:
    """Lifecycles in one tool.

    Attributes:
        needs: For fields that a rule or a move restricts, the states in which the tool can succeed.
        makes: States that it may bring about, in new rows too.
        changes: States to which it may move rows that are there.
    """

    needs: States = field(default_factory=dict)
    makes: States = field(default_factory=dict)
    changes: States = field(default_factory=dict)


def moves(domain: Domain, tool: Tool) -> Moves:
    """What a tool needs and makes of every lifecycle."""
    walk = _Walk(domain)
    walk.statements(tool.body, {})
    return walk.found


class _Walk:
    def __init__(self, domain: Domain) -> None:
        self.found = Moves()
        self._functions: dict[str, Function] = {one.name: one for one in domain.functions}
        self._domain = domain

    def _lifecycle(self, entity: str, name: str) -> Lifecycle | None:
        return next((one.lifecycle for one in self._domain.entity(entity).fields if one.name == name), None)

    def statements(self, body: tuple[n.Statement, ...], bound: Mapping[str, n.Node], *, sure: bool = True) -> None:
        """Goes through statements; `sure` when they always run."""
        bound = dict(bound)
        for one in body:
            match one:
                case n.Bind():
                    bound[one.name] = one.value
                    self._creations(one.value)
                case n.Rule() if one.enforced and sure:
                    self._need(self.restrictions(one.condition, bound, holds=True))
                case n.Assign():
                    self._assign(one, sure=sure)
                case n.Do() | n.Return():
                    self._creations(one.value)
                    self._calls(one.value, sure=sure)
                case n.If():
                    for _, inner in one.branches:
                        self.statements(inner, bound, sure=False)
                case n.For():
                    self.statements(one.body, bound, sure=False)
                case n.Patch():
                    for name, value in one.values:
                        self._make(one.row.type.entities, name, value, change=True)
                case _:
                    pass

    def _calls(self, node: n.Node, *, sure: bool) -> None:
        if isinstance(node, n.Apply):
            self.statements(self._functions[node.function].body, {}, sure=sure)

    def _creations(self, node: Any) -> None:
        """Starting states of rows that an expression creates."""
        if isinstance(node, n.Create):
            given = dict(node.values)
            for one in self._domain.entity(node.entity).fields:
                if one.lifecycle is not None:
                    first = n.Const(where=node.where, type=one.type, value=one.lifecycle.states[0])
                    self._make((node.entity,), one.name, given.get(one.name, one.start or first))
        elif isinstance(node, n.Comprehension):
            self._creations(node.element)

    def _assign(self, node: n.Assign, *, sure: bool) -> None:
        for entity in node.target.base.type.entities:
            lifecycle = self._lifecycle(entity, node.target.name)
            if lifecycle is None:
                continue
            wanted = _words(node.value) or frozenset(lifecycle.states)
            if sure:
                self._need({(entity, node.target.name): frozenset(was for was, now in lifecycle.moves if now in wanted)})
            self._make((entity,), node.target.name, node.value, change=True)

    def _make(self, entities: tuple[str, ...], name: str, value: n.Node, *, change: bool = False) -> None:
        for entity in entities:
            lifecycle = self._lifecycle(entity, name)
            if lifecycle is not None:
                made = _words(value) or frozenset(lifecycle.states)
                for states in (self.found.makes, self.found.changes) if change else (self.found.makes,):
                    states[entity, name] = states.get((entity, name), frozenset()) | made

    def _need(self, states: States) -> None:
        for place, allowed in states.items():
            self.found.needs[place] = self.found.needs.get(place, allowed) & allowed

    def restrictions(self, node: n.Node, bound: Mapping[str, n.Node], *, holds: bool) -> States:
        """What a condition says of states when it holds (or does not)."""
        match node:
            case n.Local() if node.name in bound:
                return self.restrictions(bound[node.name], bound, holds=holds)
            case n.Unary(op="not"):
                return self.restrictions(node.operand, bound, holds=not holds)
            case n.Logic():
                found = [self.restrictions(one, bound, holds=holds) for one in node.operands]
                return _both(found) if (node.op == "and") == holds else _either(found)
            case n.Compare() if len(node.rest) == 1:
                return self._comparison(node, bound, holds=holds)
            case n.Call(name="all" | "any") if isinstance(node.args[0], n.Comprehension):
                return self._quantified(node.args[0], bound, holds=holds) if (node.name == "all") == holds else {}
            case _:
                return {}

    def _quantified(self, node: n.Comprehension, bound: Mapping[str, n.Node], *, holds: bool) -> States:
        return {} if any(one.conditions for one in node.clauses) else self.restrictions(node.element, bound, holds=holds)

    def _comparison(self, node: n.Compare, bound: Mapping[str, n.Node], *, holds: bool) -> States:
        op, right = node.rest[0]
        if isinstance(node.left, n.Call) and node.left.name in ("len", "count"):
            empty = isinstance(right, n.Const) and right.value == 0 and op == "=="
            return self._no_members(node.left.args[0], bound) if empty and holds else {}
        words, attribute = _words(right), node.left
        if not words or not isinstance(attribute, n.Attr) or attribute.access != "field":
            return {}
        inside = (op in ("==", "in")) == holds
        found = {}
        for entity in attribute.base.type.entities:
            lifecycle = self._lifecycle(entity, attribute.name)
            if lifecycle is not None and op in ("==", "!=", "in", "not in"):
                found[entity, attribute.name] = words if inside else frozenset(lifecycle.states) - words
        return found

    def _no_members(self, node: n.Node, bound: Mapping[str, n.Node]) -> States:
        """An empty list of those that fulfil a condition: none of the listed rows fulfils it."""
        while isinstance(node, n.Local) and node.name in bound:
            node = bound[node.name]
        if not isinstance(node, n.Comprehension) or len(node.clauses) != 1 or not isinstance(node.clauses[0].source, n.Local):
            return {}
        conditions = node.clauses[0].conditions
        return self.restrictions(conditions[0], bound, holds=False) if len(conditions) == 1 else {}


def _words(node: n.Node) -> frozenset[str]:
    """Words that a constant, or a display or choice of constants, may be; empty if that cannot be told."""
    match node:
        case n.Const() if isinstance(node.value, str):
            return frozenset({node.value})
        case n.Display():
            parts = [_words(one) for one in node.items]
            return frozenset().union(*parts) if all(parts) else frozenset()
        case n.Choice():
            then, otherwise = _words(node.then), _words(node.otherwise)
            return then | otherwise if then and otherwise else frozenset()
        case _:
            return frozenset()


def _both(found: list[States]) -> States:
    joined: States = {}
    for one in found:
        for place, states in one.items():
            joined[place] = joined.get(place, states) & states
    return joined


def _either(found: list[States]) -> States:
    places = set(found[0]).intersection(*found[1:])
    return {place: frozenset().union(*(one[place] for one in found)) for place in sorted(places)}
