"""Rows of one moment in stored form, cheap to fork."""

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from functools import lru_cache
from itertools import count
from typing import NamedTuple

from registry.package.change import Stored

Row = dict[str, Stored]
"""Stored values by column, `id` first. Never changed in place: a write puts a new dictionary in its stead."""

Held = MutableMapping[str, Row]
"""The rows of one table by id."""

Index = dict[Stored, str | tuple[str, ...]]
"""Ids, in order, by the value of a column; an id alone stands for itself, since most columns that are asked for say something else in each row."""


class Ref(NamedTuple):
    """A row as a value of the language: equal by id, reading it gives its current state."""

    entity: str
    key: str


LISTS = 4096
"""So many lists of rows are kept with a table, about."""

handle = lru_cache(maxsize=1 << 15)(Ref)
"""The handle of a row; those made lately are taken again, since making one costs more than finding it."""


class Order:
    """What is known about one version of a table: its ids in order, indexes of columns, lists of rows that were asked for.

    Shared by all states that hold this version. A copy shares each index until a row moves in it.
    """

    __slots__ = ("_shared", "indexes", "keys", "refs")

    def __init__(self) -> None:
        self._shared: set[str] = set()
        self.keys: list[str] | None = None
        self.indexes: dict[str, Index] = {}
        self.refs: dict[tuple[str, Stored, bool], tuple[Ref, ...]] = {}

    def written(self) -> None:
        """This is another version now: its lists are bounded."""
        if len(self.refs) >= LISTS:
            self.refs = {}

    def forget(self, column: str, value: Stored) -> None:
        """The rows with this value are others now."""
        if self.refs:
            self.refs.pop((column, value, False), None)
            self.refs.pop((column, value, True), None)

    def copy(self) -> "Order":
        """The same knowledge, to be changed on its own."""
        other = Order()
        other.keys = None if self.keys is None else list(self.keys)
        other.indexes = dict(self.indexes)
        other._shared = set(self.indexes)
        other.refs = dict(self.refs)
        return other

    def move(self, column: str, key: str, before: Row | None, after: Row | None) -> None:
        """A row has another value in a column now; None for no row."""
        index = self.indexes[column]
        if column in self._shared:
            index = self.indexes[column] = dict(index)
            self._shared.discard(column)
        if before is not None:
            _drop(index, before[column], key)
            self.forget(column, before[column])
        if after is not None:
            _add(index, after[column], key)
            self.forget(column, after[column])


_versions = count(1)

Place = tuple[str, str]
"""Table, id."""


class Path(NamedTuple):
    """How a state came to its last fork: where it was written to before it, the path to the fork before that, how many forks there were."""

    places: set[Place]
    before: "Path | None"
    forks: int


class Write(NamedTuple):
    """One write, in the order in which writes happened; `values` holds the columns written (all but `id` for an insert)."""

    table: str
    op: str
    key: str
    values: Mapping[str, Stored]


