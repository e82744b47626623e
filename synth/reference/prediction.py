"""What the interpreter says of one call."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from registry.package.change import ColumnChange, MatchClass, RowChange
from synth.reference.state import Place, Row, State, Write
from synth.reference.tables import Tables

Kind = Literal["ok", "refused", "invalid", "defect"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """The outcome of one call.

    Attributes:
        result: JSON, for `ok`.
        code: For `refused`; `text` is its sentence, or says what is wrong with the arguments, or what has no value (`defect`).
        evidence: Ids that a correct decline cites, sorted.
        state: After the call; the state before it unless `ok`.
        writes: In the order in which they happened; empty unless `ok`.
    """

    kind: Kind
    state: State
    before: State
    tables: Tables
    result: Any = None
    code: str = ""
    text: str = ""
    evidence: tuple[str, ...] = ()
    writes: tuple[Write, ...] = ()

    def changes(self) -> tuple[RowChange, ...]:
        """The net change of rows, by table name then id."""
        touched = {(one.table, one.key) for one in self.writes}
        return changes_of(self.tables, self.before, self.state, touched)


def net_changes(tables: Tables, before: State, after: State) -> tuple[RowChange, ...]:
    """Every row that differs between two states, by table name then id."""
    return changes_of(tables, before, after, after.differing(before))


def changes_of(tables: Tables, before: State, after: State, touched: Iterable[Place]) -> tuple[RowChange, ...]:
    """The net change of the rows named."""
    found = (_change(tables, table, key, before.row(table, key), after.row(table, key)) for table, key in sorted(touched))
    return tuple(one for one in found if one is not None)


def _change(tables: Tables, table: str, key: str, before: Row | None, after: Row | None) -> RowChange | None:
    if before == after:
        return None
    match = tables.match[table]
    if before is None or after is None:
        op: Literal["insert", "delete"] = "insert" if before is None else "delete"
        columns = [one.name for one in tables.columns[table]]
        return RowChange(table=table, op=op, key=key, values={one: _column(one, before, after, match) for one in columns})
    columns = [one for one in before if before[one] != after[one]]
    return RowChange(table=table, op="update", key=key, values={one: _column(one, before, after, match) for one in columns})


def _column(name: str, before: Row | None, after: Row | None, match: dict[str, MatchClass]) -> ColumnChange:
    return ColumnChange.model_validate(
        {"from": None if before is None else before[name], "to": None if after is None else after[name], "class": match[name]}
    )
