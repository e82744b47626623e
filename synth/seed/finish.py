"""What follows from the whole seed: order of entities, columns that scores leave out."""

from collections.abc import Iterator
from dataclasses import replace

from synth.lang.domain import Entity, Field, Function, Maker, Tool
from synth.lang.nodes import Assign, Attr, Copy, Create, Given, Local, Node, Patch, Rows, Statement
from synth.lang.walk import free_names, nodes
from synth.seed.reading import Reading

CLOCK = ("now", "today")


def exempted(reading: Reading, entities: tuple[Entity, ...], functions: tuple[Function, ...], tools: tuple[Tool, ...]) -> tuple[Entity, ...]:
    """The entities with `exempt` on fields that only ever get a value from the clock."""
    written: dict[tuple[str, str], list[bool]] = {}
    bodies = [*(one.body for one in functions), *(one.body for one in tools)]
    for body in bodies:
        for entity, name, value in _writes(body):
            written.setdefault((entity, name), []).append(_from_clock(value))
    created = {one.entity for body in bodies for statement in body for one in nodes(statement) if isinstance(one, Create)}
    return tuple(replace(one, fields=tuple(_exempt(one, each, written, created) for each in one.fields)) for one in entities)


def _exempt(entity: Entity, field: Field, written: dict[tuple[str, str], list[bool]], created: set[str]) -> Field:
    values = list(written.get((entity.name, field.name), ()))
    if field.start is not None and entity.name in created:
        values.append(_from_clock(field.start))
    if field.computed is not None and entity.name in created:
        values.append(_from_clock(field.computed))
    clock = bool(values) and all(values) and field.type.kind in ("date", "time", "datetime")
    return replace(field, match="exempt") if clock and field.match == "exact" else field


def _writes(body: tuple[Statement, ...]) -> Iterator[tuple[str, str, Node]]:
    for one in (each for statement in body for each in nodes(statement)):
        if isinstance(one, Create):
            yield from ((one.entity, name, value) for name, value in one.values)
        elif isinstance(one, Copy | Patch):
            yield from ((entity, name, value) for entity in one.row.type.entities for name, value in one.values)
        elif isinstance(one, Assign) and isinstance(one.target, Attr):
            yield from ((entity, one.target.name, one.value) for entity in one.target.base.type.entities)


def _from_clock(value: Node) -> bool:
    parts = [one for one in nodes(value) if isinstance(one, Given | Attr | Local | Rows)]
    return (
        any(isinstance(one, Given) and one.name in CLOCK for one in parts) and all(isinstance(one, Given) for one in parts) and not free_names(value)
    )


def ordered(reading: Reading, makers: tuple[Maker, ...]) -> tuple[Entity, ...]:
    """The entities in an order in which rows can be made: after the rows that they need; the order of the file where it is free."""
    entities = reading.names.entities
    needs = {one.name: _needs(one, makers) & set(entities) - {one.name} for one in entities.values()}
    done: dict[str, Entity] = {}
    while len(done) < len(entities):
        ready = next((name for name in entities if name not in done and needs[name] <= set(done)), None)
        if ready is None:
            _circle(reading, [name for name in entities if name not in done], needs)
            break
        done[ready] = entities[ready]
    return (*done.values(), *(one for name, one in entities.items() if name not in done))


def _needs(entity: Entity, makers: tuple[Maker, ...]) -> set[str]:
    """Entities whose rows exist before the rows of this one are made."""
    found = {one for field in entity.fields if field.role == "reference" and not field.type.optional for one in field.type.entities}
    for maker in makers:
        if maker.entity == entity.name:
            found |= {one.entity for statement in maker.body for one in nodes(statement) if isinstance(one, Rows)}
            found |= {one for name in maker.params for field in entity.fields if field.name == name for one in field.type.entities}
    return found


def _circle(reading: Reading, left: list[str], needs: dict[str, set[str]]) -> None:
    circle, name = [], left[0]
    while name not in circle:
        circle.append(name)
        name = next(one for one in left if one in needs[name])
    names = [*circle[circle.index(name) :], name]
    fix = "Make one of the references optional, or let `data:` not read rows that are made later"
    reading.add(
        ("entities", name), expected="entities that can be made one after another", got=" → ".join(names), fix=fix, code="CYCLIC_REFERENCE", key=True
    )
