"""Each call of a run with what it changed, for reports."""

from collections.abc import Iterable, Mapping
from typing import Any

from registry.episode import LocalEpisode
from registry.episode.record import LogRecord, branch_path, is_control
from registry.package.change import Stored
from registry.package.pack import WorldRow

OUTCOMES = {"ok": "ok", "refused": "refused", "invalid": "error", "defect": "defect", "error": "error"}
"""What reports call the outcomes of the log."""
Rows = dict[tuple[str, str], dict[str, Stored]]


def trace(episode: LocalEpisode, scenario: Iterable[WorldRow], records: tuple[LogRecord, ...]) -> list[dict[str, Any]]:
    """The calls of the present branch, in order, each with the rows that it wrote before and after.

    Args:
        episode: Fresh, of the same terms as the run; it tells the evidence of refusals, which the farm's log does not keep.
        scenario: The rows at the start.
        records: The log of the farm.
    """
    rows: Rows = {(table, str(row["id"])): dict(row) for table, row in scenario}
    return [_told(episode, rows, record) for record in branch_path(records) if not is_control(record)]


def _told(episode: LocalEpisode, rows: Rows, record: LogRecord) -> dict[str, Any]:
    for table, op, key, columns in record.others:
        _change(rows, table, op, key, columns)
    ours = episode.call(record.tool, record.arguments)
    refusal = None
    if record.outcome != "ok":
        code, _, sentence = record.result["text"].partition(": ")
        evidence = list(ours.evidence) if ours.code == record.result["code"] else []
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


def _change(rows: Rows, table: str, op: str, key: str, columns: Mapping[str, Stored]) -> dict[str, Any]:
    """One row write; an update tells the columns that it wrote, the others tell whole rows."""
    place = (table, key)
    held = rows.get(place, {})
    before = {name: held.get(name) for name in columns} if op == "update" else {name: value for name, value in held.items() if name != "id"}
    if op == "delete":
        rows.pop(place, None)
    else:
        rows[place] = {**held, **columns}
    return {"op": op, "table": table, "key": key, "before": {} if op == "insert" else before, "after": dict(columns)}
