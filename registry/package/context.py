"""What generated tools may ask of the episode they run in: the seam between generated code and the episode engine."""

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from registry.package.change import Stored


class RowStore(Protocol):
    """Rows of one episode in stored form. `registry.package.runtime` builds typed rows on it; the episode engine implements it.

    Every write is recorded for the log. Cascades (parts of a deleted row, ids, positions) are done by the runtime through these same methods, so
    that the log shows them.
    """

    now: dt.datetime

    def read(self, table: str, key: str) -> tuple[Stored, ...] | None:
        """Stored values of one row in column order (id first), or None. Cached; sees the call's own writes."""

    def select(
        self, table: str, where: str = "", parameters: Sequence[Stored] = (), order: str = '"id"', limit: int = -1, offset: int = 0
    ) -> list[tuple[Stored, ...]]:
        """Rows in `order`; `where` is an SQL condition with `?` over quoted columns, made by the runtime, never from an agent's text."""

    def count(self, table: str, where: str = "", parameters: Sequence[Stored] = ()) -> int:
        """How many rows fulfil `where`."""

    def next_number(self, table: str, scope: str) -> int:
        """The next number of the table's id counter (of the parent `scope`, or "" for the whole table); rolled back with the call."""

    def insert(self, table: str, key: str, values: Mapping[str, Stored]) -> None:
        """Adds a row; `values` holds every stored column but id."""

    def update(self, table: str, key: str, values: Mapping[str, Stored]) -> None:
        """Writes these columns of a row."""

    def delete(self, table: str, key: str) -> None:
        """Removes a row."""

    def step(self) -> None:
        """Counts one unit of work; raises StepLimit (a defect of the seed) beyond the limit of a call."""


Json = Any
"""A JSON value: the result of a tool."""
