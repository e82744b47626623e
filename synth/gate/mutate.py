"""Small changes of a state or of arguments, made from what a call has read."""

import datetime as dt
from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any

from registry.package.errors import ToolRefusal
from synth.gate.calls import WORDS, Calls
from synth.gate.goals import Goal
from synth.gate.instance import Instance
from synth.gate.watch import Cell
from synth.graph.access import access
from synth.lang.domain import Entity, Field, Param, Tool
from synth.lang.types import Type
from synth.reference.arguments import Invalid
from synth.reference.interpret import Reference
from synth.reference.run import Fault, Run
from synth.reference.state import Ref, State
from synth.reference.values import scalar_json

Child = tuple[State, dict[str, Any]]
LEAST: dict[str, tuple[Fraction, ...]] = {
    "integer": (Fraction(1), Fraction(-1)),
    "money": (Fraction(1, 100), Fraction(-1, 100), Fraction(37, 100)),
    "decimal": (Fraction(1, 10), Fraction(-1, 10), Fraction(1, 100)),
    "date": (Fraction(86400), Fraction(-86400)),
    **dict.fromkeys(("datetime", "time", "duration"), (Fraction(60), Fraction(-60), Fraction(1800), Fraction(-1800))),
}
"""Differences that no comparison asks for, so that figures get their last place; in seconds for moments."""
MANIFOLD = 0.1
"""How often a difference is taken a few times."""
SCALARS = ("integer", "money", "decimal", "date", "datetime", "time", "duration")


