"""The rows that gold or a run creates, with what refers to what."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from registry.package.change import RowChange, Stored
from registry.package.errors import PackageError
from registry.score.columns import is_symbol
from registry.score.judge import Judge

RowId = tuple[str, str]
"""Table and key."""

Matched = dict[RowId, RowId]
"""Gold's new row to the run's new row; rows without a partner are absent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRow:
    """One inserted row. `plain` holds the columns that can be compared at once, `links` those that refer to another new row.

    `anchors` are the columns of existing rows that were made to refer to it.
    """

    table: str
    key: str
    plain: Mapping[str, Stored]
    links: Mapping[str, RowId]
    anchors: tuple[tuple[str, str, str], ...]

    @property
    def row_id(self) -> RowId:
        """Table and key."""
        return (self.table, self.key)


Side = dict[RowId, NewRow]
"""All new rows of gold, or of a run, ordered by table then key."""


def new_rows(changes: Sequence[RowChange], judge: Judge, *, gold: bool) -> Side:
    """Sorts the inserts out of visible changes; PackageError where gold uses a symbol twice or one that names no new row."""
    inserts = [change for change in changes if change.op == "insert"]
    if gold:
        _refuse_reused_symbols(inserts)
    new = {(change.table, change.key) for change in inserts}
    anchors: dict[RowId, list[tuple[str, str, str]]] = {row: [] for row in new}
    for change in changes:
        if change.op == "update":
            for column, target in _links(change, judge, new, gold=gold).items():
                anchors[target].append((change.table, change.key, column))
    rows = [_new_row(change, judge, new, anchors, gold=gold) for change in inserts]
    return {row.row_id: row for row in sorted(rows, key=lambda row: row.row_id)}


def _new_row(change: RowChange, judge: Judge, new: set[RowId], anchors: dict[RowId, list[tuple[str, str, str]]], *, gold: bool) -> NewRow:
    links = _links(change, judge, new, gold=gold)
    plain = {name: after for name, (_, after) in judge.columns.seen(change).items() if name not in links}
    referrers = tuple(sorted(anchors[change.table, change.key]))
    return NewRow(table=change.table, key=change.key, plain=plain, links=links, anchors=referrers)


def _refuse_reused_symbols(inserts: Sequence[RowChange]) -> None:
    symbols = sorted(change.key for change in inserts if is_symbol(change.key))
    for one, other in itertools.pairwise(symbols):
        if one == other:
            raise PackageError(f"gold: expected each symbol to name one new row, got {one} for several. Rebuild the task pack.")


def _links(change: RowChange, judge: Judge, new: set[RowId], *, gold: bool) -> dict[str, RowId]:
    found = {}
    for name, (_, after) in judge.columns.seen(change).items():
        meta = judge.columns.column(change.table, name)
        if meta.kind != "reference" or not isinstance(after, str):
            continue
        targets = [(table, after) for table in meta.references if (table, after) in new]
        if targets:
            found[name] = targets[0]
        elif gold and is_symbol(after):
            raise PackageError(f"gold {change.table} {change.key}: expected {name} to name a new row, got {after}. Rebuild the task pack.")
    return found
