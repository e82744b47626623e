"""Typed answers: many ways to write the right value, none to get past a wrong one."""

import pytest

from registry.package.pack import TypedAnswer
from registry.score.answers import judge_answer

CASES: list[tuple[str, str, str, list[str], list[str]]] = [
    (
        "number",
        "12",
        "0",
        ["12", " 12 ", "12.0", "12.", "+12", '"12"'],
        ["13", "1 2", "12 or 13", "0x0C", "1.2e1", "12%", "NaN", "twelve", "", "-12", "12..5"],
    ),
    ("number", "1234.5", "0", ["1234.5", "1,234.50", "1 234.5", "1'234.5"], ["1.234,5", "12,34.5", "12345", "1,2345"]),
    ("number", "2.5", "0.05", ["2.5", "2.45", "2.55", "2.52"], ["2.44", "2.56", "25"]),
    (
        "money",
        "1234.50",
        "0",
        ["EUR 1,234.50", "1234.5", "1,234.50 EUR", "$1,234.50", "1234.50€", "€ 1234.50"],
        ["1234.05", "EUR", "1234.50 or so", "-1234.50"],
    ),
    ("money", "-5.00", "0", ["-5", "-5.00", "\u22125.00", "-$5", "EUR -5", "- 5.00 EUR"], ["5", "--5", "-$-5"]),
    (
        "date",
        "2026-03-05",
        "0",
        [
            "2026-03-05",
            "5 March 2026",
            "March 5, 2026",
            "5th of March 2026",
            "Thursday, 5 March 2026",
            "Thu 2026-03-05",
            "2026/3/5",
            "2026-03-05T00:00:00",
        ],
        ["2026-03-06", "2026-05-03", "5 March", "05/03/2026", "Monday, 5 March 2026", "2026-13-05", "2026-03-05 or 2026-03-06", "2026-03-05T10:00"],
    ),
    (
        "datetime",
        "2026-03-05T10:30:00",
        "0",
        [
            "2026-03-05T10:30:00",
            "2026-03-05 10:30",
            "2026-03-05T10:30:00Z",
            "10:30 on 5 March 2026",
            "Thursday, 5 March 2026 at 10:30 am",
            "5 Mar 2026, 10:30",
        ],
        ["2026-03-05T10:30:01", "2026-03-05", "10:30", "5 March 2026 at 10:30 pm", "2026-03-05T25:30", "2026-03-05 10:30 and 11:30"],
    ),
    ("id", "OWN-0001", "0", ["OWN-0001", " OWN-0001\n", "`OWN-0001`", "OWN-0001."], ["OWN-0002", "OWN-0001 OWN-0002", "own 1", "OWN-00011"]),
    (
        "set",
        "OWN-0001,OWN-0002",
        "0",
        ["OWN-0002, OWN-0001", "OWN-0001 and OWN-0002", '["OWN-0001","OWN-0002"]', "- OWN-0001\n- OWN-0002", "OWN-0001;OWN-0002;OWN-0001"],
        ["OWN-0001", "OWN-0001, OWN-0002, OWN-0003", "OWN-0001 OWN-0002", "none", ""],
    ),
    ("set", "", "0", ["none", "", "[]", "None."], ["OWN-0001", "none, OWN-0001"]),
    ("set", "Rex,Bella,12.50", "0", ["bella, rex and 12.5", "Rex; Bella; 12.50"], ["rex, bella", "rex, bella, 12.51"]),
    ("bool", "yes", "0", ["yes", "Yes.", "TRUE", "y"], ["no", "false", "maybe", "yes and no", "not yes"]),
    ("enum", "owner_ill", "0", ["owner_ill", "Owner ill", "OWNER-ILL"], ["owner", "ill owner", "not owner_ill", "cost"]),
]


@pytest.mark.parametrize(("kind", "value", "tolerance", "right", "wrong"), CASES, ids=[f"{case[0]} {case[1]}" for case in CASES])
def test_answers_are_lenient_in_writing_and_strict_in_value(kind: str, value: str, tolerance: str, right: list[str], wrong: list[str]) -> None:
    expected = TypedAnswer.model_validate({"kind": kind, "value": value, "tolerance": tolerance})
    assert [text for text in right if not judge_answer(expected, text).passed] == []
    assert [text for text in wrong if judge_answer(expected, text).passed] == []
    assert not judge_answer(expected, None).passed


def test_a_text_answer_must_say_its_facts() -> None:
    expected = TypedAnswer(kind="text", value="The boiler leaks.", facts=(("boiler",), ("leaks", "is leaking", "leak")))
    assert judge_answer(expected, "a leak in the boiler").passed
    assert not judge_answer(expected, "The boiler does not leak.").passed
    assert not judge_answer(expected, "The boiler.").passed


def test_a_huge_answer_is_refused_unread() -> None:
    verdict = judge_answer(TypedAnswer(kind="number", value="1"), "1" + " " * 5_000)
    assert (verdict.passed, verdict.why) == (False, "too long")
