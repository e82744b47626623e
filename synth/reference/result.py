"""Results of tools as JSON."""

from collections.abc import Callable
from typing import Any

from synth.lang.domain import Entity, Field
from synth.lang.types import Type
from synth.reference.evaluate import Expressions
from synth.reference.run import Run
from synth.reference.state import Ref
from synth.reference.values import scalar_json

Dump = Callable[[Run, Any], Any]


class Results:
    """Makes functions that turn computed values into JSON by their type."""

    def __init__(self, expressions: Expressions) -> None:
        self._expressions = expressions
        self._tables = expressions.tables
        self._rows: dict[str, Dump] = {}

    def whole(self, of: Type) -> Dump:
        """JSON of what a tool returns."""
        value = self.value(of)
        if of.kind == "list":
            return lambda run, found: {"items": value(run, found)}
        if of.kind in ("record", "struct", "map"):
            return value
        if of.kind == "row":
            return lambda run, found: {"result": None} if found is None else value(run, found)
        if of.kind == "none":
            return lambda run, found: {"ok": True}
        return lambda run, found: {"result": value(run, found)}

    def value(self, of: Type) -> Dump:
        """JSON of a value."""
        inner = self._value(of)
        return lambda run, found: None if found is None else inner(run, found)

    def _value(self, of: Type) -> Dump:
        match of.kind:
            case "row":
                return self.row
            case "list" if of.item is not None:
                item = self.value(of.item)
                return lambda run, found: [item(run, one) for one in found]
            case "map" if of.item is not None:
                value_of = self.value(of.item)
                return lambda run, found: {key: value_of(run, one) for key, one in found.items()}
            case "record":
                return self._record(of.fields)
            case "struct":
                return self._struct(of.name)
            case _:
                plain = scalar_json(of)
                return lambda run, found: plain(found)

    def _record(self, fields: tuple[tuple[str, Type], ...]) -> Dump:
        entries = [(name, self.value(of)) for name, of in fields]
        return lambda run, found: {name: value(run, found[name]) for name, value in entries}

    def _struct(self, name: str) -> Dump:
        struct = next(one for one in self._expressions.domain.structs if one.name == name)
        return self._record(struct.fields)

    def row(self, run: Run, ref: Ref) -> Any:
        """A row as an object."""
        dump = self._rows.get(ref.entity)
        if dump is None:
            dump = self._rows[ref.entity] = self._row(self._tables.entities[ref.entity])
        return dump(run, ref)

    def _row(self, entity: Entity) -> Dump:
        entries = [
            *(self._entry(entity, one) for one in entity.fields if one.role in ("value", "reference")),
            *(self._entry(entity, one) for one in entity.fields if one.role == "links"),
            *(self._entry(entity, one) for one in entity.fields if one.role == "always"),
        ]

        def dump(run: Run, ref: Ref) -> dict[str, Any]:
            found: dict[str, Any] = {"id": ref.key}
            for name, read in entries:
                found[name] = read(run, ref)
            return found

        return dump

    def _entry(self, entity: Entity, field: Field) -> tuple[str, Dump]:
        if field.role == "reference":
            column = field.columns[0].name
            return column, lambda run, ref: run.row(ref)[column]
        read = self._expressions.fields.field(entity.name, field.name)
        if field.role == "links":
            return f"{field.name}_ids", lambda run, ref: [one.key for one in read(run, ref)]
        if field.type.kind == "row":
            return f"{field.name}_id", lambda run, ref: getattr(read(run, ref), "key", None)
        value = self.value(field.type)
        return field.name, lambda run, ref: value(run, read(run, ref))

    def with_parts(self, run: Run, ref: Ref) -> Any:
        """A row as an object that holds its parts under the names of the reverse sets."""
        found = self.row(run, ref)
        for part in self._tables.parts(ref.entity):
            many = self._tables.fields[part.owner][part.field].many
            if many:
                rows = self._expressions.fields.many(ref.entity, many)(run, ref)
                found[many] = [self.row(run, one) for one in rows]
        return found
