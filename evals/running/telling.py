"""What a finished run comes to: counts of its calls, and the file that reports are made from."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from evals.running.attempt import Attempt
from registry.package.stored_form import shown_text


def counted(calls: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Calls, refusals, errors, retries."""
    undone: set[str] = set()
    retries = 0
    for one in calls:
        said = json.dumps([one["tool"], one["arguments"]], sort_keys=True)
        retries += said in undone
        if one["outcome"] != "ok":
            undone.add(said)
    return {
        "calls": len(calls),
        "refusals": sum(one["outcome"] == "refused" for one in calls),
        "errors": sum(one["outcome"] in ("error", "defect") for one in calls),
        "retries": retries,
    }


def told_run(
    attempt: Attempt,
    instruction: str,
    calls: Sequence[Mapping[str, Any]],
    report: Mapping[str, Any],
    gold: Mapping[str, Any],
    messages: list[Any] | None,
) -> dict[str, Any]:
    """The object of runs/RUN.json."""
    accepted = gold["accepted"]
    return {
        "run": attempt.run,
        "task": attempt.task,
        "environment": attempt.environment,
        "epoch": attempt.epoch,
        "instruction": instruction,
        "calls": list(calls),
        "report": dict(report),
        "gold": {
            "calls": [{"tool": one["tool"], "arguments": one["arguments"]} for one in gold["calls"]],
            "changes": [_change(one) for one in accepted[0]["changes"]] if accepted else [],
            "outcome": gold["outcome"],
            "answer": gold["answer"],
            "declined": gold["declined"],
            "distractors": sorted({one["distractor"] for one in gold["proofs"].get("distractors", ())}),
        },
        "messages": messages,
    }


def _change(change: Mapping[str, Any]) -> dict[str, Any]:
    """A net change of gold in the form of the changes of a call."""
    values = change["values"]
    before = {} if change["op"] == "insert" else {name: one["from"] for name, one in values.items()}
    after = {} if change["op"] == "delete" else {name: one["to"] for name, one in values.items()}
    return {"op": change["op"], "table": change["table"], "key": change["key"], "before": before, "after": after}


def wrong(report: Mapping[str, Any]) -> str:
    """The first failed check or change too many, in a few words."""
    for check in report["checks"]:
        if not check["passed"]:
            place = ".".join(part for part in (check["table"], check["key"], check["column"]) if part)
            expected, actual = (told_value(report, check, check[name]) for name in ("expected", "actual"))
            return f"{place}: expected {expected}, got {actual} {check['why']}".rstrip()
    for change in report["collateral"]:
        return f"collateral {change['op']} {change['table']} {change['key']}"
    return ""


def told_value(report: Mapping[str, Any], check: Mapping[str, Any], value: Any) -> str:
    """A value of a check as tools show it."""
    return shown_text(value, report.get("columns", {}), check["table"], check["column"]) or repr(value)
