"""What the log of a run shows, in the terms in which reasons for failure are told."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from evals.metrics.records import Attempt, Call, RowStep, Run

SUBMIT = "submit_answer"
ASK = "ask_user"


@dataclass(frozen=True)
class Evidence:
    """A failed attempt with its log; each property is one fact that rules look at."""

    attempt: Attempt
    run: Run

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        """Calls of the environment's own tools."""
        return tuple(one for one in self.run.calls if one.tool not in (SUBMIT, ASK))

    @cached_property
    def submitted(self) -> dict[str, Any] | None:
        """Arguments of the accepted submission."""
        for call in reversed(self.run.calls):
            if call.tool == SUBMIT and call.outcome == "ok":
                return call.arguments if isinstance(call.arguments, dict) else {}
        return None

    @property
    def said(self) -> str:
        """The outcome that was submitted, else empty."""
        return str((self.submitted or {}).get("outcome", ""))

    @cached_property
    def checks(self) -> list[dict[str, Any]]:
        """All checks of the score report."""
        return [one for one in (self.run.report or {}).get("checks", ()) if isinstance(one, dict)]

    @cached_property
    def failed(self) -> list[dict[str, Any]]:
        """Checks that are not fulfilled."""
        return [one for one in self.checks if not one.get("passed")]

    @property
    def failed_rows(self) -> list[dict[str, Any]]:
        """Failed checks of rows, not of what was submitted."""
        return [one for one in self.failed if one.get("table")]

    @property
    def failed_submission(self) -> list[dict[str, Any]]:
        """Failed checks of the answer, or of the code and evidence of a decline."""
        return [one for one in self.failed if one.get("column") in ("answer", "reason_code", "evidence") and not one.get("table")]

    @property
    def due(self) -> str:
        """The outcome that was due: done, answered or declined."""
        return next((str(one.get("expected")) for one in self.checks if one.get("class") == "outcome"), "done")

    @cached_property
    def collateral(self) -> list[dict[str, Any]]:
        """Changes that gold does not have."""
        return [one for one in (self.run.report or {}).get("collateral", ()) if isinstance(one, dict)]

    @cached_property
    def writes(self) -> tuple[RowStep, ...]:
        """Every row change of every call, in order."""
        return tuple(change for call in self.calls if call.outcome == "ok" for change in call.changes)

    @cached_property
    def looked_first(self) -> bool:
        """Whether a call that succeeded and changed nothing came before the first change or the submission."""
        for call in self.run.calls:
            if call.outcome != "ok" or call.tool == ASK:
                continue
            if call.tool == SUBMIT or call.changes:
                return False
            return True
        return False

    @property
    def errors(self) -> list[Call]:
        """Calls with arguments that do not fit the tool."""
        return [one for one in self.run.calls if one.outcome in ("error", "invalid")]

    @cached_property
    def gold_changes(self) -> tuple[RowStep, ...]:
        """What was due."""
        return self.run.gold.changes if self.run.gold is not None else ()

    def shown_together(self, key: str, other: str) -> bool:
        """Whether one result showed both rows: then the agent had the choice."""
        return any(key in ids and other in ids for ids in self._results)

    @cached_property
    def _results(self) -> list[frozenset[str]]:
        return [frozenset(texts(call.result)) for call in self.calls if call.outcome == "ok"]

    @cached_property
    def instead(self) -> list[tuple[str, str]]:
        """(id that was used, id that was due) wherever the run did to one row what was due for another."""
        return [*self._rows_instead(), *self._references_instead()]

    def _rows_instead(self) -> Iterator[tuple[str, str]]:
        """The same change of the same columns, in another row of the table."""
        keys = {(one.table, one.key) for one in self.gold_changes}
        for due in self.gold_changes:
            if due.op == "insert" or not self._missed(due):
                continue
            for stray in self.collateral:
                other = (stray.get("table"), stray.get("key"))
                if other[0] == due.table and other not in keys and stray.get("op") == due.op and _alike(stray, due):
                    yield str(stray.get("key")), due.key

    def _missed(self, due: RowStep) -> bool:
        return any(one.get("table") == due.table and one.get("key") == due.key for one in self.failed_rows)

    def _references_instead(self) -> Iterator[tuple[str, str]]:
        """A reference that leads to another row than was due."""
        for one in self.failed_rows:
            column, expected, actual = str(one.get("column")), one.get("expected"), one.get("actual")
            if column.endswith("_id") and isinstance(expected, str) and isinstance(actual, str) and expected != actual:
                yield actual, expected

    @property
    def untouched(self) -> list[dict[str, Any]]:
        """Failed checks of rows that the run never changed."""
        changed = {(one.table, one.key) for one in self.writes}
        return [one for one in self.failed_rows if (one.get("table"), one.get("key")) not in changed]

    @property
    def touched_wrongly(self) -> list[dict[str, Any]]:
        """Failed checks of rows that the run did change."""
        changed = {(one.table, one.key) for one in self.writes}
        return [one for one in self.failed_rows if (one.get("table"), one.get("key")) in changed]


def _alike(stray: dict[str, Any], due: RowStep) -> bool:
    """Whether a stray change sets one of the columns that were due (a delete always does)."""
    values = stray.get("values")
    return due.op == "delete" or (isinstance(values, dict) and bool(values.keys() & due.after.keys()))


def texts(value: Any) -> Iterator[str]:
    """All texts within a JSON value."""
    if isinstance(value, str):
        yield value
        if value[:1] in "{[":
            try:
                yield from texts(json.loads(value))
            except ValueError:
                return
    elif isinstance(value, dict):
        for inner in value.values():
            yield from texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from texts(inner)
