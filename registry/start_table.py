"""The rows of one table in an initial state, shared by all episodes that start from it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter

from registry.package.context import Places, Value
from registry.package.ordering import Order, StoredRow

Index = Mapping[Value, tuple[str, ...]]
"""Ids, in order, by what their rows have in some columns."""


class StartTable:
    """Rows that never change; what is worked out from them is kept.

    Args:
        rows: In any order.

    Attributes:
        rows: By id, in order.
    """

    __slots__ = ("_changed", "_indexes", "_sorted", "_start", "rows")

    def __init__(self, rows: Iterable[StoredRow]) -> None:
        self.rows: dict[str, StoredRow] = {str(row[0]): row for row in sorted(rows, key=lambda row: str(row[0]))}
        self._start: StartTable | None = None
        self._changed: Sequence[str] = ()
        self._indexes: dict[Places, Index] = {}
        self._sorted: dict[Order | None, Sequence[StoredRow]] = {}

    def near(self, changed: Mapping[str, StoredRow | None]) -> "StartTable":
        """The table with other rows in the place of a few, by id; None for no row. What is worked out from this one is changed, not made anew."""
        other = StartTable(())
        if all(row is not None and key in self.rows for key, row in changed.items()):
            other.rows = {**self.rows, **{key: row for key, row in changed.items() if row is not None}}
        else:
            kept = {**self.rows, **changed}
            other.rows = {key: row for key in sorted(kept) if (row := kept[key]) is not None}
        other._start, other._changed = self, tuple(changed)
        return other

    def ordered(self, order: Order | None) -> Sequence[StoredRow]:
        """All rows, by id or in another order."""
        found = self._sorted.get(order)
        if found is None:
            found = self._sorted[order] = tuple(self.rows.values() if order is None else order.arranged(self.rows.values()))
        return found

    def index(self, places: Places) -> Index:
        """Ids by what rows have in these columns."""
        found = self._indexes.get(places)
        if found is None:
            found = self._indexes[places] = self._indexed(places) if self._start is None else self._index_near(self._start, places)
        return found

    def _indexed(self, places: Places) -> Index:
        made: dict[Value, list[str]] = {}
        value_of = values_at(places)
        for key, row in self.rows.items():
            made.setdefault(value_of(row), []).append(key)
        return {value: tuple(keys) for value, keys in made.items()}

    def _index_near(self, start: "StartTable", places: Places) -> Index:
        """The index of the table that this one was made from, with the ids of the changed rows where they belong now."""
        made, value_of = dict(start.index(places)), values_at(places)
        for key in self._changed:
            old, new = start.rows.get(key), self.rows.get(key)
            before, after = None if old is None else value_of(old), None if new is None else value_of(new)
            if old is not None and (new is None or before != after):
                rest = tuple(one for one in made[before] if one != key)
                if rest:
                    made[before] = rest
                else:
                    del made[before]
            if new is not None and (old is None or before != after):
                made[after] = tuple(sorted((*made.get(after, ()), key)))
        return made

    def having(self, places: Places, values: Sequence[Value]) -> Sequence[StoredRow]:
        """Rows that have one of these values (each once) in these columns, by id."""
        rows = self.rows
        index = self.index(places)
        if len(values) == 1:
            return [rows[key] for key in index.get(values[0], ())]
        return [rows[key] for key in sorted([key for value in values for key in index.get(value, ())])]


def values_at(places: Places) -> Callable[[StoredRow], Value]:
    """What a row has in these columns, as an index names it."""
    return itemgetter(*places)
