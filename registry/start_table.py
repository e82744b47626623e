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

    __slots__ = ("_indexes", "_sorted", "rows")

    def __init__(self, rows: Iterable[StoredRow]) -> None:
        self.rows: dict[str, StoredRow] = {str(row[0]): row for row in sorted(rows, key=lambda row: str(row[0]))}
        self._indexes: dict[Places, Index] = {}
        self._sorted: dict[Order | None, Sequence[StoredRow]] = {}

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
            made: dict[Value, list[str]] = {}
            value_of = values_at(places)
            for key, row in self.rows.items():
                made.setdefault(value_of(row), []).append(key)
            found = self._indexes[places] = {value: tuple(keys) for value, keys in made.items()}
        return found

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
