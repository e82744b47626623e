"""Which new row of a run stands for which new row of gold."""

from server.sidecar.score.assign import assign
from server.sidecar.score.colours import colours
from server.sidecar.score.columns import is_symbol
from server.sidecar.score.judge import Judge
from server.sidecar.score.newrows import Matched, NewRow, RowId, Side

STEPS = 20_000
"""Bound of the exact search, far above what colours leave to do; beyond it the closest assignment is taken."""


def match_rows(gold: Side, run: Side, judge: Judge) -> Matched:
    """One-to-one by content with consistent references: a perfect match where there is one, else the closest.

    Order of rows decides between equal choices, so the answer is the same everywhere.
    """
    if len(gold) == len(run):
        perfect = _Search(gold, run, judge).solve()
        if perfect is not None:
            return perfect
    return _closest(gold, run, judge)


class _Search:
    """Backtracking over gold's rows, the most constrained first; references follow the match."""

    def __init__(self, gold: Side, run: Side, judge: Judge) -> None:
        self.gold, self.run, self.judge, self.steps = gold, run, judge, 0
        left, right = colours(gold, run, judge)
        same = sorted(left.values()) == sorted(right.values())
        self.choices = {
            row_id: [other for other in run if same and left[row_id] == right[other] and self._alike(row, run[other])] for row_id, row in gold.items()
        }

    def _alike(self, row: NewRow, other: NewRow) -> bool:
        """Whether the text columns agree; colours have compared the rest."""
        names = row.plain.keys() | other.plain.keys()
        return all(self.judge.same(row.table, row.key, name, row.plain.get(name), other.plain.get(name)).passed for name in sorted(names))

    def solve(self) -> Matched | None:
        """The first perfect match, or None."""
        return self._extend({}, set())

    def _extend(self, matched: Matched, used: set[RowId]) -> Matched | None:
        if len(matched) == len(self.gold):
            return matched
        self.steps += 1
        open_choices = {row: self._open(row, matched, used) for row in self.gold if row not in matched}
        row = min(open_choices, key=lambda one: len(open_choices[one]))
        for other in open_choices[row]:
            if self.steps > STEPS:
                return None
            found = self._extend({**matched, row: other}, used | {other})
            if found is not None:
                return found
        return None

    def _open(self, row: RowId, matched: Matched, used: set[RowId]) -> list[RowId]:
        return [other for other in self.choices[row] if other not in used and self._consistent(row, other, matched)]

    def _consistent(self, row: RowId, other: RowId, matched: Matched) -> bool:
        links, theirs = self.gold[row].links, self.run[other].links
        outward = all(matched.get(target, theirs[name]) == theirs[name] for name, target in links.items())
        inward = all(
            self.run[matched[one]].links.get(name) == other for one in matched for name, target in self.gold[one].links.items() if target == row
        )
        return outward and inward


def _closest(gold: Side, run: Side, judge: Judge) -> Matched:
    """Pairs rows of a table so that the fewest columns differ; references are judged by the pairing of the round before."""
    matched: Matched | None = None
    for _ in range(3):
        before, matched = matched, _paired(gold, run, judge, matched)
        if before == matched:
            break
    return matched or {}


def _paired(gold: Side, run: Side, judge: Judge, before: Matched | None) -> Matched:
    result: Matched = {row_id: row_id for row_id in gold if not is_symbol(row_id[1]) and row_id in run}
    for table in sorted({table for table, _ in gold}):
        ours = [row for row in gold.values() if row.table == table and is_symbol(row.key)]
        theirs = [row for row in run.values() if row.table == table and row.row_id not in result.values()]
        costs = [[_difference(row, other, judge, before) for other in theirs] for row in ours]
        for row, column in zip(ours, assign(costs), strict=True):
            if column >= 0 and _difference(row, theirs[column], judge, before) < len(row.plain) + len(row.links):
                result[row.row_id] = theirs[column].row_id
    return result


def _difference(row: NewRow, other: NewRow, judge: Judge, before: Matched | None) -> float:
    """How many columns differ. In the first round any reference to a new row will do."""
    wrong = sum(not judge.same(row.table, row.key, name, value, other.plain.get(name)).passed for name, value in row.plain.items())
    for name, target in row.links.items():
        there = other.links.get(name)
        wrong += there is None or (before is not None and before.get(target) != there)
    return float(wrong)
