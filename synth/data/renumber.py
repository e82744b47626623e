"""Final ids: in the order in which rows came into being, and telling nothing else."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from registry.package.change import Stored
from registry.package.compound import joined
from registry.package.pack import WorldRow
from synth.data.stream import Stream
from synth.lang.domain import Column, Domain, Entity
from synth.reference.identity import formatted_id, joined_id
from synth.reference.positions import COLUMN
from synth.reference.state import Held, Row
from synth.reference.tables import Tables

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

DRAWS = 8
"""So many other orders are drawn at most where one does not fit."""

NewIds = Mapping[str, Mapping[str, str]]
"""New ids by entity and old id."""


class Renumbered:
    """Rows with new ids where a counter makes them.

    Rows are counted in the order of their stamp of creation where the table has one, else in that of the rows they belong to, else in
    random order, so that neither ids nor places tell how a row was made. The acting user stays the first of its table.

    Args:
        tables: The rows of every table by their old ids; `rows` takes them out.

    Attributes:
        ids: By entity, the new id of each old one.
    """

    def __init__(self, domain: Domain, tables: Mapping[str, Held], stream: Stream) -> None:
        self.ids: dict[str, dict[str, str]] = {}
        self._tables = Tables(domain)
        self._held = tables
        self._stream = stream
        self._positions: dict[str, dict[str, int]] = {}
        for entity in domain.entities:
            self._new_ids(entity, self.ids.setdefault(entity.name, {}), acting=entity.name == domain.actor)

    def rows(self) -> Iterator[WorldRow]:
        """All rows with their new ids, one by one, ordered by table and id; can be asked for once."""
        for table in self._tables.names:
            held, columns = self._held[table], {column.name: column for column in self._tables.columns[table]}
            new = self.ids[table] if table in self.ids else {key: self._joined(row, columns) for key, row in held.items()}
            positions = self._positions.get(table)
            for old in sorted(held, key=new.__getitem__):
                row = {name: self._reference(columns[name], value) if name != "id" else new[old] for name, value in held.pop(old).items()}
                if positions is not None:
                    row[COLUMN] = positions[old]
                yield table, row

    def _joined(self, row: Row, columns: Mapping[str, Column]) -> str:
        return joined(self._reference(column, row[name]) for name, column in columns.items())

    def _reference(self, column: Column, value: Stored) -> Stored:
        for target in column.references:
            new = self.ids[target].get(str(value)) if target in self.ids else None
            if new is not None:
                return new
        return value

    def _new_ids(self, entity: Entity, ids: dict[str, str], *, acting: bool) -> None:
        held = self._held[entity.name]
        if entity.id_kind == "counter":
            self._counted(entity, held, ids, acting=acting)
        elif entity.id_kind == "key":
            columns = {column.name: column for column in self._tables.columns[entity.name]}
            names = {name: entity.field(name).columns[0].name for name in entity.key}
            for key, row in held.items():
                ids[key] = joined_id(entity, {name: self._reference(columns[name], row[name]) for name in names.values()}, names)
        else:
            ids.update((key, key) for key in held)

    def _counted(self, entity: Entity, held: Held, ids: dict[str, str], *, acting: bool) -> None:
        order = self._order(entity, held, acting=acting)
        parent = entity.field(entity.id_per).columns[0] if entity.id_per else None
        numbers: dict[str, int] = {}
        for key in order:
            scope = "" if parent is None else str(self._reference(parent, held[key][parent.name]))
            numbers[scope] = numbers.get(scope, 0) + 1
            ids[key] = formatted_id(entity, numbers[scope], scope)

    def _order(self, entity: Entity, held: Held, *, acting: bool) -> list[str]:
        """The old ids in the order in which they are counted."""
        stamp = _stamp(entity, held)
        order = self._stream.shuffled(sorted(held))
        place = next((field.columns[0].name for field in entity.fields if field.position), "")
        if place:
            self._positions[entity.name] = _dense(order, held, place)
        if stamp:
            order.sort(key=lambda key: str(held[key][stamp]))
        else:
            self._by_reference(entity, order, held)
        if acting and order:
            first = min(held)
            order.sort(key=lambda key: key != first)
        return order

    def _by_reference(self, entity: Entity, order: list[str], held: Held) -> None:
        """Rows that belong to others come in the order of those."""
        first = next((field.columns[0] for field in entity.fields if field.role == "reference" and field.each is not None), None)
        if first is not None and all(row[first.name] is not None for row in held.values()):
            order.sort(key=lambda key: str(self._reference(first, held[key][first.name])))


def renumber(
    domain: Domain, rows: Iterable[WorldRow], stream: Stream, unfit: Callable[[NewIds], int] = lambda ids: 0
) -> tuple[tuple[WorldRow, ...], dict[tuple[str, str], str]]:
    """The same rows with new ids, ordered by table and id, and the new id of each (table, old id) of an entity; see `Renumbered`.

    Args:
        unfit: How much new ids are at odds with what they are for, by entity and old id; others are drawn until it is little.
    """
    held: dict[str, Held] = {name: {} for name in Tables(domain).names}
    for table, row in rows:
        held[table][str(row["id"])] = row
    made = Renumbered(domain, held, stream)
    least = unfit(made.ids)
    for _ in range(DRAWS):
        if not least:
            break
        other = Renumbered(domain, held, stream)
        if (there := unfit(other.ids)) < least:
            made, least = other, there
    return tuple(made.rows()), {(table, old): new for table, ids in made.ids.items() for old, new in ids.items()}


def _dense(order: list[str], held: Held, parent: str) -> dict[str, int]:
    """Puts rows in the order of their positions, and gives those that they have from now on: 1, 2, 3, … within each parent."""
    order.sort(key=lambda key: int(held[key][COLUMN] or 0))
    counted: dict[Stored, int] = {}
    positions = {}
    for key in order:
        group = held[key][parent]
        positions[key] = counted[group] = counted.get(group, 0) + 1
    return positions


def _stamp(entity: Entity, held: Held) -> str:
    """The column that says when each row came into being, or empty."""
    for field in entity.fields:
        if field.type.kind in ("date", "datetime") and field.name.startswith(STAMPS) and field.columns:
            name = field.columns[0].name
            if all(row[name] is not None for row in held.values()):
                return name
    return ""
