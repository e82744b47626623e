"""Reading rows of an episode through typed handles."""

import datetime as dt
from collections.abc import Sequence
from typing import Any, TypeVar, cast

from registry.package import refusals
from registry.package.change import Stored
from registry.package.columns import Column, Links
from registry.package.context import RowStore
from registry.package.errors import ToolRefusal
from registry.package.numbers import ZERO
from registry.package.row import Row
from registry.package.schema import Schema

R = TypeVar("R", bound=Row)


class Reader:
    """What generated code may read. Made for one call: it keeps what it has read, and forgets it when something is written.

    Args:
        store: Rows in stored form.
        schema: `SCHEMA` of the package's rows.py.

    Attributes:
        now: The clock of this call.
        seen: Stored rows by class and id, as this call sees them.
    """

    __slots__ = ("_lists", "_me", "now", "schema", "seen", "store", "today")

    def __init__(self, store: RowStore, schema: Schema) -> None:
        self.store = store
        self.schema = schema
        self.now: dt.datetime = store.now
        self.today: dt.date = store.now.date()
        self.seen: dict[tuple[type[Row], str], tuple[Stored, ...]] = {}
        self._lists: dict[tuple[type[Row], str, tuple[Stored, ...]], list[Any]] = {}
        self._me: Row | None = None

    @property
    def me(self) -> Any:
        """The acting user: the first row of the actor's entity."""
        if self._me is None:
            row = self.schema.names[self.schema.actor]
            found = self.store.select(row.__name__, limit=1)
            if not found:
                raise LookupError(f"there is no {row.__name__} to act")
            self._me = row(self, str(found[0][0]))
        return self._me

    def actor(self, row: type[R]) -> R:
        """The acting user as a row of the actor's entity."""
        found = self.me
        if not isinstance(found, row):
            raise LookupError(f"the acting user is not a {row.__name__}")
        return found

    def load(self, row: Row) -> tuple[Stored, ...]:
        """Stored values of a row that this call has not read yet; LookupError if it is gone."""
        values = self.store.read(type(row).__name__, row.id)
        if values is None:
            raise LookupError(f"{row!r} does not exist")
        self.seen[(type(row), row.id)] = values
        return values

    def exists(self, row: type[Row], key: str) -> bool:
        """Whether there is such a row."""
        return (row, key) in self.seen or self.store.read(row.__name__, key) is not None

    def locate(self, kinds: Sequence[type[Row]], key: str) -> Row:
        """The row with this id among the rows of several classes; LookupError if there is none."""
        for kind in kinds:
            if self.exists(kind, key):
                return kind(self, key)
        raise LookupError(f"{key!r} is no row of {', '.join(kind.__name__ for kind in kinds)}")

    def get(self, row: type[R], key: str) -> R:
        """The row with this id.

        Raises:
            ToolRefusal: `NOT_FOUND`.
        """
        if not self.exists(row, key):
            raise refusals.not_found((row.__name__,), key)
        return row(self, key)

    def resolve(self, tables: Sequence[str], key: str) -> Row:
        """The row that a parameter of a tool names.

        Args:
            tables: Names of the tables it may be in.
            key: The id.

        Raises:
            ToolRefusal: `NOT_FOUND`.
        """
        for name in tables:
            kind = self.schema.names[name]
            if self.exists(kind, key):
                return kind(self, key)
        raise refusals.not_found(tables, key)

    def single(self, row: type[R]) -> R:
        """The one row of an entity with `single: true`."""
        return row(self, row.__name__.lower())

    def all(self, row: type[R]) -> list[R]:
        """All rows in key order, without archived ones."""
        return self.select(row, '"archived" = 0' if row._about.archive else "", ())

    def find(self, row: type[R], /, **equal: Any) -> list[R]:
        """Rows whose fields have these values (one of them, for a tuple), in key order, without archived ones."""
        where, parameters = self._where(row, equal)
        return self.select(row, where, parameters)

    def count(self, row: type[Row], /, **equal: Any) -> int:
        """How many rows `find` would give."""
        where, parameters = self._where(row, equal)
        self.store.step()
        return self.store.count(row.__name__, where, parameters)

    def sum(self, row: type[Row], field: str, /, **equal: Any) -> Any:
        """Total of a field over the rows that `find` would give."""
        return sum((getattr(one, field) for one in self.find(row, **equal)), ZERO)

    def select(self, row: type[R], where: str, parameters: Sequence[Stored]) -> list[R]:
        """Handles on the rows that fulfil a condition, which are then known to this call; remembered until something is written."""
        self.store.step()
        at = (row, where, tuple(parameters))
        known = self._lists.get(at)
        if known is None:
            known = self._lists[at] = self.handles(row, self.store.select(row.__name__, where, parameters))
        return cast("list[R]", known[:])

    def handles(self, row: type[R], found: Sequence[tuple[Stored, ...]]) -> list[R]:
        """Handles on rows that were read. What this call knows of a row already stays, since it may be about to be written."""
        seen = self.seen
        made = []
        for values in found:
            key = cast("str", values[0])
            seen.setdefault((row, key), values)
            made.append(row(self, key))
        return made

    def referring(self, row: type[R], column: str, key: str) -> list[R]:
        """Rows of a class that refer to a row, in key order, without archived ones."""
        return self.select(row, f'"{column}" = ? AND "archived" = 0' if row._about.archive else f'"{column}" = ?', (key,))

    def linked(self, links: Links[Any], key: str) -> list[str]:
        """Ids of the rows in a `links` set, in key order."""
        return sorted(str(values[2]) for values in self.store.select(links.table, f'"{links.own}" = ?', (key,)))

    def ancestors(self, row: R, field: str) -> list[R]:
        """Rows above a row of a tree, the nearest first."""
        found: list[R] = []
        at = getattr(row, field)
        while at is not None and at not in found:
            found.append(at)
            at = getattr(at, field)
        return found

    def descendants(self, row: R, field: str) -> list[R]:
        """Rows below a row of a tree, depth first, without archived ones."""
        column = f"{field}_id"
        found: list[R] = []
        pending = self.referring(type(row), column, row.id)[::-1]
        while pending:
            one = pending.pop()
            found.append(one)
            pending.extend(reversed(self.referring(type(row), column, one.id)))
        return found

    def refuse(self, code: str, sentence: str, *evidence: Any) -> ToolRefusal:
        """The refusal of a rule, to be raised.

        Args:
            code: Of the rule.
            sentence: What the agent is told.
            evidence: Rows, lists of rows, or None.
        """
        return ToolRefusal(code, sentence, ids(*evidence))

    def close(self) -> None:
        """Lets go of the rows that it remembers, which hold on to it: after this it is freed at once."""
        self._lists.clear()
        self._me = None

    def forget(self) -> None:
        """Forgets lists after a write."""
        self._lists.clear()

    def _where(self, row: type[Row], equal: dict[str, Any]) -> tuple[str, list[Stored]]:
        fields = self.schema.tables[row].fields
        conditions = ['"archived" = 0'] if row._about.archive and "archived" not in equal else []
        parameters: list[Stored] = []
        for name, value in equal.items():
            conditions.append(_condition(fields[name], value, parameters))
        return " AND ".join(conditions), parameters


def _condition(column: Column[Any], value: Any, parameters: list[Stored]) -> str:
    name = column.stored[0]
    if value is None:
        return f'"{name}" IS NULL'
    if isinstance(value, tuple):
        parameters.extend(column.encode(one)[name] for one in value)
        return f'"{name}" IN ({", ".join("?" * len(value))})'
    parameters.append(column.encode(value)[name])
    return f'"{name}" = ?'


def ids(*evidence: Any) -> tuple[str, ...]:
    """Ids of rows, of the rows in lists, sorted and distinct; None adds nothing."""
    found: set[str] = set()
    for one in evidence:
        if isinstance(one, Row):
            found.add(one.id)
        elif one is not None:
            found.update(ids(*one))
    return tuple(sorted(found))
