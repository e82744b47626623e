"""What `envfarm score` and `envfarm diff` print of rows, for people."""

from typing import Any

from evals.running.telling import wrong
from server.cli.episode import change_lines
from server.cli.runs import report_text

COLUMNS = {
    "Pet": {"weight": {"kind": "decimal", "places": 1}},
    "Invoice": {"paid": {"kind": "money", "places": 2}, "void": {"kind": "bool", "places": 0}},
}


def check(table: str, column: str, expected: Any, actual: Any, *, passed: bool = False, counts: bool = True) -> dict[str, Any]:
    place = {"table": table, "key": "" if not table else "K-1", "column": column, "class": "exact"}
    return {**place, "expected": expected, "actual": actual, "passed": passed, "counts": counts, "why": ""}


def report(*checks: dict[str, Any]) -> dict[str, Any]:
    stray = {"table": "Invoice", "key": "INV-1", "op": "update", "values": {"paid": 150, "void": 0}}
    return {"verdict": "FAIL", "reward": 0, "partial": 0.0, "checks": [*checks], "collateral": [stray], "columns": COLUMNS}


def test_money_decimals_and_bools_stand_in_the_score_as_tools_show_them():
    lines = report_text(report(check("Pet", "weight", 59, 221), check("Invoice", "void", 1, None))).splitlines()

    assert lines[3].split() == ["WRONG", "Pet", "K-1", "weight", "exact", "5.9", "22.1"]
    assert lines[4].split() == ["WRONG", "Invoice", "K-1", "void", "exact", "true", "null"]
    assert lines[-1].endswith("paid: 1.50, void: false")


def test_rows_that_partial_does_not_count_are_marked_whatever_came_and_those_that_are_broken_are_wrong():
    came = [("done", True, False), (None, True, False), ("declined", False, False), ("done", True, True)]
    checks = [check("", "outcome", "done", actual, passed=passed, counts=counts) for actual, passed, counts in came]
    marks = [line.split("outcome")[0].strip() for line in report_text(report(*checks)).splitlines()[3:7]]

    assert marks == ["not counted", "not counted", "WRONG", "ok"]


def test_the_remark_of_an_attempt_has_its_numbers_as_tools_show_them():
    assert wrong(report(check("Pet", "weight", 59, 221))) == "Pet.K-1.weight: expected 5.9, got 22.1"


def test_a_difference_tells_values_as_tools_show_them():
    change = {"op": "update", "table": "Invoice", "key": "INV-1", "values": {"paid": {"from": 0, "to": 150}, "note": {"from": None, "to": "x"}}}

    assert change_lines(change, COLUMNS) == ["~ Invoice INV-1", "    paid: 0.00 -> 1.50", '    note: null -> "x"']
