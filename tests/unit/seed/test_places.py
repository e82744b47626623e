"""Places of problems: line and column in the YAML file, also inside literal blocks."""

from pathlib import Path

import pytest

from synth.seed.read import check_seed

SMALL = (Path(__file__).resolve().parents[2] / "data/small_seed.yaml").read_text(encoding="utf-8")
MARK = "      owner.credit = 0\n"


def places(text):
    """(what stands at the place of each problem, code)."""
    lines = text.split("\n")
    _, problems = check_seed(text.encode(), "small.yaml")
    return [(lines[one.where.line - 1][one.where.column - 1 :], one.code) for one in problems]


@pytest.mark.parametrize("text", ["x = nowhere", "x = 'é' == nowhere", "x = (1 +\n           nowhere)", "x = [nowhere for v in owner.visits]"])
def test_a_wrong_name_in_a_literal_block_is_found_to_the_column(text):
    ((rest, code),) = places(SMALL.replace(MARK, f"      {text}\n      owner.credit = 0\n", 1))
    assert rest.startswith("nowhere")
    assert code == "UNKNOWN_NAME"


def test_a_wrong_name_in_a_quoted_expression_is_found_to_the_column():
    ((rest, code),) = places(SMALL.replace('is: "minutes * 2"', 'is: "2 * minuts"', 1))
    assert rest.startswith("minuts")
    assert code == "UNKNOWN_NAME"


@pytest.mark.parametrize("block", ["functions", "tools", "invariants", "data"])
@pytest.mark.parametrize("indent", [1, 4, 7])
def test_places_hold_for_each_block_and_any_indent(block, indent):
    head, _, rest = SMALL.partition(f"{block}: |\n")
    body, after = [], rest.split("\n")
    while after and (after[0].startswith(" ") or not after[0]):
        body.append(after.pop(0))
    function = {
        "functions": "def probe_it(owner: Owner):\n    return nowhere",
        "tools": 'def probe_it(owner: Owner):\n    """Try."""\n    return nowhere',
        "invariants": 'def probe_it():\n    """Always."""\n    return nowhere',
        "data": "def Clerk():\n    name = nowhere",
    }[block]
    lines = [line[2:] for line in body] + function.split("\n")
    text = head + f"{block}: |\n" + "\n".join(" " * indent + line if line else "" for line in lines) + "\n" + "\n".join(after)
    ((found, code),) = places(text)
    assert found.startswith("nowhere")
    assert code == "UNKNOWN_NAME"


def test_a_syntax_error_is_found_to_the_line():
    ((rest, code),) = places(SMALL.replace(MARK, "      owner.credit = = 0\n", 1))
    assert code == "SYNTAX"
    assert rest.startswith("= 0")


def test_windows_line_ends_and_a_byte_order_mark_change_nothing():
    text = SMALL.replace(MARK, "      owner.credit = nowhere\n", 1)
    plain = [str(one) for one in check_seed(text.encode(), "small.yaml")[1]]
    assert [str(one) for one in check_seed(text.replace("\n", "\r\n").encode("utf-8-sig"), "small.yaml")[1]] == plain


def test_a_key_is_the_place_of_a_problem_with_its_name():
    ((rest, code),) = places(SMALL.replace("      plan: {type: Plan", "      class: text\n      plan: {type: Plan", 1))[:1]
    assert rest.startswith("class: text")
    assert code == "RESERVED_NAME"
