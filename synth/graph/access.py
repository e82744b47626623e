"""Which rows and fields a tool reads and writes, and where in its body."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, Literal

from synth.lang import nodes as n
from synth.lang.domain import Domain, Function, Tool

Place = Literal["rule", "effect", "result"]
"""Where something is read: in the condition of a rule, in what decides or makes an effect, in what is given back."""

ANY = "*"
"""Stands for a row's existence, as if it were a field."""

Field = tuple[str, str]
Bindings = Mapping[str, tuple[n.Node, "Bindings"]]


@dataclass(slots=True)
class Access:
    """What one tool reads and writes.

    Attributes:
        reads: For each (entity, field), the places where it is read.
        writes: (entity, field) that it may write; (entity, "*") when it adds or removes rows.
        creates: Entities of which it adds rows.
        deletes: Entities of which it removes or archives rows.
    """

    reads: dict[Field, set[Place]] = field(default_factory=dict)
    writes: set[Field] = field(default_factory=set)
    creates: set[str] = field(default_factory=set)
    deletes: set[str] = field(default_factory=set)


def access(domain: Domain, tool: Tool) -> Access:
    """What a tool reads and writes, through the functions that it calls and computed fields; worked out once for each tool, not to be changed."""
    held = _known.get(id(tool))
    if held is None or held[0] is not domain or held[1] is not tool:
        if len(_known) >= MOST_KNOWN:
            _known.clear()
        held = _known[id(tool)] = (domain, tool, _access(domain, tool))
    return held[2]


MOST_KNOWN = 500
_known: dict[int, tuple[Domain, Tool, Access]] = {}


def _access(domain: Domain, tool: Tool) -> Access:
    walk = _Walk(domain)
    walk.statements(tool.body, {}, "effect")
    if tool.search is not None:
        walk.found.reads.setdefault((tool.search.entity, ANY), set()).add("result")
        for wanted in tool.search.filters:
            walk.read(tool.search.entity, wanted.field, "result")
    for entity in given_rows(tool):
        for one in domain.entity(entity).fields:
            walk.read(entity, one.name, "result")
    return walk.found


def given_rows(tool: Tool) -> tuple[str, ...]:
    """Entities whose rows are in the result of a tool, as objects."""
    if tool.search is not None:
        return (tool.search.entity,)
    found: dict[str, None] = {}
    pending = [tool.result]
    while pending:
        of = pending.pop(0)
        found.update(dict.fromkeys(of.entities))
        pending.extend(([of.item] if of.item is not None else []) + [one for _, one in of.fields])
    return tuple(found)


