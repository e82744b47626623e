"""Results of tools as JSON."""

from collections.abc import Callable
from operator import itemgetter
from typing import Any

from synth.lang.domain import Entity, Field
from synth.lang.types import Type
from synth.reference.evaluate import Expressions
from synth.reference.run import Run
from synth.reference.state import Ref, Row
from synth.reference.values import scalar_json, stored_json

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
            return value if not (of.fields and of.fields[0][0] == "0") else lambda run, found: {"items": value(run, found)}
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
        if entries and entries[0][0] == "0":
            return lambda run, found: [value(run, one) for (_, value), one in zip(entries, found, strict=True)]
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
        stored = [self._stored(entity, one) for one in entity.fields if one.role in ("value", "reference")]
        read = [self._entry(entity, one) for role in ("links", "always") for one in entity.fields if one.role == role]

        def dump(run: Run, ref: Ref) -> dict[str, Any]:
            row, found = run.row(ref), {"id": ref.key}
            for name, convert in stored:
                found[name] = convert(row)
            for name, value in read:
                found[name] = value(run, ref)
            return found

        return dump

    def _stored(self, entity: Entity, field: Field) -> tuple[str, Callable[[Row], Any]]:
        """Name and JSON of a stored field."""
        column = field.columns[0]
        if field.type.kind == "struct":
            parts = [(one.name[len(field.name) + 1 :], one.name, stored_json(one.type)) for one in field.columns]
            optional = field.type.optional

            def struct(row: Row) -> Any:
                if optional and all(row[name] is None for _, name, _ in parts):
                    return None
                return {key: convert(row[name]) for key, name, convert in parts}

            return field.name, struct
        if field.role == "reference" or column.type.kind in ("text", "enum", "integer", "date", "time", "datetime", "duration"):
            return column.name, itemgetter(column.name)
        convert = stored_json(column.type)
        return column.name, lambda row: convert(row[column.name])

    def _entry(self, entity: Entity, field: Field) -> tuple[str, Dump]:
        """Name and JSON of a set of links or a computed field."""
        read = self._expressions.fields.field(entity.name, field.name)
        if field.role == "links":
            return f"{field.name}_ids", lambda run, ref: [one.key for one in read(run, ref)]
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
