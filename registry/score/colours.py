"""Colours of new rows: rows of different colours cannot stand for each other."""

import hashlib
from collections.abc import Mapping

from registry.score.columns import is_symbol
from registry.score.judge import Judge
from registry.score.newrows import NewRow, RowId, Side

ROUNDS = 12
"""Longest chain of references that colours look along."""


class Coloured:
    """Gold's new rows with one colour each, from exact columns, referrers and (repeatedly) the colours of neighbours.

    Colours can be compared between gold and a run and depend on no generated id. Text columns take no part: meaning the same is no equivalence.

    Source: colour refinement, B. Weisfeiler and A. Lehman (1968).
    """

    def __init__(self, gold: Side, judge: Judge) -> None:
        self.rows = gold
        self._judge = judge
        self._literal = {row_id for row_id in gold if not is_symbol(row_id[1])}
        self.colours = self.of(gold)

    def of(self, side: Side) -> Mapping[RowId, str]:
        """The colours of the new rows of a run."""
        found = {row_id: _colour(_base(row, self._judge, self._literal)) for row_id, row in side.items()}
        for _ in range(min(ROUNDS, len(self.rows))):
            found = _refined(side, found)
        return found


def _colour(value: object) -> str:
    return hashlib.sha256(repr(value).encode()).hexdigest()[:24]


def _base(row: NewRow, judge: Judge, literal: set[RowId]) -> object:
    exact = tuple((name, value) for name, value in sorted(row.plain.items()) if judge.columns.match(row.table, name) == "exact")
    key = row.key if row.row_id in literal else ""
    return (row.table, key, exact, row.anchors, tuple(sorted(row.links)))


def _refined(rows: Side, now: Mapping[RowId, str]) -> dict[RowId, str]:
    inward: dict[RowId, list[tuple[str, str]]] = {row_id: [] for row_id in rows}
    for row_id, row in rows.items():
        for name, target in row.links.items():
            inward[target].append((name, now[row_id]))
    result = {}
    for row_id, row in rows.items():
        outward = tuple((name, now[target]) for name, target in sorted(row.links.items()))
        result[row_id] = _colour((now[row_id], outward, tuple(sorted(inward[row_id]))))
    return result
