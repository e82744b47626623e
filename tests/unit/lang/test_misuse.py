"""Every misuse of a construct is refused with a place, a reason and an advice: the sentences are pinned."""

import ast
import importlib.util
from pathlib import Path

import pytest
import yaml

from synth.lang.builtins import BUILTINS
from synth.lang.checker import Checker
from synth.lang.refused import refused
from synth.seed.read import read_seed

DATA = Path(__file__).resolve().parents[2] / "data"
CASES = yaml.safe_load((DATA / "misuse.yaml").read_text(encoding="utf-8"))


def load():
    spec = importlib.util.spec_from_file_location("write_misuse", DATA / "write_misuse.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


WRITER = load()


def test_the_small_seed_has_no_mistake():
    assert read_seed(DATA / "small_seed.yaml").tools


@pytest.mark.parametrize("case", CASES, ids=lambda one: one["title"])
def test_misuse_is_refused_in_these_words(case):
    said = WRITER.sentences(case)
    assert said
    assert said == case["says"]


def test_titles_are_unique():
    titles = [one["title"] for one in CASES]
    assert len(set(titles)) == len(titles)


def test_every_sentence_has_place_expectation_finding_and_advice():
    for case in CASES:
        for one in case["says"]:
            place, _, rest = one.partition(": ")
            assert all(part.isdigit() for part in place.split(":")), one
            assert "expected " in rest, one
            assert ", got " in rest, one
            assert rest.endswith("."), one


def test_every_syntax_node_of_python_is_either_checked_or_refused_with_advice():
    for name in dir(ast):
        kind = getattr(ast, name)
        if not (isinstance(kind, type) and issubclass(kind, ast.expr | ast.stmt)) or kind in (ast.expr, ast.stmt):
            continue
        expected, fix = refused(kind())
        assert kind in Checker.handlers or (expected and fix)


def test_the_table_of_functions_describes_each_once():
    names = [(one.form, one.on, one.name) for one in BUILTINS]
    assert len(set(names)) == len(names)
    assert all(one.doc.endswith(".") for one in BUILTINS)
