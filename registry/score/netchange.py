"""Net changes of a run against one accepted net change: checks with what each expected, collateral with what nobody asked for."""

from collections.abc import Sequence
from dataclasses import dataclass

from registry.package.change import RowChange, Stored
from registry.score.colours import Coloured
from registry.score.columns import Seen, is_symbol
from registry.score.judge import Judge
from registry.score.matching import match_rows
from registry.score.newrows import Matched, RowId, Side, new_rows
from registry.score.report import ROW, Check, CheckClass, Collateral
from registry.score.text import Judged


@dataclass(frozen=True, slots=True)
class Compared:
    """All checks of one accepted net change and what lies outside of it."""

    checks: tuple[Check, ...]
    collateral: tuple[Collateral, ...]


class Expected:
    """One accepted net change of gold, ready to be compared with any number of runs; PackageError where it is malformed.

    Attributes:
        changes: Those that count, with what is seen of each.
        rows: The new ones among them, and how they are coloured.
        counts: Table, id and column of what an update has to change, since the start state does not have it.
    """

    def __init__(self, gold: Sequence[RowChange], judge: Judge) -> None:
        self.judge = judge
        visible = judge.columns.visible(gold)
        self.changes = tuple((change, judge.columns.seen(change)) for change in visible)
        self.rows: Side = new_rows(visible, judge, gold=True)
        self.coloured = Coloured(self.rows, judge)
        self.counts = {
            (change.table, change.key, name)
            for change, values in self.changes
            for name, (before, expected) in values.items()
            if change.op == "update" and (is_symbol(expected) or not judge.same(change.table, change.key, name, expected, before).passed)
        }

    def against(self, run: Sequence[RowChange]) -> Compared:
        """Every check on the changes of a run."""
        return _Comparison(self, self.judge.columns.visible(run), self.judge).done()


class _Comparison:
    def __init__(self, gold: Expected, run: tuple[RowChange, ...], judge: Judge) -> None:
        self.gold, self.judge = gold, judge
        self.theirs: Side = new_rows(run, judge, gold=False)
        self.matched: Matched = match_rows(gold.coloured, self.theirs, judge)
        self.symbols = {key: self.matched.get((table, key)) for table, key in gold.rows if is_symbol(key)}
        self.inserted = {(change.table, change.key): change for change in run if change.op == "insert"}
        self.touched = {(change.table, change.key): change for change in run if change.op != "insert"}

    def done(self) -> Compared:
        checks = [check for change, values in self.gold.changes for check in self._checks(change, values)]
        return Compared(tuple(checks), tuple(self._extra_rows() + self._extra_columns()))

    def _checks(self, change: RowChange, values: Seen) -> list[Check]:
        if change.op == "insert":
            return self._inserted(change, values)
        return self._updated(change, values) if change.op == "update" else [self._deleted(change)]

    def _inserted(self, change: RowChange, values: Seen) -> list[Check]:
        partner = self.matched.get((change.table, change.key))
        found = self.inserted[partner] if partner else None
        theirs = self.judge.columns.seen(found) if found else {}
        key = partner[1] if partner else change.key
        why = "" if found else "no such new row"
        checks = []
        for name in sorted(values.keys() | theirs.keys()):
            expected, actual = values.get(name, (None, None))[1], theirs.get(name, (None, None))[1]
            judged = self._same(change, name, expected, actual) if found else Judged(passed=False, why=why)
            checks.append(self._check(change.table, key, name, expected, actual, judged))
        if not checks:
            checks.append(self._row(change.table, key, "inserted", "inserted" if found else "absent"))
        return checks

    def _updated(self, change: RowChange, values: Seen) -> list[Check]:
        found = self.touched.get((change.table, change.key))
        theirs = self.judge.columns.seen(found) if found else {}
        gone = found is not None and found.op == "delete"
        checks = []
        for name, (before, expected) in values.items():
            actual = None if gone else theirs.get(name, (before, before))[1]
            judged = Judged(passed=False, why="row deleted") if gone else self._same(change, name, expected, actual)
            counts = (change.table, change.key, name) in self.gold.counts
            checks.append(self._check(change.table, change.key, name, expected, actual, judged, counts=counts))
        return checks

    def _deleted(self, change: RowChange) -> Check:
        found = self.touched.get((change.table, change.key))
        return self._row(change.table, change.key, "deleted", "deleted" if found is not None and found.op == "delete" else "present")

    def _same(self, change: RowChange, name: str, expected: Stored, actual: Stored) -> Judged:
        """Compares one value; a symbol stands for the row that it was matched with, and nothing else may point there."""
        column = self.judge.columns.column(change.table, name)
        if column.kind == "reference" and isinstance(expected, str) and is_symbol(expected):
            partner = self.symbols.get(expected)
            return Judged(passed=partner is not None and partner[1] == actual, why="" if partner else "no such new row")
        return self.judge.same(change.table, change.key, name, expected, actual)

    def _check(self, table: str, key: str, name: str, expected: Stored, actual: Stored, judged: Judged, *, counts: bool = True) -> Check:
        cls: CheckClass = "text" if self.judge.columns.match(table, name) == "text" else "exact"
        return Check(
            table=table, key=key, column=name, cls=cls, expected=expected, actual=actual, passed=judged.passed, counts=counts, why=judged.why
        )

    def _row(self, table: str, key: str, expected: str, actual: str) -> Check:
        return Check(table=table, key=key, column=ROW, cls="exact", expected=expected, actual=actual, passed=expected == actual)

    def _extra_rows(self) -> list[Collateral]:
        """New rows without a partner, rows changed or removed that gold leaves alone."""
        partners = set(self.matched.values())
        expected: dict[RowId, RowChange] = {(change.table, change.key): change for change, _ in self.gold.changes if change.op != "insert"}
        strays = [change for row_id, change in self.inserted.items() if row_id not in partners]
        for row_id, change in self.touched.items():
            ours = expected.get(row_id)
            if ours is None or (ours.op == "update" and change.op == "delete"):
                strays.append(change)
        strays.sort(key=lambda change: (change.table, change.key))
        return [self._collateral(change, {name: after for name, (_, after) in self.judge.columns.seen(change).items()}) for change in strays]

    def _extra_columns(self) -> list[Collateral]:
        """Columns changed in rows of which gold changes other columns."""
        found = []
        for change, ours in self.gold.changes:
            run = self.touched.get((change.table, change.key))
            if change.op != "update" or run is None or run.op != "update":
                continue
            extra = {name: after for name, (_, after) in self.judge.columns.seen(run).items() if name not in ours}
            if extra:
                found.append(self._collateral(run, extra))
        return found

    def _collateral(self, change: RowChange, values: dict[str, Stored]) -> Collateral:
        return Collateral(table=change.table, key=change.key, op=change.op, values=dict(values))
