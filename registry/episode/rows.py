"""Rows of one episode: what generated tools read and write, one transaction per call."""

import datetime as dt
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import apsw

from registry.dispatch.outcome import Write
from registry.episode.changes import Differing
from registry.episode.layout import Layout
from registry.episode.own_table import OwnTable
from registry.errors import EpisodeCorrupt
from registry.package.change import Stored
from registry.package.context import Places, Value
from registry.package.errors import StepLimit, ToolRefusal
from registry.package.ordering import Order, StoredRow
from registry.package.schema import Schema
from registry.package.tool_context import ToolContext
from registry.start_table import StartTable

STEP_LIMIT = 200_000
"""Units of work of one call; a constant, since a replay must end where the call ended."""
BATCH = 64
"""Statements that wait at most."""
LARGEST, SMALLEST = 2**63 - 1, -(2**63)

Counters = dict[tuple[str, str], int]


class EpisodeRows:
    """Implements `registry.package.context.RowStore`: every row is held here in its stored form, so that reading costs no statement.

    Tables that the episode has not written to are those of its template. What a call wrote here is undone if the call is not kept. What was kept goes
    into the database when somebody looks at that, and in batches: sixty-four statements at once cost a third of as many alone.

    Attributes:
        now: What the present call sees as the time.
        writes: Row writes of the present call.
    """

    __slots__ = (
        "_before",
        "_context",
        "_counters",
        "_database",
        "_layout",
        "_maxima",
        "_pending",
        "_steps",
        "_tables",
        "_undo",
        "_unwritten",
        "now",
        "writes",
    )

    def __init__(
        self, database: Callable[[], apsw.Connection], layout: Layout, tables: Mapping[str, StartTable], maxima: Mapping[tuple[str, str], int]
    ) -> None:
        self._database = database
        self._layout = layout
        self._maxima = maxima
        self._tables: dict[str, StartTable | OwnTable] = dict(tables)
        self._counters: Counters = {}
        self._before: Counters | None = None
        self._undo: list[tuple[OwnTable, str, StoredRow | None]] = []
        self._pending: list[tuple[str, Sequence[Stored]]] = []
        self._unwritten: list[tuple[str, Sequence[Stored]]] = []
        self._steps = 0
        self._context: ToolContext | None = None
        self.now = dt.datetime.min  # noqa: DTZ901 the time of an environment has no zone
        self.writes: list[Write] = []

    def take(self, other: "EpisodeRows") -> None:
        """Becomes what another episode of the same start holds."""
        self._tables = {name: table.copy() if isinstance(table, OwnTable) else table for name, table in other._tables.items()}
        self._counters = dict(other._counters)

    def begin(self, now: dt.datetime) -> None:
        """Starts a call."""
        self.now = now
        self.writes = []
        self._steps = 0

    def context(self, schema: Schema) -> ToolContext:
        """What calls read and write with: one for all calls, until something is written or undone beside it."""
        if self._context is None:
            self._context = ToolContext(self, schema)
        else:
            self._context.begin()
        return self._context

    def close(self) -> None:
        """Lets go of what calls have read."""
        if self._context is not None:
            self._context.close()
            self._context = None

    def end(self) -> None:
        """Lets go of everything that holds on to these rows; nothing can follow."""
        self.close()
        self._database = _ended

    def commit(self) -> None:
        """Keeps what the call wrote."""
        if self._pending:
            self._unwritten += self._pending
            self._pending = []
            if len(self._unwritten) > BATCH:
                self.flush()
            self._undo = []
        self._before = None

    def flush(self) -> None:
        """Brings the database up to date, with all kept calls or with none.

        Raises:
            EpisodeCorrupt: The database refuses a row, which the checks before it should have refused.
        """
        if not self._unwritten:
            return
        execute: Callable[..., Any] = self._database().execute
        execute("BEGIN")
        try:
            for statement, values in self._unwritten:
                execute(statement, values)
        except apsw.Error as error:
            execute("ROLLBACK")
            raise EpisodeCorrupt(f"rows: the database refuses what a tool wrote ({error}).") from error
        execute("COMMIT")
        self._unwritten = []

    def rollback(self) -> None:
        """Undoes what the call wrote: rows, counters."""
        self.close()
        self.writes = []
        self._pending = []
        for table, key, before in reversed(self._undo):
            table.put(key, before)
        self._undo = []
        if self._before is not None:
            self._counters, self._before = self._before, None

    def count_from(self, numbers: Mapping[tuple[str, str], int]) -> None:
        """Sets counters to the greatest numbers in use."""
        self._counters.update(numbers)

    def read(self, table: str, key: str) -> StoredRow | None:
        """One row in column order, or None."""
        return self._tables[table].rows.get(key)

    def differing(self) -> Differing:
        """Rows that are not as they were at the start."""
        own = {name: table for name, table in self._tables.items() if isinstance(table, OwnTable)}
        return tuple((name, *one) for name in sorted(own) for one in own[name].differing())

    def whole(self, table: str, key: str) -> dict[str, Stored] | None:
        """One row with the names of its columns, or None."""
        found = self.read(table, key)
        return None if found is None else dict(zip(self._layout[table].columns, found, strict=True))

    def rows(self, table: str, order: Order | None = None) -> Sequence[StoredRow]:
        """All rows of a table, by id or in another order."""
        return self._tables[table].ordered(order)

    def having(self, table: str, place: int, value: Stored) -> Sequence[StoredRow]:
        """Rows whose column at this place is this value, by id."""
        return self._tables[table].having((place,), (value,))

    def among(self, table: str, places: Places, values: Sequence[Value]) -> Sequence[StoredRow]:
        """Rows whose columns at these places have one of these values (each once), by id."""
        return self._tables[table].having(places, values)

    def next_number(self, table: str, scope: str) -> int:
        """The next number of a counter."""
        if self._before is None:
            self._before = dict(self._counters)
        at = (table, scope)
        number = self._counters.get(at)
        number = self._counters[at] = (self._maxima.get(at, 0) if number is None else number) + 1
        return number

    def insert(self, table: str, key: str, values: Mapping[str, Stored]) -> None:
        """Adds a row."""
        layout = self._layout[table]
        row = (key, *(values[name] for name in layout.columns[1:]))
        _check(row)
        self._put(table, key, row, layout.insert, row)
        self.writes.append((table, "insert", key, dict(values)))

    def update(self, table: str, key: str, values: Mapping[str, Stored]) -> None:
        """Writes columns of a row."""
        layout = self._layout[table]
        before = self._tables[table].rows[key]
        after = list(before)
        for name, value in values.items():
            after[layout.place[name]] = value
        _check(values.values())
        self._put(table, key, tuple(after), layout.update(tuple(values)), (*values.values(), key))
        self.writes.append((table, "update", key, dict(values)))

    def delete(self, table: str, key: str) -> None:
        """Removes a row."""
        self._put(table, key, None, self._layout[table].delete, (key,))
        self.writes.append((table, "delete", key, {}))

    def step(self, units: int = 1) -> None:
        """Counts units of work."""
        self._steps += units
        if self._steps > STEP_LIMIT:
            raise StepLimit(f"more than {STEP_LIMIT} units of work in one call")

    def _put(self, name: str, key: str, row: StoredRow | None, statement: str, values: Sequence[Stored]) -> None:
        table = self._tables[name]
        if not isinstance(table, OwnTable):
            table = self._tables[name] = OwnTable(table)
        self._undo.append((table, key, table.put(key, row)))
        self._pending.append((statement, values))


def _ended() -> apsw.Connection:
    raise apsw.ConnectionClosedError("an episode that was ended is looked at")


def _check(values: Iterable[Stored]) -> None:
    """Refuses a number that SQLite cannot hold: an agent reached it by legal steps, so it is no defect."""
    for value in values:
        if isinstance(value, int) and not SMALLEST <= value <= LARGEST:
            raise ToolRefusal("LIMIT", "A number would become too large to be kept.")
