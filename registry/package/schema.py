"""The row classes of one package put together: tables, columns, references among them."""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from registry.package.change import Stored
from registry.package.columns import Always, Column, Links, Many, Reference
from registry.package.context import Places, Value
from registry.package.ordering import Order, OrderKey
from registry.package.row import About, Row, Struct

Child = tuple["Table", Column[Any]]


@dataclass(frozen=True, slots=True)
class Lookup:
    """How rows are looked up by the values of some fields, those that are not archived unless that is asked for.

    Attributes:
        places: The columns that are compared.
        columns: Those of the fields, in the order of their names.
        fresh: Whether the last place is that of `archived`, which has to be false.
    """

    places: Places
    columns: tuple[Column[Any], ...]
    fresh: bool

    def values(self, equal: Mapping[str, Any]) -> list[Value]:
        """What a row has at the places if it fulfils the condition; several for fields that may have one of several values."""
        wanted: list[Collection[Stored]] = [
            dict.fromkeys([_stored(column, one) for one in value])
            if value.__class__ is tuple
            else (None if value is None else column.searched(value),)
            for column, value in zip(self.columns, equal.values(), strict=True)
        ]
        if self.fresh:
            wanted.append((0,))
        return list(wanted[0]) if len(wanted) == 1 else list(product(*wanted))


def _stored(column: Column[Any], value: Any) -> Stored:
    return None if value is None else column.searched(value)


@dataclass(frozen=True, slots=True)
class LinkUse:
    """A `links` set whose target is some table."""

    owner: type[Row]
    links: Links[Any]


class Table:
    """One table as the runtime uses it.

    Attributes:
        row: Class of its handles.
        columns: Stored columns, `id` first, in the order in which the store gives them.
        fields: Columns of the row class by name, in order.
        children: References of any table that point here, in order of table and field.
        link_uses: Sets of links whose target is this table.
        wire: Names of the columns in results, if each is one key there; `changes` are those whose stored form is not their JSON.
        position: The reference within which rows have a position, if they do.
    """

    __slots__ = (
        "about",
        "always",
        "changes",
        "children",
        "columns",
        "fields",
        "json",
        "link_uses",
        "links",
        "lookups",
        "many",
        "name",
        "orders",
        "pieces",
        "position",
        "row",
        "wire",
    )

    def __init__(self, row: type[Row]) -> None:
        self.row = row
        self.name = row.__name__
        self.about: About = row._about
        members = list(vars(row).values())
        self.fields: dict[str, Column[Any]] = {one.name: one for one in members if isinstance(one, Column)}
        self.many: dict[str, Many[Any]] = {name: one for name, one in vars(row).items() if isinstance(one, Many)}
        self.links: dict[str, Links[Any]] = {one.name: one for one in members if isinstance(one, Links)}
        self.always: dict[str, Always[Any]] = {one.name: one for one in members if isinstance(one, Always)}
        self.columns: tuple[str, ...] = ("id", *(stored for one in self.fields.values() for stored in one.stored))
        index = 1
        for one in self.fields.values():
            one.index = index
            one.limited = "length" in one.options or "closed" in one.options or one.low is not None or one.high is not None
            index += len(one.stored)
        self.children: list[Child] = []
        self.link_uses: list[LinkUse] = []
        marked = [one for one in self.fields.values() if one.options.get("position")]
        self.position: Column[Any] | None = marked[0] if marked else None
        self.pieces = _id_pieces(self.about.id)
        self.orders: dict[tuple[str, ...], Order | None] = {}
        self.lookups: dict[tuple[str, ...], Lookup] = {}
        flat = all(len(one.stored) == 1 for one in self.fields.values())
        self.wire: tuple[str, ...] | None = self.columns if flat else None
        self.changes = tuple((one.stored[0], one.index, one.kind.json) for one in self.fields.values() if not one.kind.same_json)
        self.json: tuple[tuple[str, Callable[[tuple[Stored, ...]], Any]], ...] = tuple(
            (one.stored[0] if isinstance(one, Reference) else one.name, one.json) for one in self.fields.values()
        )

    @property
    def archived(self) -> bool:
        """Whether rows may be archived."""
        return self.about.archive

    def order(self, sort: tuple[str, ...]) -> Order | None:
        """The order by these fields, a name after "-" descending, then id; None for the order of ids."""
        if not sort:
            return None
        found = self.orders.get(sort)
        if found is None:
            found = self.orders[sort] = Order(self._order_key(name.lstrip("-"), name.startswith("-")) for name in sort)
        return found

    def lookup(self, names: tuple[str, ...]) -> Lookup:
        """How rows are looked up by these fields."""
        found = self.lookups.get(names)
        if found is None:
            columns = tuple(self.fields[name] for name in names)
            fresh = self.archived and "archived" not in names
            places = tuple(one.index for one in columns) + ((self.fields["archived"].index,) if fresh else ())
            found = self.lookups[names] = Lookup(places, columns, fresh)
        return found

    def _order_key(self, name: str, descending: bool) -> OrderKey:  # noqa: FBT001 passed on
        if name == "id":
            return OrderKey(0, descending)
        column = self.fields[name]
        words = column.options.get("words") or tuple(column.moves)
        return OrderKey(column.index, descending, {word: rank for rank, word in enumerate(words)} if words else None)

    def new_id(self, number: int, parent: str) -> str:
        """The id made from a counter."""
        return "".join(piece(number, parent) for piece in self.pieces)


def _id_pieces(pattern: str) -> tuple[Callable[[int, str], str], ...]:
    return tuple(_id_piece(piece) for piece in re.split(r"(\{[^{}]*\})", pattern) if piece)


def _id_piece(piece: str) -> Callable[[int, str], str]:
    counted = re.fullmatch(r"\{n(?::0?(\d+)d?)?\}", piece)
    if counted:
        width = int(counted[1] or 0)
        return lambda number, _parent: f"{number:0{width}d}"
    if piece == "{parent}":
        return lambda _number, parent: parent
    return lambda _number, _parent: piece


class Schema:
    """All tables of a package.

    Args:
        rows: Row classes in the order of the seed.
        structs: Struct classes.
        actor: Name of the entity of the acting user, or empty.

    Attributes:
        tables: By row class.
        names: Row classes by name.
        structs: Struct classes by name.
    """

    __slots__ = ("actor", "names", "structs", "tables")

    def __init__(self, *rows: type[Row], structs: tuple[type[Struct], ...] = (), actor: str = "") -> None:
        self.tables: dict[type[Row], Table] = {row: Table(row) for row in rows}
        self.names: Mapping[str, type[Row]] = {row.__name__: row for row in rows}
        self.structs: Mapping[str, type[Struct]] = {one.__name__: one for one in structs}
        self.actor = actor
        for table in self.tables.values():
            self._connect(table)

    def table(self, name: str) -> Table:
        """The table of that name; KeyError if there is none."""
        return self.tables[self.names[name]]

    def _connect(self, table: Table) -> None:
        for column in table.fields.values():
            column.targets = tuple(self.names[name] for name in column.tables)
            for target in column.targets:
                self.tables[target].children.append((table, column))
        for many in table.many.values():
            many.target = self.names[many.table]
            many.place = self.tables[many.target].fields[many.field].index
        for links in table.links.values():
            links.target = self.names[links.to]
            self.tables[links.target].link_uses.append(LinkUse(table.row, links))
