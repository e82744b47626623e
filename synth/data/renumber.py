"""Final ids: in the order in which rows came into being, and telling nothing else."""

import json
from collections.abc import Iterable, Mapping

from registry.package.change import Stored
from registry.package.compound import joined
from registry.package.pack import WorldRow
from synth.data.stream import Stream
from synth.lang.domain import Column, Domain, Entity
from synth.reference.identity import formatted_id, joined_id
from synth.reference.tables import Tables

Row = dict[str, Stored]

STAMPS = (
    "charged",
    "created",
    "ordered",
    "placed",
    "opened",
    "registered",
    "booked",
    "issued",
    "joined",
    "requested",
    "received",
    "reported",
    "submitted",
    "logged",
    "charge_date",
    "dispatch_date",
    "issue_date",
    "order_date",
    "report_date",
    "request_date",
)
"""What the name of a column starts with that says when a row came into being."""


def renumber(domain: Domain, rows: Iterable[WorldRow], stream: Stream) -> tuple[tuple[WorldRow, ...], dict[tuple[str, str], str]]:
    """The same rows with new ids where a counter makes them, ordered by table and id.

    Rows are counted in the order of their stamp of creation where the table has one, else in that of the rows they belong to, else in
    random order, so that neither ids nor places tell how a row was made. The acting user stays the first of its table.

    Returns:
        The rows, and the new id of each (table, old id) of an entity.
    """
    tables = Tables(domain)
    held: dict[str, list[Row]] = {name: [] for name in tables.names}
    for table, row in rows:
        held[table].append(dict(row))
    ids: dict[tuple[str, str], str] = {}
    for entity in domain.entities:
        _new_ids(entity, tables, held[entity.name], ids, stream, acting=entity.name == domain.actor)
    done: list[WorldRow] = []
    for table in tables.names:
        columns = {column.name: column for column in tables.columns[table]}
        done.extend((table, row) for row in sorted((_moved(table, row, columns, ids) for row in held[table]), key=_id))
        held[table] = []
    return tuple(done), ids


def _id(row: Row) -> str:
    return str(row["id"])


def _new_ids(entity: Entity, tables: Tables, rows: list[Row], ids: dict[tuple[str, str], str], stream: Stream, *, acting: bool) -> None:
    if entity.id_kind == "counter":
        _counted(entity, rows, ids, stream, acting=acting)
        return
    columns = {column.name: column for column in tables.columns[entity.name]}
    for row in rows:
        old = _id(row)
        if entity.id_kind == "key":
            moved = {name: _reference(columns[name], row[name], ids) for name in row if name != "id"}
            ids[entity.name, old] = joined_id(entity, moved, {name: entity.field(name).columns[0].name for name in entity.key})
        else:
            ids[entity.name, old] = old


def _counted(entity: Entity, rows: list[Row], ids: dict[tuple[str, str], str], stream: Stream, *, acting: bool) -> None:
    stamp = _stamp(entity, rows)
    order = stream.shuffled(sorted(rows, key=_id))
    place = next((field.columns[0].name for field in entity.fields if field.position), "")
    if place:
        _dense(order, place)
    if stamp:
        order.sort(key=lambda row: str(row[stamp]))
    else:
        _by_reference(entity, order, ids)
    if acting and order:
        first = min(rows, key=_id)
        order.sort(key=lambda row: row is not first)
    parent = entity.field(entity.id_per) if entity.id_per else None
    numbers: dict[str, int] = {}
    for row in order:
        scope = ""
        if parent is not None:
            scope = str(_reference(parent.columns[0], row[parent.columns[0].name], ids))
        numbers[scope] = numbers.get(scope, 0) + 1
        ids[entity.name, _id(row)] = formatted_id(entity, numbers[scope], scope)


def _dense(order: list[Row], parent: str) -> None:
    """Puts rows in the order of their positions, which become 1, 2, 3, … within each parent."""
    order.sort(key=lambda row: int(row["position"] or 0))
    counted: dict[Stored, int] = {}
    for row in order:
        row["position"] = counted[row[parent]] = counted.get(row[parent], 0) + 1


def _by_reference(entity: Entity, order: list[Row], ids: Mapping[tuple[str, str], str]) -> None:
    """Rows that belong to others come in the order of those."""
    first = next((field.columns[0] for field in entity.fields if field.role == "reference" and field.each is not None), None)
    if first is not None and all(row[first.name] is not None for row in order):
        order.sort(key=lambda row: str(_reference(first, row[first.name], ids)))


def _stamp(entity: Entity, rows: list[Row]) -> str:
    """The column that says when each row came into being, or empty."""
    for field in entity.fields:
        if field.type.kind in ("date", "datetime") and field.name.startswith(STAMPS) and field.columns:
            name = field.columns[0].name
            if all(row[name] is not None for row in rows):
                return name
    return ""


def _reference(column: Column, value: Stored, ids: Mapping[tuple[str, str], str]) -> Stored:
    for target in column.references:
        new = ids.get((target, str(value)))
        if new is not None:
            return new
    return value


def _moved(table: str, row: Row, columns: Mapping[str, Column], ids: Mapping[tuple[str, str], str]) -> Row:
    moved = {name: _reference(columns[name], value, ids) if name != "id" else value for name, value in row.items()}
    if (table, _id(row)) in ids:
        moved["id"] = ids[table, _id(row)]
    else:
        moved["id"] = joined(moved[name] for name in columns)
    return moved


def line(row: WorldRow) -> str:
    """One line of a world's file."""
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n"
