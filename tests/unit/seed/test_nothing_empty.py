"""No sentence about a seed has a hole: whatever is missing or empty in the file, the problem says what it is about."""

import re

import pytest

from synth.seed.read import check_seed

EMPTIES = [
    "",
    "~",
    "hello",
    "- a",
    "{}",
    "id: a",
    "k: v",
    "'': a",
    "id: a\ntitle: b\nentities: {}",
    "id: a\ntitle: b\nentities: x",
    "id: a\ntitle: b\nentities: [a]",
    "id: a\ntitle: b\nentities: {'': {fields: {a: text}}}",
    "id: a\ntitle: b\nentities: {A: {fields: {'': text}}}",
    "id: a\ntitle: b\nentities: {A: {fields: {a: ''}}}",
    "id: a\ntitle: b\nentities: {A: {fields: {a: text}}}",
    "id: a\ntitle: b\nentities: {A: {fields: {a: text}}}\ntools: |\n  x\n",
    "id: a\ntitle: b\nentities: {A: {fields: {a: {type: text, start: ''}}}}",
    "id: a\ntitle: b\nentities: {A: {called: '{}', id: '', fields: {a: text}}}",
    "id: a\ntitle: b\nentities: {A: {unique: [''], fields: {a: text}}}",
    "id: ''\ntitle: ''\nactor: ''\nnow: ''\nentities: {A: {fields: {a: text}}}",
    "id: a\ntitle: b\nentities: {A: {fields: {a: text}}}\nenums: {E: ['']}\nroles: {R: ''}\nconstants: {C: ''}\nfacts: {f: ['']}\npolicies: ['']",
    "id: a\ntitle: b\nentities: {A: {fields: {a: text}}}\nderive: {get: [''], list: ['']}",
]


@pytest.mark.parametrize("text", EMPTIES)
def test_a_problem_with_what_is_empty_says_what_it_is_about(text):
    domain, problems = check_seed(text.encode(), "bad.yaml")
    assert domain is None
    assert problems
    for one in problems:
        assert re.fullmatch(r"[\w$]+(\.[\w$]+)*", one.field), one
        assert one.expected.strip()
        assert one.got.strip()
        assert one.fix.strip()
        assert re.match(r"bad\.yaml:\d+:\d+: [\w.$]+: expected \S", str(one)), one


def test_a_seed_without_tools_is_told_so_by_name():
    _, problems = check_seed(b"id: a\ntitle: b\nentities:\n  A: {fields: {a: text}}\n", "bad.yaml")
    assert str(problems[0]).startswith("bad.yaml:1:1: seed: expected at least one tool, got none.")


def test_what_was_reported_as_wrong_is_not_reported_as_missing_too():
    _, problems = check_seed(b"id: a\ntitle: b\nentities: x\n", "bad.yaml")
    assert [one.code for one in problems] == ["WRONG_SHAPE"]