class _Walk:
    """Goes through one body once, following bindings to what they were bound to where they are used."""

    def __init__(self, domain: Domain) -> None:
        self.found = Access()
        self._domain = domain
        self._functions: dict[str, Function] = {one.name: one for one in domain.functions}
        self._always: set[Field] = set()

    def read(self, entity: str, name: str, place: Place) -> None:
        """Notes that a field is read; of a computed one, also what it is computed from."""
        places = self.found.reads.setdefault((entity, name), set())
        declared = next((one for one in self._domain.entity(entity).fields if one.name == name), None)
        if declared is not None and declared.always is not None and place not in places:
            places.add(place)
            self.expression(declared.always, {}, place)
        places.add(place)

    def statements(self, body: tuple[n.Statement, ...], bound: Bindings, place: Place) -> Bindings:
        """Goes through statements; gives the bindings after them."""
        for one in body:
            bound = self._statement(one, bound, place)
        return bound

    def _statement(self, node: n.Statement, bound: Bindings, place: Place) -> Bindings:
        match node:
            case n.Bind():
                self._effects_of(node.value, bound, place)
                return {**bound, node.name: (node.value, bound)}
            case n.Rule():
                self.expression(node.condition, bound, "rule" if node.enforced else place)
            case n.Assign():
                self._assign(node, bound, place)
            case n.Delete():
                self._delete(node, bound, place)
            case n.Patch():
                for name, value in node.values:
                    self._write(node.row.type.entities, name)
                    self.expression(value, bound, place)
                self.expression(node.row, bound, place)
            case n.Do():
                self.expression(node.value, bound, place)
            case n.Return():
                self.expression(node.value, bound, "result" if place == "effect" else place)
            case n.If() | n.For():
                self._nested(node, bound, place)
        return bound

    def _nested(self, node: n.If | n.For, bound: Bindings, place: Place) -> None:
        if isinstance(node, n.For):
            self.expression(node.source, bound, place)
            self.statements(node.body, _without(bound, node.targets), place)
            return
        for condition, inner in node.branches:
            if condition is not None:
                self.expression(condition, bound, place)
            self.statements(inner, bound, place)

    def _assign(self, node: n.Assign, bound: Bindings, place: Place) -> None:
        target = node.target.base if node.target.access == "struct" and isinstance(node.target.base, n.Attr) else node.target
        self._write(target.base.type.entities, target.name)
        self.expression(target.base, bound, place)
        self.expression(node.value, bound, place)
        if node.op != "=" or self._has_lifecycle(target):
            for entity in target.base.type.entities:
                self.read(entity, target.name, place)

    def _has_lifecycle(self, target: n.Attr) -> bool:
        return any(self._domain.entity(entity).field(target.name).lifecycle is not None for entity in target.base.type.entities)

    def _delete(self, node: n.Delete, bound: Bindings, place: Place) -> None:
        for entity in node.row.type.entities:
            self.found.deletes.add(entity)
            self.found.writes.add((entity, ANY))
            for part in self._parts(entity):
                self.found.writes.add((part, ANY))
        self.expression(node.row, bound, place)

    def _parts(self, entity: str) -> Iterator[str]:
        for other in self._domain.entities:
            if any(one.part and entity in one.type.entities for one in other.fields) and other.name != entity:
                yield other.name
                yield from self._parts(other.name)

    def _write(self, entities: tuple[str, ...], name: str) -> None:
        self.found.writes.update((entity, name) for entity in entities)

    def _effects_of(self, value: n.Node, bound: Bindings, place: Place) -> None:
        """Of a binding only effects count here; what it reads counts where it is used."""
        for node in _inside(value):
            if isinstance(node, n.Create | n.Copy) or (isinstance(node, n.Apply) and self._functions[node.function].effects):
                self.expression(value, bound, place)
                return

    def expression(self, node: n.Node, bound: Bindings, place: Place) -> None:
        """Goes through an expression and, by its names, what they are bound to."""
        match node:
            case n.Local() if node.name in bound:
                value, around = bound[node.name]
                self.expression(value, around, place)
                return
            case n.Attr():
                self._attribute(node, place)
            case n.Rows():
                self.found.reads.setdefault((node.entity, ANY), set()).add(place)
            case n.Create():
                self._create(node)
            case n.Copy():
                for entity in node.row.type.entities:
                    self.found.creates.update((entity, *self._parts(entity)))
                    self.found.writes.update((one, ANY) for one in (entity, *self._parts(entity)))
            case n.Apply():
                self._apply(node, bound, place)
                return
            case n.Comprehension():
                bound = _without(bound, tuple(name for clause in node.clauses for name in clause.targets))
            case n.Lambda():
                bound = _without(bound, (node.parameter,))
            case _:
                pass
        for inner in _children(node):
            self.expression(inner, bound, place)

    def _apply(self, node: n.Apply, bound: Bindings, place: Place) -> None:
        function = self._functions[node.function]
        names = [one.name for one in function.params]
        self.statements(function.body, {name: (value, bound) for name, value in zip(names, node.args, strict=True)}, place)

    def _create(self, node: n.Create) -> None:
        self.found.creates.add(node.entity)
        self.found.writes.add((node.entity, ANY))
        for one in self._domain.entity(node.entity).fields:
            if one.role != "always":
                self.found.writes.add((node.entity, one.name))

    def _attribute(self, node: n.Attr, place: Place) -> None:
        for entity in node.base.type.entities if node.access in ("field", "links") else ():
            self.read(entity, node.name, place)
        if node.access == "reverse" and node.type.item is not None:
            for owner in node.type.item.entities:
                self.found.reads.setdefault((owner, ANY), set()).add(place)
                for one in self._domain.entity(owner).fields:
                    if one.many == node.name:
                        self.read(owner, one.name, place)


def _without(bound: Bindings, names: tuple[str, ...]) -> Bindings:
    return {name: value for name, value in bound.items() if name not in names}


def _children(node: Any) -> Iterator[n.Node]:
    """Expressions directly inside an expression, clause, or tuple of them."""
    for one in fields(node):
        yield from _nodes(getattr(node, one.name))


def _nodes(value: Any) -> Iterator[n.Node]:
    if isinstance(value, n.Node):
        yield value
    elif isinstance(value, tuple):
        for one in value:
            yield from _nodes(one)
    elif isinstance(value, n.Clause) or (is_dataclass(value) and isinstance(value, n.Statement)):
        yield from _children(value)


def _inside(node: n.Node) -> Iterator[n.Node]:
    """An expression and all inside it."""
    yield node
    for one in _children(node):
        yield from _inside(one)