class Mutations:
    """Makes children of instances of one domain.

    Args:
        aimed: Let calls that go before be mostly ones that write what a goal depends on.
        draws: So often arguments of such a call are drawn anew where it does not succeed.
    """

    def __init__(self, reference: Reference, calls: Calls, random: Random, *, aimed: bool = False, draws: int = 0) -> None:
        self._reference = reference
        self._draws = draws
        self._writes = reference.statements.writes
        self._calls = calls
        self._random = random
        self._scalars = {
            entity: {field.name: field for field in fields.values() if field.type.kind in SCALARS and field.role == "value"}
            for entity, fields in reference.tables.fields.items()
        }
        self._writing = [one for one in reference.domain.tools if not one.read_only]
        self._writers: dict[tuple[str, str], list[Tool]] = {}
        for one in self._writing if aimed else ():
            for place in sorted(access(reference.domain, one).writes):
                self._writers.setdefault(place, []).append(one)

    def child(self, instance: Instance, tool: Tool, now: dt.datetime, steps: list[Fraction], goal: Goal, *, keen: bool = False) -> Child | None:
        """One changed copy of an instance, or None if the change drawn cannot be made.

        Args:
            steps: Differences that may matter, in seconds for moments.
            goal: What it may depend on is changed more often.
            keen: Prefer sets of rows that the goal depends on, and make two arguments the same now and then.
        """
        cells, sets = self._focus(instance, goal), self._sets(instance, goal) if keen else list(instance.trace.sets)
        if self._writers and self._random.random() < 0.2:
            return self._advanced(instance, tool, now, cells)
        chance = self._random.random()
        params = [one for one in tool.params if one.name in goal.names] if self._random.random() < 0.75 else list(tool.params)
        if goal.kind != "success" and steps and self._random.random() < 0.4:
            return self._directed(instance, tool, params, cells, steps)
        if keen and chance < 0.03:
            return self._made_same(instance, tool)
        if chance < 0.35 and params:
            return self._argument(instance, tool, self._random.choice(params), now, steps)
        if chance < 0.42:
            return self._cloned_argument(instance, tool)
        if chance < 0.5:
            return self._advanced(instance, tool, now, cells)
        if chance < 0.65 and sets:
            owner, key, name = self._random.choice(sets)
            return self._member(instance, self._reference.tables.entities[owner], key, name)
        if cells and self._random.random() < 0.95:
            entity, key, name = self._random.choice(cells)
            return self._cell(instance, Ref(entity, key), self._reference.tables.fields[entity][name], steps)
        return self._any_cell(instance, steps)

    def _any_cell(self, instance: Instance, steps: list[Fraction]) -> Child | None:
        """A change of any row: for tools that read little or nothing."""
        filled = [name for name in self._reference.tables.entities if instance.state.tables[name]]
        if not filled:
            return None
        entity = self._random.choice(filled)
        key = self._random.choice(instance.state.keys(entity))
        return self._cell(instance, Ref(entity, key), self._random.choice(self._reference.tables.entities[entity].fields), steps)

    def changed(self, instance: Instance, cell: Cell) -> Child | None:
        """Another value in one field of some row."""
        entity, key, name = cell
        return self._cell(instance, Ref(entity, key), self._reference.tables.fields[entity][name], [])

    def unread(self, instance: Instance) -> Child | None:
        """Another value in a field of a row that the call has read, be that field read or not: a fault may take it for the one that is."""
        rows = list(dict.fromkeys((entity, key) for entity, key, _ in instance.trace.cells))
        if not rows:
            return None
        entity, key = self._random.choice(rows)
        return self._cell(instance, Ref(entity, key), self._random.choice(self._reference.tables.entities[entity].fields), [])

    def _cloned_argument(self, instance: Instance, tool: Tool) -> Child | None:
        """A fresh row like one that is an argument, to which nothing refers, in its stead."""
        params = [one for one in tool.params if one.type.kind == "row" and isinstance(instance.arguments.get(one.argument), str)]
        if not params:
            return None
        param = self._random.choice(params)
        key = instance.arguments[param.argument]
        entity = next(one for one in param.type.entities if key in instance.state.tables[one])
        state = instance.state.fork()
        made = self.clone(state, Ref(entity, key), {})
        return (state, {**instance.arguments, param.argument: made.key}) if made is not None else None

    def _advanced(self, instance: Instance, tool: Tool, now: dt.datetime, cells: list[Cell]) -> Child | None:
        """The state after a call of some writing tool, with rows that it made as arguments: what tools do keeps all invariants."""
        if not self._writing:
            return None
        other, aim = self._random.choice(self._writing), list[Ref]()
        if self._writers and cells and self._random.random() < 0.7:
            entity, key, name = self._random.choice(cells)
            other, aim = self._random.choice(self._writers.get((entity, name), [other])), [Ref(entity, key)]
        near = aim or [Ref(entity, key) for entity, key in self._rows_sent(instance, tool)]
        predicted = self._reference.predict(instance.state, other.name, self._calls.valid(instance.state, other, now, near), now)
        for _ in range(self._draws if aim else 0):
            if predicted.kind == "ok":
                break
            predicted = self._reference.predict(instance.state, other.name, self._calls.valid(instance.state, other, now, near), now)
        if predicted.kind != "ok":
            return None
        made = [Ref(one.table, one.key) for one in predicted.writes if one.op == "insert"]
        arguments = dict(instance.arguments)
        for param in tool.params:
            of = param.type.item or param.type
            fresh = [ref.key for ref in made if ref.entity in of.entities]
            if fresh and self._random.random() < 0.7:
                arguments[param.argument] = (
                    fresh[-1] if param.type.kind == "row" else list(dict.fromkeys([*(arguments.get(param.argument) or []), *fresh]))
                )
        return predicted.state, arguments

    def _rows_sent(self, instance: Instance, tool: Tool) -> Iterator[tuple[str, str]]:
        """Rows that the arguments name."""
        for param in tool.params:
            of, value = param.type.item or param.type, instance.arguments.get(param.argument)
            for key in (value if isinstance(value, list) else [value]) if of.kind == "row" else ():
                yield from ((entity, str(key)) for entity in of.entities if key in instance.state.tables[entity])

    def clone(self, state: State, ref: Ref, values: dict[str, Any]) -> Ref | None:
        """A copy of a row with other values in its unique fields."""
        entity = self._reference.tables.entities[ref.entity]
        single = {field.name for field in entity.fields if field.unique} | {name for group in entity.unique for name in group}
        fresh: dict[str, Any] = {
            field.name: f"{self._random.choice(WORDS)} {self._random.randint(1, 9999)}"[: field.length]
            for field in entity.fields
            if field.name in single and field.type.kind == "text" and field.role == "value"
        }
        for name in entity.key:
            field = entity.field(name)
            if field.role == "reference" and self._random.random() < 0.6:
                target = field.type.entities[0]
                fresh[name] = Ref(target, self._random.choice(state.keys(target)))
        if entity.id_kind == "given":
            fresh["id"] = f"new-{self._random.randint(1, 9999)}"
        try:
            return self._writes.copy(Run(state, self._reference.now, self._reference.actor(state)), ref, {**fresh, **values})
        except (ToolRefusal, Fault):
            return None

    def _directed(self, instance: Instance, tool: Tool, params: list[Param], cells: list[Cell], steps: list[Fraction]) -> Child | None:
        """One number or moment moved by one of the differences that may matter, or by a few times it: what is compared may be a share of it."""
        step = self._random.choice(steps) * self._random.choice((1, 1, -1)) * (self._random.randint(2, 6) if self._random.random() < MANIFOLD else 1)
        scalar = [one for one in params if one.type.kind in SCALARS and one.argument in instance.arguments]
        scalars = self._scalars
        fields = [(entity, key, scalars[entity][name]) for entity, key, name in cells if name in scalars[entity]]
        if not scalar and not fields:
            return None
        try:
            if scalar and (not fields or self._random.random() < 0.5):
                param = self._random.choice(scalar)
                sent = self._reference.program(tool.name).parse(instance.arguments)[param.name]
                moved = scalar_json(param.type)(shifted(param.type.kind, sent, self._fitting(param.type.kind, step)))
                return instance.state, {**instance.arguments, param.argument: moved}
            entity, key, field = self._random.choice(fields)
            ref = Ref(entity, key)
            held = self._reference.expressions.fields.field(ref.entity, field.name)(Run(instance.state, self._reference.now), ref)
            return self._written(instance, ref, field, shifted(field.type.kind, held, self._fitting(field.type.kind, step)))
        except (Invalid, Fault, TypeError, OverflowError, ValueError):
            return None

    def _fitting(self, kind: str, step: Fraction) -> Fraction:
        """A difference between numbers as one between moments, or the other way round: a count of days may come from dates."""
        scale = self._random.choice((1, 60, 3600, 86400))
        if kind in ("date", "datetime", "time", "duration"):
            return step * scale if abs(step) < 1000 else step
        return step / scale if abs(step) >= 60 else step

    def _written(self, instance: Instance, ref: Ref, field: Field, value: Any) -> Child | None:
        entity = self._reference.tables.entities[ref.entity]
        if not changeable(entity, field) or field.closed:
            return None
        state = instance.state.fork()
        state.update(ref.entity, ref.key, self._writes.stored(entity, field, value))
        return self._sound(state, ref, instance)

    def _focus(self, instance: Instance, goal: Goal) -> list[Cell]:
        """Fields that were read, mostly those that the goal depends on."""
        marks: tuple[int | str, ...] = (goal.mark, *goal.marks, *goal.rules, *goal.names)
        focus = instance.trace.focus
        near = [cell for mark in marks if mark in focus for cell in focus[mark]]
        return near if near and self._random.random() < 0.75 else list(instance.trace.cells)

    def _sets(self, instance: Instance, goal: Goal) -> list[Cell]:
        """Reverse sets that were read, mostly those that the goal depends on."""
        if self._random.random() < 0.75:
            marks: tuple[int | str, ...] = (goal.mark, *goal.marks, *goal.rules, *goal.names)
            near = list(dict.fromkeys(cell for mark in marks for cell in instance.trace.sets_for(mark)))
            if near:
                return near
        return list(instance.trace.sets)

    def _argument(self, instance: Instance, tool: Tool, param: Param, now: dt.datetime, steps: list[Fraction]) -> Child | None:
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
        if len(tool.params) > 1 and self._random.random() < 0.25:
            other = self._random.choice(tool.params).argument
            if other in fresh and other != param.argument:
                arguments[other] = fresh[other]
        return instance.state, arguments

    def _from_values(self, tool: Tool, param: Param, instance: Instance, steps: list[Fraction]) -> Any:
        """A value for a parameter near its own, or one of those that the call read."""
        of = param.type
        if of.kind == "row" or (of.item is not None and of.item.kind == "row"):
            return self._rows_read(of, instance, instance.arguments.get(param.argument))
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

    def _made_same(self, instance: Instance, tool: Tool) -> Child | None:
        """The row that one argument names as another argument too."""
        rows = [one for one in tool.params if one.type.kind == "row" and isinstance(instance.arguments.get(one.argument), str)]
        pairs = [(one.argument, other.argument) for one in rows for other in rows if one is not other and one.type.entities == other.type.entities]
        if not pairs:
            return None
        one, other = self._random.choice(pairs)
        return instance.state, {**instance.arguments, one: instance.arguments[other]}

    def _rows_read(self, of: Type, instance: Instance, sent: Any) -> Any:
        """A row for a parameter among those that the call read; for a list, the one sent with one more or less."""
        entities = of.item.entities if of.item is not None else of.entities
        seen = list(dict.fromkeys(key for entity, key, _ in instance.trace.cells if entity in entities))
        if of.kind == "row":
            return self._random.choice(seen) if seen else None
        held = list(sent) if isinstance(sent, list) else []
        if held and self._random.random() < 0.3:
            held.remove(self._random.choice(held))
            return held
        every = instance.state.keys(self._random.choice(entities))
        pool = seen if seen and self._random.random() < 0.3 else every
        return list(dict.fromkeys([*held, self._random.choice(pool)])) if pool else None

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
        own = LEAST.get(kind, ())
        if not steps or self._random.random() < 0.25:
            step = self._random.choice(own) if own and self._random.random() < 0.5 else Fraction(0)
        else:
            step = self._fitting(kind, self._random.choice(steps) * self._random.choice((1, 1, -1)))
        try:
            return shifted(kind, value, step)
        except (OverflowError, ValueError):
            return None

    def _cell(self, instance: Instance, ref: Ref, field: Field, steps: list[Fraction]) -> Child | None:
        entity = self._reference.tables.entities[ref.entity]
        row = instance.state.row(ref.entity, ref.key)
        if row is not None and field.role == "links":
            return self._linked(instance, ref, field)
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
                held = self._words_read(instance, ref, field)
                return self._random.choice(held if held and self._random.random() < 0.3 else self._words(of.name))
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
            case "struct":
                return self._struct(of.name)
            case "text":
                return f"{self._random.choice(WORDS)} {self._random.randint(1, 9999)}"
            case _:
                return None

    def _words_read(self, instance: Instance, ref: Ref, field: Field) -> list[str]:
        """The words that other rows of the table have in the same field, where the call read them."""
        column, rows = field.columns[0].name, instance.state.tables[ref.entity]
        read = [key for entity, key, name in instance.trace.cells if entity == ref.entity and name == field.name and key != ref.key and key in rows]
        return [str(word) for word in (rows[key][column] for key in read) if word is not None]

    def _linked(self, instance: Instance, ref: Ref, field: Field) -> Child | None:
        """One row more or less in a set of links, mostly one that the call is about."""
        link, state = self._reference.tables.links[ref.entity, field.name], instance.state.fork()
        held = [str(state.tables[link.table][key][link.target]) for key in state.where(link.table, link.own, ref.key)]
        sent = [str(one) for one in instance.arguments.values() if isinstance(one, str) and one in state.tables[link.entity]]
        every = sent if sent and self._random.random() < 0.6 else state.keys(link.entity)
        pool = held if held and self._random.random() < 0.3 else every
        if not pool:
            return None
        target = Ref(link.entity, self._random.choice(pool))
        run = Run(state, self._reference.now, self._reference.actor(state))
        change = self._writes.unlink if target.key in held else self._writes.link
        change(run, ref, field, target)
        return state, instance.arguments

    def _struct(self, name: str) -> dict[str, Any]:
        """Some value of a struct, in computed form."""
        struct = next(one for one in self._reference.domain.structs if one.name == name)
        now = self._reference.now
        plain: dict[str, Any] = {"text": "Elm Street 5", "integer": 1, "bool": True, "date": now.date(), "datetime": now, "time": now.time()}
        plain |= {"duration": dt.timedelta(minutes=30)}
        return {
            key: None if of.optional else self._words(of.name)[0] if of.kind == "enum" else plain.get(of.kind, Fraction(1))
            for key, of in struct.fields
        }

    def _without(self, instance: Instance, ref: Ref) -> Child | None:
        """The state without a row, if nothing refers to it."""
        state = instance.state.fork()
        try:
            self._writes.delete(Run(state, self._reference.now, self._reference.actor(state)), ref)
        except (ToolRefusal, Fault):
            return None
        return state, instance.arguments

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
        column, state = field.columns[0].name, instance.state.fork()
        inside = instance.state.where(owner.name, column, key)
        keys = instance.state.keys(owner.name)
        parent = next((one for one in field.type.entities if key in state.tables[one]), None)
        if field.role != "reference" or not keys or parent is None:
            return None
        if inside and self._random.random() < 0.2:
            return self._without(instance, Ref(owner.name, self._random.choice(inside)))
        if self._random.random() < 0.5 or not changeable(owner, field):
            made = self.clone(state, Ref(owner.name, self._random.choice(inside or keys)), {field.name: Ref(parent, key)})
            return (state, instance.arguments) if made is not None else None
        row = self._random.choice(keys)
        if inside and self._random.random() < 0.5:
            other, row = self._other_row(instance, field), self._random.choice(inside)
            if other is None:
                return None
            state.update(owner.name, row, {column: other.key})
        else:
            state.update(owner.name, row, {column: key})
        return self._sound(state, Ref(owner.name, row), instance)


def changeable(entity: Entity, field: Field) -> bool:
    """Whether a field may be changed on its own without breaking ids, trees or orders."""
    if field.role not in ("value", "reference") or not field.columns:
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
