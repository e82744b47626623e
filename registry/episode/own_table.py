"""The rows of one table of an episode that has written to it."""

import bisect
from collections.abc import Iterator, Sequence

from registry.package.change import Stored
from registry.package.ordering import Order, StoredRow
from registry.start_table import StartTable


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
        self._indexes: dict[int, dict[Stored, tuple[str, ...]]] = {}
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
        for place, index in self._indexes.items():
            _move(index, place, key, before, row)
        return before

    def ordered(self, order: Order | None) -> Sequence[StoredRow]:
        """All rows, by id or in another order."""
        found = self._sorted.get(order)
        if found is None:
            rows = self.rows
            found = [rows[key] for key in self._keys]
            found = self._sorted[order] = found if order is None else order.arranged(found)
        return found

    def having(self, place: int, value: Stored) -> Sequence[StoredRow]:
        """Rows with this value in a column, by id."""
        index = self._indexes.get(place)
        if index is None:
            index = self._indexes[place] = dict(self._start.index(place))
            for key in self._written:
                _move(index, place, key, self._start.rows.get(key), self.rows.get(key))
        rows = self.rows
        return [rows[key] for key in index.get(value, ())]


def _place(keys: list[str], key: str, *, there: bool) -> None:
    at = bisect.bisect_left(keys, key)
    if there:
        keys.insert(at, key)
    else:
        del keys[at]


def _move(index: dict[Stored, tuple[str, ...]], place: int, key: str, before: StoredRow | None, after: StoredRow | None) -> None:
    """Brings an index up to date with one row."""
    if before is not None and after is not None and before[place] == after[place]:
        return
    if before is not None:
        index[before[place]] = tuple(one for one in index[before[place]] if one != key)
    if after is not None:
        keys = list(index.get(after[place], ()))
        _place(keys, key, there=True)
        index[after[place]] = tuple(keys)
