"""Checks the one-expression properties of fields: start, is, always, low, high; and how rows are called."""

import re
from dataclasses import replace

from synth.lang.coerce import fitted
from synth.lang.domain import Entity, Field
from synth.lang.nodes import Attr, Const, Format, Local, Node
from synth.lang.problems import advice
from synth.lang.rules import UNKNOWN, is_unknown, spoken
from synth.lang.types import BOOL, TEXT, row
from synth.lang.walk import nodes
from synth.seed.reading import Reading, Step

LIMITED = ("integer", "decimal", "money", "date", "time", "datetime", "duration")


def properties(reading: Reading) -> None:
    """Complete the entities in the names with their expressions."""
    names = reading.names
    for entity in tuple(names.entities.values()):
        fields = tuple(_properties(reading, entity, one) for one in entity.fields)
        called = _called(reading, entity) if entity.called_text else None
        names.entities[entity.name] = replace(entity, fields=fields, called=called)
    _no_cycles(reading)
    _computed_in_order(reading)


def _properties(reading: Reading, entity: Entity, field: Field) -> Field:
    path: tuple[Step, ...] = ("entities", entity.name, "fields", field.name)
    model = reading.model.entities[entity.name].fields.get(field.name)
    if model is None:
        return replace(field, start=Const(where=field.where, type=BOOL, value=False)) if field.name == "archived" else field
    start: Node | None = _property(reading, (*path, "start"), field, "") if model.start is not None else None
    if start is None and field.lifecycle is not None:
        start = Const(where=field.where, type=field.type, value=field.lifecycle.states[0])
    name = entity.name
    return replace(
        field,
        start=start,
        computed=_property(reading, (*path, "is"), field, name) if model.computed is not None else None,
        always=_property(reading, (*path, "always"), field, name) if model.always is not None else None,
        low=_limit(reading, (*path, "low"), field, name) if model.low is not None else None,
        high=_limit(reading, (*path, "high"), field, name) if model.high is not None else None,
    )


def _property(reading: Reading, path: tuple[Step, ...], field: Field, entity: str) -> Node | None:
    if path[-1] in ("is", "always"):
        _quoted(reading, path)
    checker, syntax = reading.expression(path, entity)
    if syntax is None:
        return None
    found = checker.expression(syntax)
    if found.type.kind == "text" and field.type.kind == "enum" and isinstance(found, Const):
        return fitted(checker, syntax, found, field.type, field.name)
    if path[-1] == "start" and is_unknown(found.type):
        return None
    return fitted(checker, syntax, found, field.type, field.name)


def _quoted(reading: Reading, path: tuple[Step, ...]) -> None:
    """Report an expression without quotes: YAML would cut it at a `#`, and read `: ` as a mapping."""
    found = reading.scalar(*path)
    if found is not None and not found.style:
        reading.add(path, expected="an expression in quotes", got=found.value, fix=f'Write {path[-1]}: "{found.value}"', code="NOT_QUOTED")


def _limit(reading: Reading, path: tuple[Step, ...], field: Field, entity: str) -> Node | None:
    kind = field.type.required()
    if kind.kind not in LIMITED:
        reading.add(path, expected="a limit on a number or a time", got=f"one on {spoken(kind)}", fix="Leave it out", code="WRONG_TYPE", key=True)
        return None
    checker, syntax = reading.expression(path, entity)
    return fitted(checker, syntax, checker.expression(syntax), kind, f"the limit of {field.name}") if syntax is not None else None


def _called(reading: Reading, entity: Entity) -> Node | None:
    """The template as a Format node over the local name `row`."""
    path: tuple[Step, ...] = ("entities", entity.name, "called")
    _quoted(reading, path)
    where = reading.where(*path)
    base = Local(where=where, type=row(entity.name), name="row")
    parts: list[Node] = []
    for number, piece in enumerate(re.split(r"\{([^{}]*)\}", entity.called_text)):
        if number % 2:
            parts.append(_slot(reading, path, piece, base))
        elif piece:
            parts.append(Const(where=where, type=TEXT, value=piece))
    if "{" not in entity.called_text:
        fix = 'Write it like called: "{name}"'
        reading.add(path, expected="a template with {field} slots", got=repr(entity.called_text), fix=fix, code="BAD_WORDING")
    return Format(where=where, type=TEXT, parts=tuple(parts))


def _slot(reading: Reading, path: tuple[Step, ...], text: str, base: Node) -> Node:
    node = base
    for step in text.split("."):
        kind = node.type
        members = reading.names.members(kind.entities[0]) if kind.kind == "row" else {}
        found = members.get(step)
        if kind.kind == "struct":
            fields = dict(reading.names.structs[kind.name].fields)
            if step in fields:
                node = Attr(where=node.where, type=fields[step], base=node, name=step, access="struct")
                continue
        if found is None or found.access not in ("field", "id"):
            if not reading.names.excused(kind.entities[0] if kind.kind == "row" else "", step):
                where = f"a field of {kind.entities[0]}" if kind.kind == "row" else "one field"
                reading.add(
                    path,
                    expected=where,
                    got=f"{{{text}}}",
                    fix=advice(step, [name for name, one in members.items() if one.access in ("field", "id")], "field"),
                    code="UNKNOWN_FIELD",
                )
            return Const(where=node.where, type=UNKNOWN, value=None)
        node = Attr(where=node.where, type=found.type, base=node, name=step, access=found.access)
    return node


def _no_cycles(reading: Reading) -> None:
    """Report `called` and `always` that need themselves."""
    needs: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for entity in reading.names.entities.values():
        if entity.called is not None:
            needs[entity.name, "called"] = _needs(reading, entity.called)
        for field in entity.fields:
            if field.always is not None:
                needs[entity.name, field.name] = _needs(reading, field.always)
    for start in needs:
        if start in _reachable(needs, start):
            name, what = start
            path: tuple[Step, ...] = ("entities", name, "called") if what == "called" else ("entities", name, "fields", what, "always")
            reading.add(path, expected="an expression that does not need itself", got="a circle", fix="Name plain fields", code="RECURSION")


def _needs(reading: Reading, root: Node) -> set[tuple[str, str]]:
    """Computed properties that an expression reads; a row that is shown reads how it is called."""
    found: set[tuple[str, str]] = set()
    for node in nodes(root):
        if isinstance(node, Attr) and node.base.type.kind == "row":
            found |= {(one, node.name) for one in node.base.type.entities}
        if isinstance(node, Format):
            found |= {(one, "called") for part in node.parts for one in part.type.entities if part.type.kind == "row"}
    return found


def _reachable(needs: dict[tuple[str, str], set[tuple[str, str]]], start: tuple[str, str]) -> set[tuple[str, str]]:
    seen: set[tuple[str, str]] = set()
    todo = [start]
    while todo:
        for one in needs.get(todo.pop(), set()):
            if one not in seen:
                seen.add(one)
                todo.append(one)
    return seen


def _computed_in_order(reading: Reading) -> None:
    """Report a field computed from one that is computed after it, or from reverse sets, which a new row has not."""
    for entity in reading.names.entities.values():
        later = {one.name for one in entity.fields if one.computed is not None}
        for field in entity.fields:
            if field.computed is None:
                continue
            own = {one.name for one in nodes(field.computed) if isinstance(one, Attr) and isinstance(one.base, Local) and one.base.name == "row"}
            path: tuple[Step, ...] = ("entities", entity.name, "fields", field.name, "is")
            if own & later:
                got = ", ".join(sorted(own & later))
                reading.add(path, expected="fields that are known before", got=got, fix=f"Declare {field.name} after them", code="COMPUTED_ORDER")
            later.discard(field.name)
