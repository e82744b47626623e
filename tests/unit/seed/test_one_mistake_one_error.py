"""A mistake in an entity is told once, where it is: what others would have had from it is no error of theirs."""

import re
from pathlib import Path

import pytest

from synth.seed.read import check_seed

SMALL = (Path(__file__).resolve().parents[2] / "data/small_seed.yaml").read_text(encoding="utf-8")
LINES = SMALL.split("\n")
SPOILT = {
    "a reference to what there is not": (r"ref: (\w+)", r"ref: \1zz"),
    "a reverse set under an unknown key": (r"many: ", "mny: "),
    "a reverse set that is taken": (r"many: \w+", "many: id"),
    "a reference under an unknown key": (r"ref: ", "reff: "),
    "an unknown type": (r"type: (\w+)", r"type: \1zz"),
    "a type under an unknown key": (r"type: ", "tpe: "),
    "a start under an unknown key": (r"start: ", "strt: "),
    "a lifecycle under an unknown key": (r"lifecycle: ", "lifecicle: "),
    "a name that is taken": (r"^      \w+: ", "      state: "),
    "rows that are no number": (r"rows: \"?\d+\"?", "rows: several"),
}


def elsewhere(text, line):
    return [str(one) for one in check_seed(text.encode(), "small.yaml")[1] if one.level == "error" and one.where.line != line]


@pytest.mark.parametrize(("old", "new"), [pytest.param(*pair, id=name) for name, pair in SPOILT.items()])
def test_a_mistake_in_an_entity_causes_no_error_elsewhere(old, new):
    begin = LINES.index("entities:")
    end = next(number for number in range(begin + 1, len(LINES)) if LINES[number] and not LINES[number].startswith((" ", "#")))
    tried = 0
    for number in range(begin + 1, end):
        line = re.sub(old, new, LINES[number])
        if line != LINES[number]:
            tried += 1
            text = "\n".join([*LINES[:number], line, *LINES[number + 1 :]])
            assert check_seed(text.encode(), "small.yaml")[1], line
            assert elsewhere(text, number + 1) == [], line
    assert tried


def test_a_mistake_in_the_entity_of_the_acting_user_does_not_take_them_away():
    text = SMALL.replace("      owner.credit = 0\n", "      owner.credit = 0\n      asked = me.name\n", 1)
    if "\nactor:" not in text:
        text = text.replace("\nentities:", "\nactor: Clerk\nentities:", 1)
    number = next(number for number, line in enumerate(text.split("\n"), 1) if line.startswith("  Clerk:")) + 1
    lines = text.split("\n")
    lines.insert(number - 1, "    zzz: wrong")
    assert elsewhere("\n".join(lines), number) == []


@pytest.mark.parametrize("indent", ["\t", "  \t"])
@pytest.mark.parametrize("line", ["boss:", "owner.credit = 0"])
def test_a_tab_in_an_indent_is_called_a_tab(indent, line):
    number = next(number for number, one in enumerate(LINES) if one.strip().startswith(line))
    text = "\n".join([*LINES[:number], indent + LINES[number].strip(), *LINES[number + 1 :]])
    first = check_seed(text.encode(), "small.yaml")[1][0]
    assert (first.where.line, first.where.column, first.got, first.fix) == (number + 1, len(indent), "a tab", "Indent with spaces alone")


def test_of_names_that_differ_in_case_only_the_one_written_alike_is_meant():
    text = SMALL.replace("      owner.credit = 0\n", "      owner.credit = 0\n      return ownr\n", 1)
    (fix,) = {one.fix for one in check_seed(text.encode(), "small.yaml")[1] if one.got == "ownr"}
    assert fix == "Did you mean 'owner'"