class State:
    """All rows of all tables, and the id counters.

    A fork shares everything with its origin until one of them writes; then only the table (and its indexes) that is written is copied. From the
    first fork on each state knows where it was written to, so that two that came from one origin are told apart without walks through tables.

    Args:
        hold: Makes what holds the rows of one table.

    Attributes:
        versions: By table, a number that another one follows whenever a row is written. States in which it is the same hold the same rows.
    """

    __slots__ = ("_order", "_owned", "_path", "_touched", "counters", "tables", "versions", "writes")

    def __init__(self, tables: Mapping[str, Mapping[str, Row]], hold: Callable[[Mapping[str, Row]], Held] = dict) -> None:
        self.tables: dict[str, Held] = {name: hold(rows) for name, rows in tables.items()}
        self.counters: dict[tuple[str, str], int] = {}
        self.writes: list[Write] = []
        self.versions = {name: next(_versions) for name in self.tables}
        self._order = {name: Order() for name in self.tables}
        self._owned: set[str] = set(self.tables)
        self._path: Path | None = None
        self._touched: set[Place] | None = None

    def fork(self) -> "State":
        """A state with the same rows and counters, and no writes of its own yet."""
        other = State.__new__(State)
        other.tables = dict(self.tables)
        other.counters = dict(self.counters)
        other.writes = []
        other.versions = dict(self.versions)
        other._order = dict(self._order)
        other._owned = set()
        self._owned = set()
        if self._touched is None or self._touched:
            forks = 0 if self._path is None else self._path.forks + 1
            self._path, self._touched = Path(self._touched or set(), self._path, forks), set()
        other._path, other._touched = self._path, set()
        return other

    def differing(self, other: "State") -> list[Place]:
        """Where another row is held than in the other state, or one more or less, in order."""
        mine, theirs = self.tables, other.tables
        places = self._written_since(other)
        if places is None:
            tables = [table for table, rows in mine.items() if rows is not theirs[table]]
            places = {(table, key) for table in tables for key in mine[table].keys() | theirs[table].keys()}
        return sorted([place for place in places if mine[place[0]].get(place[1]) is not theirs[place[0]].get(place[1])])

    def _written_since(self, other: "State") -> set[Place] | None:
        """Where this state or the other one was written to since the last fork on the way to both; None if they do not come from one state."""
        if self._touched is None or other._touched is None:
            return None
        found, one, two = self._touched | other._touched, self._path, other._path
        while one is not two:
            if one is None or two is None:
                return None
            if one.forks >= two.forks:
                found |= one.places
                one = one.before
            else:
                found |= two.places
                two = two.before
        return found

    def row(self, table: str, key: str) -> Row | None:
        """One row, or None."""
        return self.tables[table].get(key)

    def keys(self, table: str) -> list[str]:
        """Ids of all rows in order. Not to be changed."""
        order = self._order[table]
        if order.keys is None:
            order.keys = sorted(self.tables[table])
        return order.keys

    def version(self, table: str) -> int:
        """A number that another one follows whenever a row of the table is written."""
        return self.versions[table]

    def rows(self, table: str) -> Iterator[Row]:
        """All rows in the order of their ids. No row may be added or removed meanwhile."""
        return map(self.tables[table].__getitem__, self.keys(table))

    def where(self, table: str, column: str, value: Stored) -> tuple[str, ...]:
        """Ids of the rows with this stored value, in order; from an index made at the first question."""
        indexes = self._order[table].indexes
        index = indexes.get(column)
        if index is None:
            index = indexes[column] = self._index(table, column)
        keys = index.get(value, ())
        return (keys,) if isinstance(keys, str) else keys

    def refs(self, table: str, column: str, value: Stored, *, archive: bool) -> list[Ref]:
        """The rows of an entity with this stored value (all if no column is named), in the order of their ids.

        Args:
            archive: Leave out archived ones, of an entity that may have some.
        """
        known = self._order[table].refs
        found = known.get((column, value, archive))
        if found is None:
            held = self.tables[table]
            keys = self.where(table, column, value) if column else self.keys(table)
            found = known[column, value, archive] = tuple([handle(table, key) for key in keys if not (archive and held[key]["archived"])])
        return list(found)

    def _index(self, table: str, column: str) -> Index:
        gathered: dict[Stored, list[str]] = {}
        held = self.tables[table]
        for key in self.keys(table):
            gathered.setdefault(held[key][column], []).append(key)
        return {value: keys[0] if len(keys) == 1 else tuple(keys) for value, keys in gathered.items()}

    def insert(self, table: str, row: Row) -> None:
        """Adds a row, which holds all columns; its id must be free."""
        key = str(row["id"])
        if key in self.tables[table]:
            raise KeyError(f"{table} {key} is there already")
        self._own(table, key)
        self.tables[table][key] = row
        order = self._order[table]
        order.written()
        order.forget("", None)
        if order.keys is not None:
            insort(order.keys, key)
        for column in order.indexes:
            order.move(column, key, None, row)
        self.writes.append(Write(table, "insert", key, {name: value for name, value in row.items() if name != "id"}))

    def update(self, table: str, key: str, values: Mapping[str, Stored]) -> None:
        """Writes these columns of a row."""
        self._own(table, key)
        before = self.tables[table][key]
        after = self.tables[table][key] = {**before, **values}
        order = self._order[table]
        order.written()
        if values.get("archived", before.get("archived")) != before.get("archived"):
            order.refs = {}
        for column in order.indexes:
            if column in values and values[column] != before[column]:
                order.move(column, key, before, after)
        self.writes.append(Write(table, "update", key, dict(values)))

    def delete(self, table: str, key: str) -> None:
        """Removes a row."""
        self._own(table, key)
        before = self.tables[table].pop(key)
        order = self._order[table]
        order.written()
        order.forget("", None)
        if order.keys is not None:
            del order.keys[bisect_left(order.keys, key)]
        for column in order.indexes:
            order.move(column, key, before, None)
        self.writes.append(Write(table, "delete", key, {}))

    def _own(self, table: str, key: str) -> None:
        """Before a write to a table: it is noted where, the table will be another version, and is copied if it is shared with another state."""
        self.versions[table] = next(_versions)
        if self._touched is not None:
            self._touched.add((table, key))
        if table in self._owned:
            return
        self.tables[table] = dict(self.tables[table])
        self._order[table] = self._order[table].copy()
        self._owned.add(table)

    def world_rows(self) -> tuple[tuple[str, Row], ...]:
        """Every row as (table, stored values), by table then id: the lines of a world."""
        return tuple((table, row) for table in self.tables for row in self.rows(table))


def from_rows(tables: Iterable[str], rows: Iterable[tuple[str, Mapping[str, Stored]]]) -> State:
    """The state that holds these rows.

    Args:
        tables: Names of all tables, in order; those without rows too.
        rows: Table and stored values (with `id`) of each row.
    """
    held: dict[str, dict[str, Row]] = {name: {} for name in tables}
    for table, row in rows:
        held[table][str(row["id"])] = dict(row)
    return State(held)


def _add(index: Index, value: Stored, key: str) -> None:
    keys = index.get(value)
    if keys is None:
        index[value] = key
        return
    several = (keys,) if isinstance(keys, str) else keys
    at = bisect_left(several, key)
    index[value] = (*several[:at], key, *several[at:])


def _drop(index: Index, value: Stored, key: str) -> None:
    keys = index[value]
    if isinstance(keys, str):
        del index[value]
        return
    at = bisect_left(keys, key)
    left = (*keys[:at], *keys[at + 1 :])
    index[value] = left[0] if len(left) == 1 else left
