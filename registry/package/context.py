"""What generated tools may ask of the episode they run in: the seam between generated code and the episode engine."""

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from registry.package.change import Stored
from registry.package.ordering import Order, StoredRow

Places = tuple[int, ...]
"""Columns, one or more, by which rows are looked up."""
Value = Stored | tuple[Stored, ...]
"""What a row has in them: the value itself of one column, a tuple of more."""


class RowStore(Protocol):
    """Rows of one episode in stored form: tuples in column order, id first.

    `registry.package.runtime` builds typed rows on it; the episode engine implements it.
    Every write is recorded for the log. Cascades (parts of a deleted row, ids, positions) are done by the runtime through these same methods, so
    that the log shows them. All reads see the call's own writes. What is given back is not changed by later writes.
    """

    now: dt.datetime

    def read(self, table: str, key: str) -> StoredRow | None:
        """One row, or None."""

    def rows(self, table: str, order: Order | None = None) -> Sequence[StoredRow]:
        """All rows of a table, by id or in another order."""

    def having(self, table: str, place: int, value: Stored) -> Sequence[StoredRow]:
        """Rows whose column at this place is this value (or None), by id; looked up, not searched."""

    def among(self, table: str, places: Places, values: Sequence[Value]) -> Sequence[StoredRow]:
        """Rows whose columns at these places have one of these values (each once), by id; looked up, not searched."""

    def next_number(self, table: str, scope: str) -> int:
        """The next number of the table's id counter (of the parent `scope`, or "" for the whole table); rolled back with the call."""

    def insert(self, table: str, key: str, values: Mapping[str, Stored]) -> None:
        """Adds a row; `values` holds every stored column but id."""

    def update(self, table: str, key: str, values: Mapping[str, Stored]) -> None:
        """Writes these columns of a row."""

    def delete(self, table: str, key: str) -> None:
        """Removes a row."""

    def step(self, units: int = 1) -> None:
        """Counts units of work; raises StepLimit (a defect of the seed) beyond the limit of a call."""


Json = Any
"""A JSON value: the result of a tool."""
