"""Reading rows of an episode through typed handles."""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar, cast

from registry.package import refusals
from registry.package.columns import LINK_OTHER, LINK_OWN, Links
from registry.package.context import RowStore
from registry.package.errors import ToolRefusal
from registry.package.numbers import ZERO
from registry.package.ordering import StoredRow
from registry.package.row import GONE, Row
from registry.package.schema import Schema

R = TypeVar("R", bound=Row)
HANDLES = 1_000
"""Handles that are kept from one call to the next: about 100 kB."""


class Handles(dict[str, R]):
    """The handles on the rows of one class, by id; those that are asked for are made."""

    __slots__ = ("_ctx", "_row", "_table")

    def __init__(self, ctx: "Reader", row: type[R]) -> None:
        super().__init__()
        self._ctx, self._row, self._table = ctx, row, row.__name__

    def __missing__(self, key: str) -> R:
        made = self[key] = object.__new__(self._row)
        made._ctx = self._ctx
        made._held = self._ctx.store.read(self._table, key) or GONE
        made.id = key
        return made


class Reader:
    """What generated code may read: it keeps what it has read.

    It may be used for call after call while all writes to its store go through it: it tells its handles what their rows hold. Lists are forgotten
    when something is written and with every call.

    Args:
        store: Rows in stored form.
        schema: `SCHEMA` of the package's rows.py.

    Attributes:
        now: The clock of this call.
    """

    __slots__ = ("_handles", "_lists", "_me", "now", "schema", "store", "today")

    def __init__(self, store: RowStore, schema: Schema) -> None:
        self.store = store
        self.schema = schema
        self._handles: dict[type[Row], Handles[Any]] = {}
        self._lists: dict[tuple[Any, ...], list[Any]] = {}
        self.begin()

    def begin(self) -> None:
        """Starts a call, at the store's time."""
        self.now: dt.datetime = self.store.now
        self.today: dt.date = self.now.date()
        self._lists.clear()
        self._me: Row | None = None

    @property
    def me(self) -> Any:
        """The acting user: the first row of the actor's entity."""
        if self._me is None:
            row = self.schema.names[self.schema.actor]
            found = self.store.rows(row.__name__)
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

    def handle(self, row: type[R], key: str) -> R:
        """The handle on the row with this id, whether there is such a row or not."""
        held = self._handles.get(row)
        if held is None:
            held = self._handles[row] = Handles(self, row)
        found: R = held[key]
        return found

    def exists(self, row: type[Row], key: str) -> bool:
        """Whether there is such a row."""
        return self.handle(row, key)._held is not GONE

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
        return self._listed((row,), row, {})

    def find(self, row: type[R], /, **equal: Any) -> list[R]:
        """Rows whose fields have these values (one of them, for a tuple), in key order, without archived ones."""
        return self._listed((row, *equal.items()), row, equal)

    def count(self, row: type[Row], /, **equal: Any) -> int:
        """How many rows `find` would give."""
        self.store.step(2)
        return len(self._matching(row, equal))

    def sum(self, row: type[Row], field: str, /, **equal: Any) -> Any:
        """Total of a field over the rows that `find` would give."""
        return sum((getattr(one, field) for one in self.find(row, **equal)), ZERO)

    def handles(self, row: type[R], found: Iterable[StoredRow]) -> list[R]:
        """Handles on rows that the store has just given."""
        held = self._handles.get(row)
        if held is None:
            held = self._handles[row] = Handles(self, row)
        return [held[values[0]] for values in found]  # type: ignore[index]  # ids are text

    def referring(self, row: type[R], place: int, key: str) -> list[R]:
        """Rows of a class that refer to a row in the column at this place, in key order, without archived ones."""
        self.store.step()
        at = (row, place, key)
        known = self._lists.get(at)
        if known is None:
            found = self.store.having(row.__name__, place, key)
            if row._about.archive:
                archived = self.schema.tables[row].fields["archived"].index
                found = [values for values in found if not values[archived]]
            self.store.step(len(found))
            known = self._lists[at] = self.handles(row, found)
        return cast("list[R]", known[:])

    def linked(self, links: Links[Any], key: str) -> list[str]:
        """Ids of the rows in a `links` set, in key order."""
        found = self.store.having(links.table, LINK_OWN, key)
        self.store.step(len(found))
        return sorted(str(values[LINK_OTHER]) for values in found)

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
        place = self.schema.tables[type(row)].fields[field].index
        found: list[R] = []
        pending = self.referring(type(row), place, row.id)[::-1]
        while pending:
            one = pending.pop()
            found.append(one)
            pending.extend(reversed(self.referring(type(row), place, one.id)))
        return found

    def refuse(self, code: str, sentence: str, *evidence: Any) -> ToolRefusal:
        """The refusal of a rule, to be raised.

        Args:
            code: Of the rule.
            sentence: What the agent is told.
            evidence: Rows, lists of rows, or None.
        """
        return ToolRefusal(code, sentence, ids(*evidence))

    def end(self) -> None:
        """Ends a call: lets go of what it remembers for one call, and of handles if they are many."""
        self._lists.clear()
        if sum(map(len, self._handles.values())) > HANDLES:
            self.close()

    def close(self) -> None:
        """Lets go of all rows, which hold on to it: after this it is freed at once."""
        for held in self._handles.values():
            held.clear()
        self._handles.clear()
        self._lists.clear()
        self._me = None

    def draft(self, row: Row, values: StoredRow) -> None:
        """Lets a row be read as it is about to be written."""
        row._held = values

    def refresh(self, row: Row) -> None:
        """Lets a row be read as the store has it."""
        row._held = self.store.read(type(row).__name__, row.id) or GONE

    def forget(self) -> None:
        """Forgets lists, after a write."""
        self._lists.clear()

    def _listed(self, at: tuple[Any, ...], row: type[R], equal: Mapping[str, Any]) -> list[R]:
        """Handles on the rows that fulfil a condition; remembered until something is written."""
        self.store.step()
        known = self._lists.get(at)
        if known is None:
            found = self._matching(row, equal)
            self.store.step(len(found))
            known = self._lists[at] = self.handles(row, found)
        return cast("list[R]", known[:])

    def _matching(self, row: type[Row], equal: Mapping[str, Any]) -> Sequence[StoredRow]:
        """Stored rows whose fields have these values, without archived ones."""
        table = self.schema.tables[row]
        if not equal and not table.archived:
            return self.store.rows(table.name)
        lookup = table.lookup(tuple(equal))
        return self.store.among(table.name, lookup.places, lookup.values(equal))


def ids(*evidence: Any) -> tuple[str, ...]:
    """Ids of rows, of the rows in lists, sorted and distinct; None adds nothing."""
    found: set[str] = set()
    for one in evidence:
        if isinstance(one, Row):
            found.add(one.id)
        elif one is not None:
            found.update(ids(*one))
    return tuple(sorted(found))
