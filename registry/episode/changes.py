"""Net changes of an episode, from the changeset of SQLite's session extension."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

import apsw

from registry.episode.layout import Layout, TableLayout
from registry.package.change import ColumnChange, RowChange, Stored
from registry.package.ordering import StoredRow

Differing = tuple[tuple[str, str, StoredRow | None, StoredRow | None], ...]
"""Table and id of rows that are not as they were at the start, what was there, what is there now; ordered by table, then id."""

Pairs = Sequence[tuple[Stored, Stored]]


def net_changes(changeset: bytes, layout: Layout) -> tuple[RowChange, ...]:
    """Rows that differ from the start, ordered by table, then key; restored rows are not among them.

    Args:
        changeset: Of a session that has watched all tables since the start.
        layout: Columns and their match classes; exempt columns are marked, not left out.
    """
    changes = [_change(one, layout[one.name]) for one in apsw.Changeset.iter(changeset)]
    return tuple(sorted(changes, key=lambda change: (change.table, change.key)))


def changes_of(differing: Differing, layout: Layout) -> tuple[RowChange, ...]:
    """The same from the rows that are not as they were at the start."""
    found = [_since(layout[table], key, before, after) for table, key, before, after in differing]
    return tuple(one for one in found if one is not None)


def changes_since(
    left: Mapping[tuple[str, str], StoredRow | None],
    read: Callable[[str, str], StoredRow | None],
    found: Sequence[RowChange],
    layout: Layout,
) -> tuple[RowChange, ...]:
    """Net changes counted, for some rows, from a later time than the start.

    Args:
        left: These rows as they were then, by table and id; None: not there.
        read: A row as it is now.
        found: Net changes since the start.
    """
    since = [_since(layout[table], key, before, read(table, key)) for (table, key), before in left.items()]
    rest = [one for one in found if (one.table, one.key) not in left]
    return tuple(sorted([*rest, *(one for one in since if one is not None)], key=lambda change: (change.table, change.key)))


def _since(layout: TableLayout, key: str, before: StoredRow | None, after: StoredRow | None) -> RowChange | None:
    every = range(1, len(layout.columns))
    if before == after:
        return None
    if before is None and after is not None:
        return _made(layout, "insert", key, [(None, value) for value in after], every)
    if before is not None and after is None:
        return _made(layout, "delete", key, [(value, None) for value in before], every)
    pairs = list(zip(before or (), after or (), strict=True))
    return _made(layout, "update", key, pairs, [index for index in every if pairs[index][0] != pairs[index][1]])


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
