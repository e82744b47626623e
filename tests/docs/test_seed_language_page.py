"""Examples of docs/seed-language.md: every seed on it is read, every example of a function is run."""

import re
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from synth.data.world import make_world
from synth.lang import syntax
from synth.lang.builtins import BUILTINS
from synth.lang.check_tools import MOST_TOOLS
from synth.lang.problems import Report
from synth.lang.work import MOST_STEPS_OF_A_TOOL
from synth.reference.interpret import Reference
from synth.seed import budget, tree
from synth.seed.model import EntityModel, FieldModel, SeedModel
from synth.seed.read import check_seed, parse_seed

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).parent))

from language_examples import DAY_ATTRIBUTE, EXAMPLES, GENERATORS  # noqa: E402
from language_page import PAGE, written  # noqa: E402

TEXT = PAGE.read_text(encoding="utf-8")
BLOCKS = ("functions", "tools", "invariants", "data")


def fenced():
    """(example, section, text) of each block that belongs to an example."""
    found = re.findall(r"^```(?:yaml|python) (\w+)(?: (\w+))?\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
    return [(example, section, text) for section, example, text in found]


BASE = next(text for _, section, text in fenced() if section == "seed")
NAMES = sorted({example for example, _, _ in fenced() if example})


def indented(text, spaces=2):
    return "".join(f"{' ' * spaces}{line}\n" if line else "\n" for line in text.rstrip("\n").split("\n"))


def combined(name, extra=()):
    """The seed of the page with the blocks of one example added."""
    seed = BASE
    for example, section, text in [*fenced(), *extra]:
        if example != name:
            continue
        if section == "top":
            seed += text
        elif f"\n{section}:" in seed:
            head = f"\n{section}: |\n" if section in BLOCKS else f"\n{section}:\n"
            seed = seed.replace(head, head + indented(text) + ("\n" if section in BLOCKS else ""), 1)
        else:
            seed += f"{section}:\n{indented(text)}"
    return seed


@pytest.mark.parametrize("name", ["", *NAMES])
def test_an_example_of_the_page_is_a_seed_without_problems(name):
    _, problems = check_seed((combined(name) if name else BASE).encode(), f"{name or 'base'}.yaml")
    assert [str(one) for one in problems] == []


ROWS = [
    ("Member", {"id": "MEM-0001", "name": "Ann", "plan": "basic", "balance": 0}),
    ("Shelf", {"id": "SHEL-00001", "above_id": None, "name": "Nature"}),
    ("Shelf", {"id": "SHEL-00002", "above_id": "SHEL-00001", "name": "Birds"}),
    (
        "Card",
        {
            "id": "CARD-00001",
            "shelf_id": "SHEL-00001",
            "text": None,
            "size": "M",
            "width_cm": 10,
            "area": 100,
            "read": 0,
            "made_at": "2026-03-01T10:00:00",
            "weights": "[]",
            "notes": "{}",
            "place_street": None,
            "place_city": None,
            "owner_id": "MEM-0001",
            "position": 1,
        },
    ),
]
ARGUMENTS = {"card_id": "CARD-00001", "shelf_id": "SHEL-00001"}
CALLS = [*EXAMPLES.values(), DAY_ATTRIBUTE]


@cache
def reference():
    tools = ""
    for number, (code, _) in enumerate(CALLS):
        tools += f'def probe_{number}(card: Card, shelf: Shelf, note: text = unset):\n    """Try."""\n    return {code}\n\n'
    first, rest = tools.split("def probe_20(")[0], "def probe_20(" + tools.split("def probe_20(")[1]
    return [Reference(parse_seed(combined("fields", [("fields", "tools", part)]).encode(), "examples.yaml")) for part in (first, rest)]


@pytest.mark.parametrize("number", range(len(CALLS)), ids=lambda one: CALLS[one][0])
def test_an_example_of_a_function_gives_what_the_page_says(number):
    interpreter = reference()[0 if number < 20 else 1]
    done = interpreter.predict(interpreter.state(ROWS), f"probe_{number}", ARGUMENTS, interpreter.now)
    assert done.kind == "ok", done.text
    assert next(iter(done.result.values())) == CALLS[number][1]


def test_the_example_of_expressions_gives_what_its_words_say():
    domain = parse_seed(combined("expressions").encode(), "expressions.yaml")
    interpreter = Reference(domain)
    state = interpreter.state(make_world(domain).rows)
    loans = Counter(row["member_id"] for row in state.rows("Loan"))
    out = Counter(row["member_id"] for row in state.rows("Loan") if row["status"] in ("out", "lost"))
    wanted = sorted((one for one in state.keys("Member") if 1 <= out[one] <= 3), key=lambda one: -loans[one])[:3]
    done = interpreter.predict(state, "summarize_loans", {}, interpreter.now)
    assert done.kind == "ok", done.text
    assert done.result["books"] == {state.row("Member", one)["name"]: loans[one] for one in wanted}
    assert done.result["fee"] == 2.5
    assert not parse_seed(combined("edges").encode(), "edges.yaml").edges


def test_examples_of_generators_are_bindings_of_data():
    lines = "".join(f"    x_{number} = {code}\n" for number, code in enumerate(GENERATORS.values()))
    seed = combined("data", [("data", "data", f"def Book():\n    title = 'a'\n    copies = 1\n{lines}")])
    head, _, rest = seed.rpartition("  def Book():\n      title = product('book')\n      copies = integer(0, 4)\n")
    _, problems = check_seed((head + rest).encode(), "generators.yaml")
    assert [str(one) for one in problems] == []


def test_tables_on_the_page_are_those_of_the_code():
    assert written(TEXT) == TEXT, "write them anew: python tests/docs/language_page.py"


def test_every_function_and_generator_has_an_example():
    assert {one.name for one in BUILTINS if one.place != "data"} == set(EXAMPLES)
    assert {one.name for one in BUILTINS if one.place == "data"} == set(GENERATORS)


def test_every_key_of_a_seed_is_explained():
    for model in (SeedModel, EntityModel, FieldModel):
        for name, one in model.model_fields.items():
            assert f"`{one.alias or name}`" in TEXT or f"`{one.alias or name}:" in TEXT, f"{model.__name__}.{name}"


def test_the_page_says_what_a_problem_looks_like():
    wrong = BASE.replace("book.copies -= 1", "book.copys -= 1")
    sentence = str(check_seed(wrong.encode(), "seeds/reading_room.yaml")[1][0])
    assert sentence in TEXT, sentence


def test_the_page_names_the_limits_that_the_code_has():
    limits = {
        f"{budget.MOST_BYTES:,} bytes",
        f"{budget.MOST_LINE:,} characters a line",
        f"{budget.MOST_MARKS:,} lines, commas and brackets",
        f"{tree.MOST_NODES:,} YAML",
        f"{tree.MOST_DEPTH} levels of YAML",
        f"{budget.MOST_FIELDS} fields each",
        f"{budget.MOST_WORDS} words each",
        f"{syntax.MOST_FUNCTIONS} functions and {syntax.MOST_CHARACTERS:,} characters",
        f"{syntax.MOST_DEPTH} levels, a function at most {syntax.MOST_NODES:,} parts",
        f"{MOST_TOOLS} tools",
        f"{MOST_STEPS_OF_A_TOOL:,} steps",
        f"after {Report.MOST} problems",
    }
    assert {one for one in limits if one not in TEXT} == set()
