"""What the check of one row has read of a state, to know of another state whether it would come to the same there."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from registry.package.change import Stored
from synth.reference.state import Place, Ref, Row, State

Asked = tuple[str, str, Stored]
"""Table, column, value: of which rows it was asked whether they have it."""


class Unnoted(Exception):
    """A check of one row asked for what no such check asks for (whole tables, say): an error of ours, since such checks are made with care."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What was read, and what came of it.

    Attributes:
        holds: Whether the check held.
        me: The acting user.
        rows: Rows as they were, None where there was none. A row is never changed in place: one that is the same object is the same.
        sets: Ids that were found.
    """

    holds: bool
    me: Ref | None
    rows: Mapping[Place, Row | None]
    sets: Mapping[Asked, tuple[str, ...]]

    def fits(self, state: State, me: Ref | None) -> bool:
        """Whether all that was read is the same in this state."""
        tables = state.tables
        for (table, key), row in self.rows.items():
            if tables[table].get(key) is not row:
                return False
        for asked, found in self.sets.items():
            if state.where(*asked) != found:
                return False
        return me is self.me or me == self.me


class Reading:
    """Stands for a state and notes what is read of it. It knows what a check of one row may ask for; all else is `Unnoted`."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._rows: dict[Place, Row | None] = {}
        self._sets: dict[Asked, tuple[str, ...]] = {}
        self.tables = _Tables(state.tables, self._rows)

    def where(self, table: str, column: str, value: Stored) -> tuple[str, ...]:
        """As of a state, and noted."""
        found = self._sets[table, column, value] = self._state.where(table, column, value)
        return found

    def refs(self, table: str, column: str, value: Stored, *, archive: bool) -> list[Ref]:
        """As of a state; what decides of archived rows is noted too."""
        keys = self.where(table, column, value)
        for key in keys if archive else ():
            self.tables[table].get(key)
        return self._state.refs(table, column, value, archive=archive)

    def read(self, me: Ref | None, *, holds: bool) -> Read:
        """All that was noted."""
        return Read(holds=holds, me=me, rows=self._rows, sets=self._sets)

    def __getattr__(self, name: str) -> NoReturn:
        """No other attribute: what is not noted must not be asked for."""
        raise Unnoted(name)


class _Tables(dict[str, "_Table"]):
    """The tables of a state, each made when first asked for."""

    def __init__(self, tables: Mapping[str, Mapping[str, Row]], rows: dict[Place, Row | None]) -> None:
        super().__init__()
        self._tables, self._rows = tables, rows

    def __missing__(self, name: str) -> "_Table":
        self[name] = made = _Table(name, self._tables[name], self._rows)
        return made


class _Table(Mapping[str, Row]):
    """The rows of a table, each noted when it is looked for."""

    def __init__(self, name: str, held: Mapping[str, Row], rows: dict[Place, Row | None]) -> None:
        self._name, self._held, self._rows = name, held, rows

    def __getitem__(self, key: str) -> Row:
        row = self._rows[self._name, key] = self._held.get(key)
        if row is None:
            raise KeyError(key)
        return row

    def __contains__(self, key: Any) -> bool:
        row = self._rows[self._name, key] = self._held.get(key)
        return row is not None

    def __iter__(self) -> Iterator[str]:
        raise Unnoted(self._name)

    def __len__(self) -> int:
        raise Unnoted(self._name)
