"""The rows of one table of an episode that has written to it."""

import bisect
from collections.abc import Iterator, Sequence

from registry.package.context import Places, Value
from registry.package.ordering import Order, StoredRow
from registry.start_table import StartTable, values_at


class OwnTable:
    """Rows that can be written, with the indexes that were asked for.

    Args:
        start: Where it begins; is not changed.

    Attributes:
        rows: By id, in no order.
    """

    __slots__ = ("_indexes", "_keys", "_sorted", "_start", "_written", "rows")

    def __init__(self, start: StartTable) -> None:
        self._start = start
        self.rows: dict[str, StoredRow] = dict(start.rows)
        self._keys = list(start.rows)
        self._written: set[str] = set()
        self._indexes: dict[Places, _Index] = {}
        self._sorted: dict[Order | None, Sequence[StoredRow]] = {}

    def copy(self) -> "OwnTable":
        """Another one with the same rows."""
        made = OwnTable(self._start)
        made.rows = dict(self.rows)
        made._keys = list(self._keys)
        made._written = set(self._written)
        return made

    def differing(self) -> Iterator[tuple[str, StoredRow | None, StoredRow | None]]:
        """Rows that are not as they were at the start: id, what was there, what is there now."""
        for key in sorted(self._written):
            before, after = self._start.rows.get(key), self.rows.get(key)
            if before is not after and before != after:
                yield key, before, after

    def put(self, key: str, row: StoredRow | None) -> StoredRow | None:
        """Puts a row in place of the one with this id, or takes that away; gives what was there."""
        before = self.rows.get(key)
        if row is None:
            self.rows.pop(key, None)
        else:
            self.rows[key] = row
        if (before is None) != (row is None):
            _place(self._keys, key, there=row is not None)
        self._written.add(key)
        self._sorted.clear()
        for index in self._indexes.values():
            index.move(key, before, row)
        return before

    def ordered(self, order: Order | None) -> Sequence[StoredRow]:
        """All rows, by id or in another order."""
        found = self._sorted.get(order)
        if found is None:
            rows = self.rows
            found = [rows[key] for key in self._keys]
            found = self._sorted[order] = found if order is None else order.arranged(found)
        return found

    def having(self, places: Places, values: Sequence[Value]) -> Sequence[StoredRow]:
        """Rows that have one of these values (each once) in these columns, by id."""
        index = self._indexes.get(places)
        if index is None:
            index = self._indexes[places] = _Index(self._start, places)
            for key in self._written:
                index.move(key, self._start.rows.get(key), self.rows.get(key))
        rows = self.rows
        if len(values) == 1:
            return [rows[key] for key in index.ids(values[0])]
        return [rows[key] for key in sorted([key for value in values for key in index.ids(value)])]


class _Index:
    """Ids by what their rows have in some columns: what differs from the start, which is not copied."""

    __slots__ = ("_changed", "_start", "_value_of")

    def __init__(self, start: StartTable, places: Places) -> None:
        self._start = start.index(places)
        self._value_of = values_at(places)
        self._changed: dict[Value, tuple[str, ...]] = {}

    def ids(self, value: Value) -> tuple[str, ...]:
        """Ids, in order, of the rows that have this now."""
        found = self._changed.get(value)
        return self._start.get(value, ()) if found is None else found

    def move(self, key: str, before: StoredRow | None, after: StoredRow | None) -> None:
        """Brings it up to date with one row."""
        old = None if before is None else self._value_of(before)
        new = None if after is None else self._value_of(after)
        if before is not None and after is not None and old == new:
            return
        if before is not None:
            self._changed[old] = tuple(one for one in self.ids(old) if one != key)
        if after is not None:
            keys = list(self.ids(new))
            _place(keys, key, there=True)
            self._changed[new] = tuple(keys)


def _place(keys: list[str], key: str, *, there: bool) -> None:
    at = bisect.bisect_left(keys, key)
    if there:
        keys.insert(at, key)
    else:
        del keys[at]
