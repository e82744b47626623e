"""Rows of one episode: what generated tools read and write, one transaction per call."""

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import apsw

from registry.dispatch.outcome import Write
from registry.episode.layout import Layout
from registry.package.change import Stored
from registry.package.errors import StepLimit, ToolRefusal

STEP_LIMIT = 200_000
"""Units of work of one call; a constant, since a replay must end where the call ended."""
CACHE_ROWS = 256
LARGEST, SMALLEST = 2**63 - 1, -(2**63)

Row = tuple[Stored, ...]


class EpisodeRows:
    """Implements `registry.package.context.RowStore` on the episode's database.

    The database transaction begins with the first write, so that a reading call costs none.

    Attributes:
        now: What the present call sees as the time.
        writes: Row writes of the present call.
    """

    __slots__ = ("_cache", "_counters", "_counters_before", "_execute", "_layout", "_maxima", "_open", "_steps", "now", "writes")

    def __init__(self, database: apsw.Connection, layout: Layout, maxima: Mapping[tuple[str, str], int]) -> None:
        self._execute: Callable[..., Any] = database.execute
        self._layout = layout
        self._maxima = maxima
        self._counters: dict[tuple[str, str], int] = {}
        self._counters_before: dict[tuple[str, str], int] = {}
        self._cache: dict[tuple[str, str], Row | None] = {}
        self._open = False
        self._steps = 0
        self.now = dt.datetime.min  # noqa: DTZ901 the time of an environment has no zone
        self.writes: list[Write] = []

    def begin(self, now: dt.datetime) -> None:
        """Starts a call."""
        self.now = now
        self.writes = []
        self._steps = 0
        if len(self._cache) > CACHE_ROWS:
            self._cache.clear()

    def commit(self) -> None:
        """Keeps what the call wrote."""
        if self._open:
            self._execute("COMMIT")
            self._open = False
            self._counters_before = {}

    def rollback(self) -> None:
        """Undoes what the call wrote: rows, counters, what was remembered of them."""
        self.writes = []
        if self._open:
            self._execute("ROLLBACK")
            self._open = False
            self._counters = self._counters_before
            self._counters_before = {}
            self._cache.clear()

    def count_from(self, numbers: Mapping[tuple[str, str], int]) -> None:
        """Sets counters to the greatest numbers in use."""
        self._counters.update(numbers)

    def read(self, table: str, key: str) -> Row | None:
        """One row in column order, or None."""
        at = (table, key)
        if at in self._cache:
            return self._cache[at]
        found: Row | None = next(self._execute(self._layout[table].read, (key,)), None)
        self._cache[at] = found
        return found

    def whole(self, table: str, key: str) -> dict[str, Stored] | None:
        """One row with the names of its columns, or None."""
        found = self.read(table, key)
        return None if found is None else dict(zip(self._layout[table].columns, found, strict=True))

    def select(
        self, table: str, where: str = "", parameters: Sequence[Stored] = (), order: str = '"id"', limit: int = -1, offset: int = 0
    ) -> list[Row]:
        """Rows that fulfil `where`, in `order`."""
        text = self._layout[table].select
        if where:
            text = f"{text} WHERE {where}"
        text = f"{text} ORDER BY {order}"
        if limit >= 0 or offset:
            text = f"{text} LIMIT {limit:d} OFFSET {offset:d}"
        rows: list[Row] = self._execute(text, tuple(parameters)).fetchall()
        self._count_steps(len(rows))
        cache = self._cache
        for row in rows:
            cache[table, row[0]] = row  # type: ignore[index]  # the id is text
        return rows

    def count(self, table: str, where: str = "", parameters: Sequence[Stored] = ()) -> int:
        """How many rows fulfil `where`."""
        text = self._layout[table].count
        self._count_steps(1)
        return int(next(self._execute(f"{text} WHERE {where}" if where else text, tuple(parameters)))[0])

    def next_number(self, table: str, scope: str) -> int:
        """The next number of a counter."""
        self._write()
        at = (table, scope)
        number = self._counters.get(at)
        number = self._counters[at] = (self._maxima.get(at, 0) if number is None else number) + 1
        return number

    def insert(self, table: str, key: str, values: Mapping[str, Stored]) -> None:
        """Adds a row."""
        layout = self._layout[table]
        row = (key, *(values[name] for name in layout.columns[1:]))
        self._check(row)
        self._write()
        self._execute(layout.insert, row)
        self._cache[table, key] = row
        self.writes.append((table, "insert", key, dict(values)))

    def update(self, table: str, key: str, values: Mapping[str, Stored]) -> None:
        """Writes columns of a row."""
        layout = self._layout[table]
        before = self.read(table, key)
        if before is None:
            raise KeyError(f"{table} {key}")
        after = list(before)
        for name, value in values.items():
            after[layout.place[name]] = value
        self._check(after)
        self._write()
        self._execute(layout.update(tuple(values)), (*values.values(), key))
        self._cache[table, key] = tuple(after)
        self.writes.append((table, "update", key, dict(values)))

    def delete(self, table: str, key: str) -> None:
        """Removes a row."""
        self._write()
        self._execute(self._layout[table].delete, (key,))
        self._cache[table, key] = None
        self.writes.append((table, "delete", key, {}))

    def step(self) -> None:
        """Counts one unit of work."""
        self._count_steps(1)

    def _count_steps(self, number: int) -> None:
        self._steps += number
        if self._steps > STEP_LIMIT:
            raise StepLimit(f"more than {STEP_LIMIT} units of work in one call")

    def _write(self) -> None:
        if not self._open:
            self._execute("BEGIN")
            self._open = True
            self._counters_before = dict(self._counters)

    def _check(self, row: Sequence[Stored]) -> None:
        """Refuses a number that SQLite cannot hold: an agent reached it by legal steps, so it is no defect."""
        for value in row:
            if isinstance(value, int) and not SMALLEST <= value <= LARGEST:
                raise ToolRefusal("LIMIT", "A number would become too large to be kept.")
