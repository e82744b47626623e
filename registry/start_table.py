"""The rows of one table in an initial state, shared by all episodes that start from it."""

from collections.abc import Iterable, Mapping, Sequence

from registry.package.change import Stored
from registry.package.ordering import Order, StoredRow

Index = Mapping[Stored, tuple[str, ...]]
"""Ids, in order, by the value that a column has in their rows."""


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
        self._indexes: dict[int, Index] = {}
        self._sorted: dict[Order | None, Sequence[StoredRow]] = {}

    def ordered(self, order: Order | None) -> Sequence[StoredRow]:
        """All rows, by id or in another order."""
        found = self._sorted.get(order)
        if found is None:
            found = self._sorted[order] = tuple(self.rows.values() if order is None else order.arranged(self.rows.values()))
        return found

    def index(self, place: int) -> Index:
        """Ids by the value of a column."""
        found = self._indexes.get(place)
        if found is None:
            made: dict[Stored, list[str]] = {}
            for key, row in self.rows.items():
                made.setdefault(row[place], []).append(key)
            found = self._indexes[place] = {value: tuple(keys) for value, keys in made.items()}
        return found

    def having(self, place: int, value: Stored) -> Sequence[StoredRow]:
        """Rows with this value in a column, by id."""
        rows = self.rows
        return [rows[key] for key in self.index(place).get(value, ())]
