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
        version: Changes with every write, so that handles know when what they read is old.
        drafts: Rows that are about to be written, by class and id.
    """

    __slots__ = ("_lists", "_me", "drafts", "now", "schema", "store", "today", "version")

    def __init__(self, store: RowStore, schema: Schema) -> None:
        self.store = store
        self.schema = schema
        self.now: dt.datetime = store.now
        self.today: dt.date = store.now.date()
        self.version = 0
        self.drafts: dict[tuple[type[Row], str], StoredRow] = {}
        self._lists: dict[tuple[Any, ...], list[Any]] = {}
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

    def load(self, row: Row) -> StoredRow:
        """Stored values of a row as they are now, or as they are about to be; LookupError if it is gone."""
        kind = row.__class__
        values = (self.drafts.get((kind, row.id)) if self.drafts else None) or self.store.read(kind.__name__, row.id)
        if values is None:
            raise LookupError(f"{row!r} does not exist")
        return values

    def exists(self, row: type[Row], key: str) -> bool:
        """Whether there is such a row."""
        return self.store.read(row.__name__, key) is not None or (row, key) in self.drafts

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
        if self.drafts:
            # One of them may be about to be written: each handle asks when it is read.
            return [row(self, str(values[0])) for values in found]
        made, new, version = [], row.__new__, self.version
        for values in found:
            one = new(row)
            one._ctx = self
            one._held = values
            one._version = version
            one.id = values[0]  # type: ignore[assignment]  # ids are text
            made.append(one)
        return made

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

    def close(self) -> None:
        """Lets go of the rows that it remembers, which hold on to it: after this it is freed at once."""
        self._lists.clear()
        self._me = None

    def draft(self, row: Row, values: StoredRow) -> None:
        """Lets a row be read as it is about to be written."""
        self.drafts[(type(row), row.id)] = values
        self.version += 1

    def undraft(self, row: Row) -> None:
        """Lets a row be read as the store has it."""
        self.drafts.pop((type(row), row.id), None)
        self.version += 1

    def forget(self) -> None:
        """Forgets what was read, after a write."""
        self._lists.clear()
        self.version += 1

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
