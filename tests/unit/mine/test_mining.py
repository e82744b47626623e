import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from synth.errors import SynthError
from synth.mine.clusters import clusters
from synth.mine.matching import Matcher
from synth.mine.mining import mine
from synth.mine.tasks import Task, read_tasks, stateful
from synth.mine.vectors import MODEL, by_words, cosine, installed
from synth.seed.read import read_seed
from tests.made_once import domain_of

LISTS = Path(__file__).resolve().parents[2] / "data/task_lists"
NOISE = {"mixed": 5, "vet": 5, "library": 5}
"""Tasks of each list that need no records; four unless said otherwise."""
NAMES = {
    "gym": ["gym"],
    "helpdesk": ["help desk"],
    "hotel": ["hotel"],
    "library": ["library"],
    "mixed": ["theatre box office", "blood bank"],
    "rental": ["bike rental"],
    "school": ["school office"],
    "tenants": ["property management"],
    "vet": ["veterinary clinic"],
    "workshop": ["car workshop"],
}


@pytest.mark.parametrize("name", NAMES)
def test_the_domains_of_a_list_are_named_and_what_needs_no_records_is_left_out(name):
    tasks = read_tasks(LISTS / f"{name}.jsonl")
    mined = mine(tasks)
    found = {one.name: len(one.tasks) for one in mined.domains}

    assert set(NAMES[name]) <= set(found)
    assert sum(found[one] for one in NAMES[name]) >= 0.6 * (len(tasks) - len(mined.stateless))
    assert len(mined.stateless) == NOISE.get(name, 4)
    assert sum(found.values()) + len(mined.stateless) + len(mined.alone) == len(tasks)


def test_tasks_are_held_against_what_is_there_and_go_to_what_can_express_most():
    domains = [read_seed(Path("seeds") / f"{name}.yaml") for name in ("vet_clinic", "tool_library")]
    found = mine(read_tasks(LISTS / "vet.jsonl"), domains).domains[0]

    assert found.nearest == "vet_clinic"
    assert found.expressible >= 0.5
    assert len(found.lines) == round(found.expressible * len(found.tasks))


@pytest.mark.parametrize(
    ("task", "tool"),
    [
        ("Lend the cordless drill to Ruth Moore.", "lend_item"),
        ("The ladder is back, take the item back.", "take_back_item"),
        ("Change the phone number of the member Tom Berg.", "update_member"),
        ("Which items does Ruth Moore have?", "search_items"),
    ],
)
def test_a_task_is_matched_with_the_tool_that_does_it(task, tool):
    assert Matcher(read_seed(Path("seeds/tool_library.yaml"))).match(task).tool == tool


def test_tasks_of_another_domain_cannot_be_expressed():
    domain = read_seed(Path("seeds/tool_library.yaml"))
    mined = mine(read_tasks(LISTS / "workshop.jsonl"), [domain])

    assert mined.expressible < 0.3
    assert not Matcher(domain).match("Book a flight to Oslo.").expressible


@pytest.mark.parametrize("name", NAMES)
def test_of_every_task_of_a_list_it_is_told_whether_it_can_be_expressed_and_why_not(name):
    tasks = read_tasks(LISTS / f"{name}.jsonl")
    mined = mine(tasks, [domain_of(one) for one in ("tool_library", "shared_offices")])
    fits = [fit for found in mined.domains for fit in found.fits]
    lost = [fit for fit in fits if fit.why]

    assert sorted(fit.task.line for fit in fits) == sorted(one.line for found in mined.domains for one in found.tasks)
    assert all(fit.tool or fit.why == "no tool does it" for fit in fits)
    assert all(fit.why == "no tool does it" or fit.why.removeprefix("nothing known of ").split(", ")[0] in fit.task.text.lower() for fit in lost)
    assert mined.expressible == pytest.approx((len(fits) - len(lost)) / (len(tasks) - len(mined.stateless)))


@pytest.mark.parametrize(
    ("task", "kept"),
    [
        ("Please cancel Ruth Moore's appointment.", True),
        ("Tell me which rooms are free on Friday.", True),
        ("I need to move my booking to Sunday.", True),
        ("Tell me a joke about hotels.", False),
        ("Please translate this letter.", False),
        ("What is the capital of Peru?", False),
    ],
)
def test_a_task_lives_in_records_or_not(task, kept):
    assert stateful(task) is kept


def test_the_same_tasks_give_the_same_groups_whatever_stood_before():
    texts = [one.text for one in read_tasks(LISTS / "mixed.jsonl")]

    assert clusters(by_words(texts)) == clusters(by_words(list(texts)))
    assert cosine(by_words(texts)[0], by_words(texts)[0]) == pytest.approx(1)


def test_an_embedding_that_is_given_takes_the_place_of_counted_words():
    tasks = tuple(
        Task(line=n, text=f"Move the {word} to Friday.")
        for n, word in enumerate(["tour", "visit", "trip", "call", "pipe", "drain", "tap", "sink"], 1)
    )
    mined = mine(tasks, embed=lambda texts: [[1.0, 0.0] if number < 4 else [0.0, 1.0] for number in range(len(texts))])

    assert [[one.line for one in found.tasks] for found in mined.domains] in ([[1, 2, 3, 4], [5, 6, 7, 8]], [[5, 6, 7, 8], [1, 2, 3, 4]])


class Embedder:
    """What sentence-transformers offers, with words for numbers."""

    there = True

    def __init__(self, name, *, local_files_only):
        assert (name, local_files_only) == (MODEL, True)
        if not self.there:
            raise OSError("not on this machine")

    def encode(self, texts):
        return [[len(text), 1] for text in texts]


@pytest.mark.parametrize(("module", "found"), [(Embedder, True), (type("Absent", (Embedder,), {"there": False}), False), (None, False)])
def test_an_embedding_is_used_where_package_and_model_are_installed_and_nothing_is_fetched(monkeypatch, module, found):
    monkeypatch.setitem(sys.modules, "sentence_transformers", module and SimpleNamespace(SentenceTransformer=module))
    embed = installed()

    assert (embed is not None) is found
    assert embed is None or embed(["a", "bcd"]) == [[1.0, 1.0], [3.0, 1.0]]


def test_tasks_come_in_lines_of_several_forms_and_rubbish_is_passed_over(tmp_path):
    path = tmp_path / "tasks.jsonl"
    path.write_text('{"task": "Book a room."}\n"Cancel it."\nMove it.\n\n{"other": 1}\n[1\n{"instruction": "Pay\\nit."}\n')

    assert [(one.line, one.text) for one in read_tasks(path)] == [(1, "Book a room."), (2, "Cancel it."), (3, "Move it."), (7, "Pay it.")]


@pytest.mark.parametrize("content", ["", "{}\n", "Book a room.\n" * 1_001, json.dumps("a" * 5_100_000)])
def test_a_file_without_tasks_or_with_too_many_is_refused_with_a_sentence(tmp_path, content):
    path = tmp_path / "tasks.jsonl"
    path.write_text(content)

    with pytest.raises(SynthError, match="expected "):
        read_tasks(path)
