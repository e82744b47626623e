"""Each call of a run with what it changed, for reports."""

from collections.abc import Mapping, Sequence
from typing import Any

from registry.dispatch.outcome import Outcome
from registry.package.change import Stored
from registry.package.meta import Meta
from registry.record import LogRecord, branch_path, is_control
from registry.template import Template

OUTCOMES = {"ok": "ok", "refused": "refused", "invalid": "error", "defect": "defect", "error": "error"}
"""What reports call the outcomes of the log."""


class _Rows:
    """The rows as the calls leave them, one after the other."""

    def __init__(self, meta: Meta, start: Template) -> None:
        self._columns = {table.name: tuple(column.name for column in table.columns) for table in meta.tables}
        self._start = start
        self._written: dict[tuple[str, str], dict[str, Stored]] = {}

    def held(self, table: str, key: str) -> dict[str, Stored]:
        """The row now; empty where there is none."""
        if (table, key) in self._written:
            return self._written[table, key]
        row = self._start.tables[table].rows.get(key)
        return {} if row is None else dict(zip(self._columns[table], row, strict=True))

    def put(self, table: str, key: str, row: dict[str, Stored]) -> None:
        """The row from now on."""
        self._written[table, key] = row


def calls_of(records: tuple[LogRecord, ...]) -> tuple[LogRecord, ...]:
    """The calls of the present branch, in order."""
    return tuple(record for record in branch_path(records) if not is_control(record))


def trace(outcomes: Sequence[Outcome | None], meta: Meta, start: Template, records: Sequence[LogRecord]) -> list[dict[str, Any]]:
    """The calls, each with the rows that it wrote before and after.

    Args:
        outcomes: Of the same calls in this process, which tell the evidence of refusals; the farm's log does not keep it; None where there is none.
        meta: Of the environment.
        start: The rows at the start.
        records: The calls as the farm's log has them.
    """
    rows = _Rows(meta, start)
    return [_told(ours, rows, record) for ours, record in zip(outcomes, records, strict=True)]


def _told(ours: Outcome | None, rows: _Rows, record: LogRecord) -> dict[str, Any]:
    for table, op, key, columns in record.others:
        _change(rows, table, op, key, columns)
    refusal = None
    if record.outcome != "ok":
        code, _, sentence = record.result["text"].partition(": ")
        evidence = list(ours.evidence) if ours is not None and ours.code == record.result["code"] else []
        refusal = {"code": record.result["code"] or code, "message": sentence or code, "evidence": evidence}
    return {
        "seq": record.seq,
        "tool": record.tool,
        "arguments": record.arguments,
        "outcome": OUTCOMES[record.outcome],
        "result": record.result if record.outcome == "ok" else None,
        "refusal": refusal,
        "noise": record.noise,
        "changes": [_change(rows, table, op, key, columns) for table, op, key, columns in record.writes],
    }


def _change(rows: _Rows, table: str, op: str, key: str, columns: Mapping[str, Stored]) -> dict[str, Any]:
    """One row write; an update tells the columns that it wrote, the others tell whole rows."""
    held = rows.held(table, key)
    before = {name: held.get(name) for name in columns} if op == "update" else {name: value for name, value in held.items() if name != "id"}
    rows.put(table, key, {} if op == "delete" else {**held, **columns})
    return {"op": op, "table": table, "key": key, "before": {} if op == "insert" else before, "after": dict(columns)}
