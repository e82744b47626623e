"""Which new row of a run stands for which new row of gold."""

from collections import Counter
from collections.abc import Mapping, Sequence

from registry.package.change import Stored
from registry.score.assign import assign
from registry.score.colours import Coloured
from registry.score.columns import is_symbol
from registry.score.judge import Judge
from registry.score.newrows import Matched, NewRow, RowId, Side

STEPS = 20_000
"""Bound of the exact search, far above what colours leave to do; beyond it the closest assignment is taken."""


def match_rows(coloured: Coloured, run: Side, judge: Judge) -> Matched:
    """One-to-one by content with consistent references: a perfect match where there is one, else the closest.

    Order of rows decides between equal choices, so the answer is the same everywhere.
    """
    gold, left, right = coloured.rows, coloured.colours, coloured.of(run)
    if sorted(left.values()) == sorted(right.values()):
        perfect = _Search(gold, run, judge, left, right).solve()
        if perfect is not None:
            return perfect
    return _Closest(gold, run, judge, left, right).solve()


MOST_COMPARED = 200
"""New rows of one table beyond which only the nearest are compared in full."""


class _Search:
    """Backtracking over gold's rows, the most constrained first; references follow the match."""

    def __init__(self, gold: Side, run: Side, judge: Judge, left: Mapping[RowId, str], right: Mapping[RowId, str]) -> None:
        self.gold, self.run, self.judge, self.steps = gold, run, judge, 0
        self.choices = {
            row_id: [other for other in run if left[row_id] == right[other] and self._alike(row, run[other])] for row_id, row in gold.items()
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


class _Closest:
    """Pairs rows of a table so that the fewest columns differ; what refers to them is judged by the pairing of the round before."""

    ROUNDS = 4

    def __init__(self, gold: Side, run: Side, judge: Judge, left: Mapping[RowId, str], right: Mapping[RowId, str]) -> None:
        self.gold, self.judge, self.left, self.right = gold, judge, left, right
        self.run = {row_id: run[row_id] for row_id in sorted(run, key=lambda one: (right[one], one))}
        self.inward: dict[RowId, list[tuple[RowId, str]]] = {row_id: [] for row_id in gold}
        for row_id, row in gold.items():
            for name, target in row.links.items():
                self.inward[target].append((row_id, name))
        self.plain: dict[tuple[RowId, RowId], int] = {}

    def solve(self) -> Matched:
        """The pairing after a few rounds; rows that have no column in common stay alone."""
        matched: Matched = {}
        for number in range(self.ROUNDS):
            before, matched = matched, self._paired(matched, first=not number)
            if before == matched:
                break
        return matched

    def _paired(self, before: Matched, *, first: bool) -> Matched:
        result: Matched = {row_id: row_id for row_id in self.gold if not is_symbol(row_id[1]) and row_id in self.run}
        taken = set(result.values())
        for table in sorted({table for table, _ in self.gold}):
            ours = [row for row in self.gold.values() if row.table == table and is_symbol(row.key)]
            theirs = self._nearest(ours, [row for row in self.run.values() if row.table == table and row.row_id not in taken])
            costs = [[self._cost(row, other, before, first=first) for other in theirs] for row in ours]
            for row, column in zip(ours, assign(costs), strict=True):
                if column >= 0 and self._wrong(row, theirs[column]) < len(row.plain) + len(row.links):
                    result[row.row_id] = theirs[column].row_id
        return result

    def _nearest(self, ours: Sequence[NewRow], theirs: Sequence[NewRow]) -> Sequence[NewRow]:
        """Of very many rows only those that equal one of ours in most columns: a run that floods a table must not slow the scorer down."""
        if len(theirs) <= MOST_COMPARED:
            return theirs
        wanted: dict[tuple[str, Stored], set[int]] = {}
        for number, row in enumerate(ours):
            for item in row.plain.items():
                wanted.setdefault(item, set()).add(number)

        def alike(row: NewRow) -> int:
            counts = Counter(number for item in row.plain.items() for number in wanted.get(item, ()))
            return max(counts.values(), default=0)

        return sorted(theirs, key=lambda row: -alike(row))[: max(MOST_COMPARED, 2 * len(ours))]

    def _wrong(self, row: NewRow, other: NewRow) -> int:
        """Columns that differ; any reference to a new row will do for one."""
        pair = (row.row_id, other.row_id)
        if pair not in self.plain:
            values = sum(not self.judge.same(row.table, row.key, name, value, other.plain.get(name)).passed for name, value in row.plain.items())
            self.plain[pair] = values + sum(name not in other.links for name in row.links)
        return self.plain[pair]

    def _cost(self, row: NewRow, other: NewRow, before: Matched, *, first: bool) -> float:
        unlike = 0.1 * (self.left[row.row_id] != self.right[other.row_id])
        anchors = 0.5 * len(set(row.anchors) - set(other.anchors))
        if first:
            return self._wrong(row, other) + anchors + unlike
        outward = sum(before.get(target) != other.links.get(name) for name, target in row.links.items() if name in other.links)
        inward = sum(one in before and self.run[before[one]].links.get(name) != other.row_id for one, name in self.inward[row.row_id])
        return self._wrong(row, other) + outward + 0.7 * inward + anchors + unlike
