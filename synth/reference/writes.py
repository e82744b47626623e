"""Creating, changing, deleting, copying rows, with the refusals that the declarations of fields imply."""

import operator
from collections.abc import Mapping
from typing import Any

from registry.package import refusals
from registry.package.change import Stored
from registry.package.compound import joined
from registry.package.errors import ToolRefusal
from synth.lang.domain import Entity, Field
from synth.reference.evaluate import Expressions
from synth.reference.identity import counted_id, joined_id
from synth.reference.positions import Positions
from synth.reference.run import Code, Run
from synth.reference.state import Ref, Row
from synth.reference.tables import Referrer
from synth.reference.values import encoder


class Writes:
    """Writes rows of one domain; every method may raise ToolRefusal before it has changed anything."""

    def __init__(self, expressions: Expressions) -> None:
        self._expressions = expressions
        self._tables = expressions.tables
        self._codes: dict[int, Code] = {}
        self._positions = Positions(self._tables)
        self._encoders = {
            (entity, column.name): encoder(column.type)
            for entity in self._tables.entities
            for column in self._tables.columns[entity]
            if not column.references
        }

    def create(self, run: Run, entity: Entity, values: Mapping[str, Any]) -> Ref:
        """A new row; `values` by field, in computed form, holds `id` for an entity whose ids are given."""
        row: Row = {"id": "", **{column.name: None for column in self._tables.columns[entity.name]}}
        for field in entity.fields:
            if field.name in values:
                row.update(self.stored(entity, field, values[field.name]))
        row["id"] = self._new_id(run, entity, values, row)
        for field in entity.fields:
            if field.name not in values and field.columns:
                row.update(self._default(run, entity, field, row))
        self._insert(run, entity, row)
        ref = Ref(entity.name, str(row["id"]))
        for field in entity.fields:
            if field.role == "links" and values.get(field.name):
                self.link(run, ref, field, values[field.name])
        return ref

    def _insert(self, run: Run, entity: Entity, row: Row) -> None:
        if str(row["id"]) in run.state.tables[entity.name]:
            raise refusals.duplicate(entity.name, entity.key or ("id",), (str(row["id"]),))
        self._check(run, entity, "", row, [one for one in entity.fields if one.columns], None)
        self._unique_groups(run, entity, "", row, None)
        self._positions.insert(run, entity, row)

    def _default(self, run: Run, entity: Entity, field: Field, row: Row) -> dict[str, Stored]:
        """The columns of a field that a new row was given no value for."""
        node = field.start or field.computed
        if node is not None:
            return self.stored(entity, field, self._value(run, node, entity, row))
        if field.lifecycle is not None:
            return {field.columns[0].name: field.lifecycle.states[0]}
        empty: dict[str, Stored] = {"bool": 0, "list": "[]", "map": "{}"}
        return {one.name: None if field.type.optional else empty.get(field.type.kind) for one in field.columns}

    def _value(self, run: Run, node: Any, entity: Entity, row: Row) -> Any:
        """An expression over a row that is not in the state yet (or not in this form)."""
        code = self._codes.get(id(node))
        if code is None:
            code = self._codes[id(node)] = self._expressions.code(node)
        ref = Ref(entity.name, str(row["id"]))
        run.drafts[ref] = row
        try:
            return code(run, {"row": ref})
        finally:
            del run.drafts[ref]

    def _new_id(self, run: Run, entity: Entity, values: Mapping[str, Any], row: Row) -> str:
        match entity.id_kind:
            case "given":
                return str(values["id"])
            case "single":
                return entity.name.lower()
            case "key":
                return joined_id(entity, row, {name: self._column(entity, name) for name in entity.key})
            case "counter":
                return counted_id(run.state, entity, str(row[self._column(entity, entity.id_per)]) if entity.id_per else "")

    def _column(self, entity: Entity, field: str) -> str:
        return self._tables.fields[entity.name][field].columns[0].name

    def stored(self, entity: Entity, field: Field, value: Any) -> dict[str, Stored]:
        """The columns of a field for a computed value."""
        if field.role == "reference":
            return {field.columns[0].name: None if value is None else value.key}
        if field.type.kind == "struct":
            skip = len(field.name) + 1
            return {one.name: None if value is None else self._encoders[entity.name, one.name](value.get(one.name[skip:])) for one in field.columns}
        return {one.name: self._encoders[entity.name, one.name](value) for one in field.columns}

    def update(self, run: Run, ref: Ref, values: Mapping[str, Any]) -> None:
        """Writes fields of a row; links fields are replaced."""
        entity = self._tables.entities[ref.entity]
        fields = [self._tables.fields[ref.entity][name] for name in values]
        stored: dict[str, Stored] = {}
        for field in fields:
            if field.role != "links":
                stored.update(self.stored(entity, field, values[field.name]))
        self.write(run, ref, [one for one in fields if one.role != "links"], stored)
        for field in fields:
            if field.role == "links":
                self.relink(run, ref, field, values[field.name])

    def write(self, run: Run, ref: Ref, fields: list[Field], stored: dict[str, Stored]) -> None:
        """Writes columns of fields of a row, in stored form."""
        if not fields:
            return
        entity, before = self._tables.entities[ref.entity], run.row(ref)
        after = {**before, **stored}
        self._check(run, entity, ref.key, after, fields, before)
        self._unique_groups(run, entity, ref.key, after, {one.name for one in fields})
        self._positions.update(run, entity, ref.key, stored)

    def _check(self, run: Run, entity: Entity, key: str, row: Row, fields: list[Field], before: Row | None) -> None:
        """Lifecycle, uniqueness, limits and trees of these fields, for the row as it would become."""
        for field in fields:
            column = field.columns[0].name
            if field.lifecycle is not None and before is not None and (before[column], row[column]) not in field.lifecycle.moves:
                raise refusals.wrong_state(entity.name, field.name, str(before[column]), str(row[column]), key)
            if field.unique:
                self._unique(run, entity, key, row, (field.name,))
            self._limits(run, entity, key, row, field)
            if field.tree and key and row[column] is not None:
                self._acyclic(run, entity, field, key, str(row[column]))

    def sound(self, run: Run, ref: Ref) -> bool:
        """Whether a row that is there keeps the limits and the uniqueness that its fields declare."""
        entity, row = self._tables.entities[ref.entity], run.row(ref)
        try:
            for field in entity.fields:
                if field.unique:
                    self._unique(run, entity, ref.key, row, (field.name,))
                if field.columns:
                    self._limits(run, entity, ref.key, row, field)
            self._unique_groups(run, entity, ref.key, row, None)
        except ToolRefusal:
            return False
        return True

    def rooted(self, run: Run, ref: Ref) -> bool:
        """Whether a row that is there is not above itself in a tree."""
        fields, row = self._tables.entities[ref.entity].fields, run.row(ref)
        parents = [row[field.columns[0].name] for field in fields if field.tree]
        return all(parent is None or ref.key not in self._above(run, Ref(ref.entity, str(parent))) for parent in parents)

    def _limits(self, run: Run, entity: Entity, key: str, row: Row, field: Field) -> None:
        column = field.columns[0]
        if row[column.name] is None or field.role == "reference" or field.type.kind == "struct":
            return
        if field.type.kind != "text" and not field.closed and field.low is None and field.high is None:
            return
        value, cited = self._tables.decoders(entity.name, column)(row[column.name]), (key,) if key else ()
        if field.type.kind == "text" and len(value) > field.length:
            raise refusals.too_long(entity.name, field.name, field.length, cited)
        if field.closed and not self._closed(field, value):
            raise refusals.not_allowed(entity.name, field.name, [str(one) for one in field.closed], cited)
        for node, outside, refuse in ((field.low, operator.lt, refusals.below), (field.high, operator.gt, refusals.above)):
            bound = self._value(run, node, entity, row) if node is not None else None
            if bound is not None and outside(value, bound):
                shown = self._expressions.shown(field.type.required())(run, bound)
                raise refuse(entity.name, field.name, shown, cited)

    @staticmethod
    def _closed(field: Field, value: Any) -> bool:
        return all(one in field.closed for one in value) if field.type.kind == "list" else value in field.closed

    def _acyclic(self, run: Run, entity: Entity, field: Field, key: str, parent: str) -> None:
        if key in self._above(run, Ref(entity.name, parent)):
            raise refusals.cycle(entity.name, field.name, key)

    def _unique_groups(self, run: Run, entity: Entity, key: str, row: Row, changed: set[str] | None) -> None:
        for group in entity.unique:
            if changed is None or changed.intersection(group):
                self._unique(run, entity, key, row, group)

    def _unique(self, run: Run, entity: Entity, key: str, row: Row, group: tuple[str, ...]) -> None:
        columns = [column.name for name in group for column in self._tables.fields[entity.name][name].columns]
        others = self._same(run, entity, key, row, columns)
        if others:
            raise refusals.duplicate(entity.name, group, others)

    @staticmethod
    def _same(run: Run, entity: Entity, key: str, row: Row, columns: list[str]) -> list[str]:
        """Other rows with the same values in these columns."""
        if any(row[one] is None for one in columns):
            return []
        held = run.state.tables[entity.name]
        alike = run.state.where(entity.name, columns[0], row[columns[0]])
        return [other for other in alike if other != key and all(held[other][one] == row[one] for one in columns)]

    def link(self, run: Run, ref: Ref, field: Field, rows: Any) -> None:
        """Adds a row, or rows, to a links field."""
        link = self._tables.links[ref.entity, field.name]
        for target in rows if isinstance(rows, list) else [rows]:
            key = joined((ref.key, target.key))
            if key not in run.state.tables[link.table]:
                run.state.insert(link.table, {"id": key, link.own: ref.key, link.target: target.key})

    def unlink(self, run: Run, ref: Ref, field: Field, rows: Any) -> None:
        """Takes a row, or rows, out of a links field."""
        link = self._tables.links[ref.entity, field.name]
        for target in rows if isinstance(rows, list) else [rows]:
            key = joined((ref.key, target.key))
            if key in run.state.tables[link.table]:
                run.state.delete(link.table, key)

    def relink(self, run: Run, ref: Ref, field: Field, rows: Any) -> None:
        """Makes these rows the ones of a links field."""
        wanted = {one.key for one in rows or ()}
        link = self._tables.links[ref.entity, field.name]
        for key in run.state.where(link.table, link.own, ref.key):
            if run.state.tables[link.table][key][link.target] not in wanted:
                run.state.delete(link.table, key)
        self.link(run, ref, field, list(rows or ()))

    def delete(self, run: Run, ref: Ref) -> None:
        """Removes a row with its parts, or archives it."""
        run.row(ref)
        entity = self._tables.entities[ref.entity]
        if entity.archive:
            run.state.update(ref.entity, ref.key, {"archived": 1})
            return
        doomed = self._whole(run, ref)
        for one in doomed:
            self._unused(run, one, set(doomed))
        self._positions.close(run, entity, ref.key)
        for one in reversed(doomed):
            self._remove(run, one)

    def _whole(self, run: Run, ref: Ref) -> list[Ref]:
        """A row and its parts, each before its own parts."""
        found = [ref]
        for one in found:
            for part in self._tables.parts(one.entity):
                run.step()
                found.extend(Ref(part.table, key) for key in run.state.where(part.table, part.column, one.key))
        return found

    def _unused(self, run: Run, ref: Ref, gone: set[Ref]) -> None:
        """Refuses if another row refers to this one, by the first reference that any does."""
        for referrer in sorted(self._tables.referrers[ref.entity], key=lambda one: one.links):
            rows = [self._referring(run, referrer, key) for key in run.state.where(referrer.table, referrer.column, ref.key)]
            outside = sorted({one.key for one in rows if one not in gone})
            if outside:
                raise refusals.in_use(ref.entity, referrer.owner, outside)

    def _referring(self, run: Run, referrer: Referrer, key: str) -> Ref:
        """The row that refers; for a link, the one whose field it is."""
        if not referrer.links:
            return Ref(referrer.table, key)
        own = self._tables.links[referrer.owner, referrer.field].own
        return Ref(referrer.owner, str(run.state.tables[referrer.table][key][own]))

    def _remove(self, run: Run, ref: Ref) -> None:
        for referrer in self._tables.referrers[ref.entity]:
            if referrer.links:
                for key in run.state.where(referrer.table, referrer.column, ref.key):
                    run.state.delete(referrer.table, key)
        run.state.delete(ref.entity, ref.key)

    def copy(self, run: Run, ref: Ref, values: Mapping[str, Any]) -> Ref:
        """A new row like this one, with copies of its parts and links."""
        entity, row = self._tables.entities[ref.entity], dict(run.row(ref))
        if entity.archive:
            row["archived"] = 0
        self._positions.forget(entity, row)
        for name, value in values.items():
            if name != "id":
                row.update(self.stored(entity, self._tables.fields[ref.entity][name], value))
        row["id"] = self._new_id(run, entity, values, row)
        self._insert(run, entity, row)
        made = Ref(entity.name, str(row["id"]))
        for field in entity.fields:
            if field.role == "links":
                held = self._expressions.fields.field(entity.name, field.name)(run, ref)
                self.link(run, made, field, values.get(field.name, held))
        for part in self._tables.parts(ref.entity):
            for key in run.state.where(part.table, part.column, ref.key):
                run.step()
                if not run.state.tables[part.table][key].get("archived"):
                    self.copy(run, Ref(part.table, key), {part.field: made})
        return made

    def _above(self, run: Run, parent: Ref) -> list[str]:
        """Ids of the rows above a row that lies in this one."""
        return [parent.key, *(one.key for one in self._expressions.fields.ancestors(run, parent))]
