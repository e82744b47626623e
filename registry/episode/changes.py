"""Net changes of an episode, from the changeset of SQLite's session extension."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal

import apsw

from registry.episode.layout import Layout, TableLayout
from registry.package.change import ColumnChange, RowChange, Stored

Pairs = Sequence[tuple[Stored, Stored]]


def net_changes(changeset: bytes, layout: Layout) -> tuple[RowChange, ...]:
    """Rows that differ from the start, ordered by table, then key; restored rows are not among them.

    Args:
        changeset: Of a session that has watched all tables since the start.
        layout: Columns and their match classes; exempt columns are marked, not left out.
    """
    changes = [_change(one, layout[one.name]) for one in apsw.Changeset.iter(changeset)]
    return tuple(sorted(changes, key=lambda change: (change.table, change.key)))


def changed_rows(changeset: bytes) -> list[tuple[str, str]]:
    """Table and id of each row that differs from the start."""
    return [(one.name, str((_raw(one.new) if one.op == "INSERT" else _raw(one.old))[0])) for one in apsw.Changeset.iter(changeset)]


def _change(one: apsw.TableChange, layout: TableLayout) -> RowChange:
    if one.op == "INSERT":
        after = _values(one.new)
        return _made(layout, "insert", after[0], [(None, value) for value in after], range(1, len(after)))
    before = _values(one.old)
    if one.op == "DELETE":
        return _made(layout, "delete", before[0], [(value, None) for value in before], range(1, len(before)))
    new = _values(one.new)
    changed = [index for index, value in enumerate(_raw(one.new)) if index and value is not apsw.no_change]
    return _made(layout, "update", before[0], list(zip(before, new, strict=True)), changed)


def _raw(values: Any) -> tuple[Any, ...]:
    return values or ()


def _values(values: Any) -> tuple[Stored, ...]:
    return values or ()


def _made(layout: TableLayout, op: Literal["insert", "update", "delete"], key: Stored, pairs: Pairs, indices: Iterable[int]) -> RowChange:
    values = {
        layout.columns[index]: ColumnChange.model_construct(before=pairs[index][0], after=pairs[index][1], match=layout.match[index])
        for index in indices
    }
    return RowChange.model_construct(table=layout.name, op=op, key=str(key), values=values)
