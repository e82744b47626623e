"""Small changes of a state or of arguments, made from what a call has read."""

import datetime as dt
from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any

from synth.gate.calls import WORDS, Calls
from synth.gate.instance import Instance
from synth.lang.domain import Entity, Field, Param, Tool
from synth.lang.types import Type
from synth.reference.arguments import Invalid
from synth.reference.interpret import Reference
from synth.reference.run import Fault, Run
from synth.reference.state import Ref, State
from synth.reference.values import scalar_json

Child = tuple[State, dict[str, Any]]
MOMENTS = ("date", "datetime")


class Mutations:
    """Makes children of instances of one domain."""

    def __init__(self, reference: Reference, calls: Calls, random: Random) -> None:
        self._reference = reference
        self._writes = reference.statements.writes
        self._calls = calls
        self._random = random

    def child(self, instance: Instance, tool: Tool, now: dt.datetime, steps: list[Fraction]) -> Child | None:
        """One changed copy of an instance, or None if the change drawn cannot be made.

        Args:
            steps: Differences that may matter, in seconds for moments.
        """
        chance = self._random.random()
        cells, sets = list(instance.trace.cells), list(instance.trace.sets)
        if chance < 0.4 and tool.params:
            return self._argument(instance, tool, now, steps)
        if chance < 0.85 and cells:
            entity, key, name = self._random.choice(cells)
            return self._cell(instance, Ref(entity, key), self._reference.tables.fields[entity][name], steps)
        if sets:
            owner, key, name = self._random.choice(sets)
            return self._member(instance, self._reference.tables.entities[owner], key, name)
        return None

    def _argument(self, instance: Instance, tool: Tool, now: dt.datetime, steps: list[Fraction]) -> Child | None:
        param = self._random.choice(tool.params)
        fresh = self._calls.valid(instance.state, tool, now)
        arguments = dict(instance.arguments)
        value = self._from_values(tool, param, instance, steps) if self._random.random() < 0.7 else None
        if value is not None:
            arguments[param.argument] = value
        elif param.argument in fresh:
            arguments[param.argument] = fresh[param.argument]
        elif param.required:
            return None
        else:
            arguments.pop(param.argument, None)
        return instance.state, arguments

    def _from_values(self, tool: Tool, param: Param, instance: Instance, steps: list[Fraction]) -> Any:
        """A value for a parameter near its own, or one of those that the call read."""
        of = param.type
        if of.kind == "row" or (of.item is not None and of.item.kind == "row"):
            return self._rows_read(of, instance)
        if of.kind not in ("integer", "money", "decimal", "date", "datetime", "time", "text", "duration"):
            return None
        pool = list(self._values_read(of.kind, instance))
        try:
            sent = self._reference.program(tool.name).parse(instance.arguments) if param.argument in instance.arguments else {}
        except (Invalid, KeyError):
            sent = {}
        if sent.get(param.name) is not None:
            pool.append(sent[param.name])
        if not pool:
            return None
        value = self._moved(of.kind, self._random.choice(pool), steps)
        return None if value is None else scalar_json(of)(value)

    def _rows_read(self, of: Type, instance: Instance) -> Any:
        entities = of.item.entities if of.item is not None else of.entities
        seen = list(dict.fromkeys(key for entity, key, _ in instance.trace.cells if entity in entities))
        if not seen:
            return None
        if of.kind == "row":
            return self._random.choice(seen)
        return self._random.sample(seen, min(len(seen), self._random.choice((1, 2, 3))))

    def _values_read(self, kind: str, instance: Instance) -> Iterator[Any]:
        tables, state = self._reference.tables, instance.state
        for entity, key, name in instance.trace.cells:
            field, row = tables.fields[entity][name], state.row(entity, key)
            if row is not None and field.type.kind == kind and len(field.columns) == 1:
                stored = row[field.columns[0].name]
                if stored is not None:
                    yield tables.decoders(entity, field.columns[0])(stored)

    def _moved(self, kind: str, value: Any, steps: list[Fraction]) -> Any:
        """The value itself or moved by one of the differences that may matter."""
        if kind == "text":
            return value
        if not steps or self._random.random() < 0.25:
            return value
        step = self._random.choice(steps) * self._random.choice((1, 1, -1))
        try:
            return shifted(kind, value, step)
        except (OverflowError, ValueError):
            return None

    def _cell(self, instance: Instance, ref: Ref, field: Field, steps: list[Fraction]) -> Child | None:
        entity = self._reference.tables.entities[ref.entity]
        row = instance.state.row(ref.entity, ref.key)
        if row is None or not changeable(entity, field):
            return None
        value = self._new_value(instance, ref, field, steps)
        if value is None and not field.type.optional:
            return None
        state = instance.state.fork()
        state.update(ref.entity, ref.key, self._writes.stored(entity, field, value))
        return self._sound(state, ref, instance)

    def _sound(self, state: State, ref: Ref, instance: Instance) -> Child | None:
        run = Run(state, self._reference.now, self._reference.actor(state))
        try:
            return (state, instance.arguments) if self._writes.sound(run, ref) else None
        except (Fault, TypeError):
            return None

    def _new_value(self, instance: Instance, ref: Ref, field: Field, steps: list[Fraction]) -> Any:
        of = field.type
        if of.optional and self._random.random() < 0.2:
            return None
        if field.role == "reference":
            return self._other_row(instance, field)
        if field.closed:
            return self._random.choice(field.closed)
        match of.kind:
            case "enum":
                return self._random.choice(self._words(of.name))
            case "bool":
                return self._random.random() < 0.5
            case "list" if of.item is not None and of.item.kind == "enum":
                words = self._words(of.item.name)
                return self._random.sample(words, self._random.randint(0, len(words)))
            case "integer" | "money" | "decimal" | "date" | "datetime" | "time" | "duration":
                pool = list(self._values_read(of.kind, instance))
                own = self._reference.expressions.fields.field(ref.entity, field.name)
                held = own(Run(instance.state, self._reference.now), ref)
                pool += [held] * (len(pool) + 1) if held is not None else []
                return self._moved(of.kind, self._random.choice(pool), steps) if pool else None
            case "text":
                return f"{self._random.choice(WORDS)} {self._random.randint(1, 9999)}"
            case _:
                return None

    def _words(self, enum: str) -> tuple[str, ...]:
        return next(one.words for one in self._reference.domain.enums if one.name == enum)

    def _other_row(self, instance: Instance, field: Field) -> Ref | None:
        entity = self._random.choice(field.type.entities)
        read = [key for other, key, _ in instance.trace.cells if other == entity]
        keys = read if read and self._random.random() < 0.5 else instance.state.keys(entity)
        return Ref(entity, self._random.choice(keys)) if keys else None

    def _member(self, instance: Instance, owner: Entity, key: str, name: str) -> Child | None:
        """Moves a row into, or out of, a set that the call read."""
        field = next(one for one in owner.fields if one.name == name)
        if field.role != "reference" or not changeable(owner, field):
            return None
        inside = instance.state.where(owner.name, field.columns[0].name, key)
        state = instance.state.fork()
        if inside and self._random.random() < 0.35:
            other = self._other_row(instance, field)
            if other is None:
                return None
            row = self._random.choice(inside)
            state.update(owner.name, row, {field.columns[0].name: other.key})
        else:
            keys = state.keys(owner.name)
            if not keys:
                return None
            row = self._random.choice(keys)
            state.update(owner.name, row, {field.columns[0].name: key})
        return self._sound(state, Ref(owner.name, row), instance)


def changeable(entity: Entity, field: Field) -> bool:
    """Whether a field may be changed on its own without breaking ids, trees or orders."""
    if field.role not in ("value", "reference") or not field.columns or field.type.kind == "struct":
        return False
    return not (field.tree or field.position or field.name in ("position", "archived", entity.id_per, *entity.key))


def shifted(kind: str, value: Any, step: Fraction) -> Any:
    """A value moved by a difference (seconds for moments)."""
    match kind:
        case "integer":
            return value + round(step)
        case "date":
            return value + dt.timedelta(days=round(step / 86400))
        case "datetime" | "duration":
            return value + dt.timedelta(seconds=round(step))
        case "time":
            return (dt.datetime.combine(dt.date(2000, 1, 1), value) + dt.timedelta(seconds=round(step))).time()
        case _:
            return value + step
