"""From a keyword to an environment, with cassettes: a scripted endpoint answered when they were recorded, no model was asked."""

import json
from pathlib import Path

import pytest

from registry.catalogue import open_folder
from synth.author.authoring import EDIT_TOKENS, MOST_COMPLAINTS, PLAN_TOKENS, Order, author
from synth.author.complaint import Complaint
from synth.author.edits import MOST_LINES, applied, read_edits, shown
from synth.author.inspect import Wanted, inspect
from synth.author.plan import PLAN_SCHEMA
from synth.author.seed_json import SEED_SCHEMA, seed_of_json
from synth.author.texts import filled, prompt, teaching
from synth.errors import SynthError
from synth.model.answer import AnswerUnreadable
from synth.model.cassette import Replay
from synth.model.endpoint import Access, Endpoint
from synth.model.estimate import tokens
from synth.model.exchange import Reply
from synth.model.meter import Meter
from synth.seed.read import parse_seed
from tests.data.cassettes.write import BUDGETS, FIRST, FOLDER, GOOD, KEYWORD, MODEL, ORDERS, PLAN, places
from tests.endpoint import Said, scripted

VET = Path("seeds/vet_clinic.yaml").read_text(encoding="utf-8")


def played(name, home):
    """The cassette once more, in a home of its own."""
    meter = Meter(Replay(FOLDER / f"{name}.jsonl", in_order=True), budget=BUDGETS.get(name, 30_000))
    return author(ORDERS[name], meter, places(home)), meter


def log(folder):
    return [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]


def test_a_keyword_becomes_a_registered_environment_though_the_first_seed_has_five_kinds_of_mistakes(tmp_path):
    done, meter = played("repaired", tmp_path)

    assert (done.status, done.id, done.attempts, done.tools) == ("registered", "allotment_gardens", 3, 6)
    assert {"UNKNOWN_KEY", "UNKNOWN_FIELD", "RULE_AFTER_EFFECT", "BAD_SENTENCE", "GATE"} <= set(done.repaired)
    assert open_folder(tmp_path / "environments" / "allotment_gardens").digest == done.digest
    assert not (tmp_path / "quarantine").exists()
    kept = tmp_path / "authored" / "allotment_gardens"
    manifest = json.loads((kept / "author.json").read_text())
    assert manifest["model"] == MODEL
    assert len(manifest["prompts_sha256"]) == 64
    assert (kept / "seed.yaml").read_text() == (done.folder / "seed.yaml").read_text()
    assert manifest["prompts_sha256"][:16] in (done.folder / "seed.yaml").read_text()
    assert done.tokens == meter.used < 10_000
    assert [path.name for path in (tmp_path / "authored").iterdir()] == ["allotment_gardens"]


def test_a_seed_that_is_not_mended_ends_in_quarantine_with_its_log(tmp_path):
    done, _ = played("quarantined", tmp_path)

    assert (done.status, done.attempts) == ("quarantined", 3)
    assert done.folder == tmp_path / "quarantine" / "allotment_gardens"
    assert "expected a field of Gardener, got payed. Did you mean 'paid'." in (done.folder / "reason.txt").read_text()
    assert {"seed.yaml", "plan.json", "author.json", "log.jsonl"} <= {one.name for one in done.folder.iterdir()}
    assert any("expected edits" in sentence for one in log(done.folder) for sentence in one.get("refused", ()))
    assert not (tmp_path / "environments").exists()
    assert not (tmp_path / "authored").exists()


def test_a_budget_that_is_spent_stops_the_work_and_keeps_what_there_was(tmp_path):
    done, meter = played("budget", tmp_path)

    assert done.status == "budget"
    assert meter.used <= BUDGETS["budget"]
    assert "within 9700 tokens" in done.reasons[0]
    assert (done.folder / "seed.yaml").read_text().startswith("id: allotment_gardens")
    assert not (tmp_path / "environments").exists()


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ([PLAN, Said(hang=True)], "within 0.3 seconds"),
        ([PLAN, Said(status=500)], "status 500"),
        ([PLAN, Said({"error": {"message": "no credit left"}})], "no credit left"),
        ([PLAN, Said(b"<html>")], "not JSON"),
        ([Said(status=401)], "status 401"),
    ],
)
def test_an_endpoint_that_fails_midway_leaves_the_plan_and_nothing_registered(tmp_path, script, said):
    with scripted(script) as endpoint:
        model = Endpoint(Access(url=endpoint.url, timeout=0.3, attempts=2), wait=lambda seconds: None)
        done = author(Order(about=KEYWORD, model=MODEL), Meter(model), places(tmp_path))

    assert done.status == "no_model"
    assert said in done.reasons[0]
    assert (done.folder / "reason.txt").is_file()
    assert (done.folder / "plan.json").exists() == (len(script) > 1)
    assert not (tmp_path / "environments").exists()


class Script:
    """Answers one after the other, without any network."""

    def __init__(self, *said):
        self.said = list(said)
        self.asked = []

    def ask(self, request):
        self.asked.append(request)
        return Reply(text=self.said.pop(0), tokens_in=10, tokens_out=10)


def test_a_plan_that_is_not_wanted_goes_back_with_the_reasons(tmp_path):
    known = (parse_seed(GOOD.replace("id: allotment_gardens", "id: gardens").encode(), "x"),)
    model = Script("no plan", PLAN, PLAN)
    done = author(Order(about=KEYWORD, model=MODEL, known=known), Meter(model), places(tmp_path))

    assert done.status == "quarantined"
    assert done.reasons == ("plan: entities: expected mostly others than in gardens, got 100% of the same. Choose another angle or other records.",)
    assert "expected one whole JSON value" in model.asked[1].messages[-1].text
    assert "gardens (Gardener, Plot)" in model.asked[0].aside


@pytest.mark.parametrize(
    ("keyword", "public"),
    [
        ("an airline's rebooking desk", "airline"),
        ("support of a telecom provider", "telecom"),
        ("retail orders", "retail"),
        ("orders, products, carts and refunds of customers", "retail"),
    ],
)
def test_domains_of_public_tests_are_refused_before_anything_is_spent(tmp_path, keyword, public):
    with pytest.raises(SynthError, match=f"expected a domain that no public test uses, got {public}"):
        author(Order(about=keyword, model=MODEL), Meter(Script()), places(tmp_path))


def test_a_seed_may_not_take_the_place_of_another_or_be_one_under_other_names():
    known = (parse_seed(GOOD.encode(), "x"),)
    renamed = GOOD.replace("id: allotment_gardens", "id: berths").replace("Plot", "Berth").replace("plot", "berth")

    assert [one.code for one in inspect(GOOD, Wanted(known=known))[1]] == ["TAKEN_ID", "ALIKE"]
    assert [one.code for one in inspect(renamed, Wanted(known=known))[1]] == ["ALIKE"]
    assert [one.code for one in inspect(GOOD, Wanted(id="other", tools=25))[1]] == ["WRONG_ID", "FEW_TOOLS"]


def test_edits_are_made_from_the_end_and_refused_where_they_make_no_sense():
    seed = "a\nb\nc\nd\n"

    assert applied(seed, read_edits("Sure:\n@@ 1-2\nx\n@@ 3+\ny\n\n@@ 4-4\n")) == "x\nc\ny\n"
    for answer in ("fine as it is", "@@ 1-3\nx\n@@ 2-2\ny\n"):
        with pytest.raises(AnswerUnreadable):
            read_edits(answer)
    with pytest.raises(AnswerUnreadable, match="expected lines from 1 to 4, got 9-9"):
        applied(seed, read_edits("@@ 9-9\nx"))


def test_what_is_shown_of_a_seed_is_the_function_around_the_mistake():
    found = shown(FIRST, (Complaint(code="X", sentence="?", line=18),))

    assert "def let_plot" in found
    assert "def take_back_plot" not in found
    assert "def take_back_plot" in shown(FIRST, (Complaint(code="GATE", sentence="take_back_plot: expected …, got …."),))


def test_a_domain_as_large_as_the_clinic_fits_the_budget_with_three_rounds_of_repair():
    """Estimated, rather too many: prompts to the letter, a large plan, the clinic as the seed, rounds that show as much as may be."""
    lines = VET.splitlines()
    complaints = tuple(
        Complaint(code="X", sentence="seed.yaml:100:13: " + "a field of Owner that is there, " * 5, line=n) for n in range(60, 480, 30)
    )
    shown_lines = "\n".join(lines[60 : 60 + MOST_LINES])
    plan = PLAN * 2
    asked_plan = tokens(prompt("plan.md") + json.dumps(PLAN_SCHEMA)) + 300
    asked_seed = tokens(teaching() + filled("seed.md", tools="25", plan=plan, tasks=""))
    one_round = tokens(prompt("repair.md") + "\n".join(one.sentence for one in complaints[:MOST_COMPLAINTS]) + shown_lines)
    written = tokens(plan) + tokens(VET) + 3 * tokens("\n".join(lines[60:105]))

    assert tokens(teaching()) < 3_000
    assert tokens(prompt("plan.md")) < 500
    assert tokens(json.dumps(SEED_SCHEMA)) < 2_000
    assert asked_plan + asked_seed + 3 * one_round + written < 30_000
    assert PLAN_TOKENS > tokens(plan)
    assert EDIT_TOKENS > tokens("\n".join(lines[60:105]))


def test_the_example_that_models_see_is_a_seed_without_problems():
    domain, complaints = inspect(prompt("example.yaml"), Wanted())

    assert complaints == ()
    assert domain.id == "boat_club"


def test_a_seed_that_came_as_json_is_the_same_seed():
    import yaml

    value = yaml.load(GOOD, Loader=yaml.BaseLoader)
    domain = parse_seed(seed_of_json(json.dumps(value)).encode(), "x")

    assert [one.name for one in domain.tools] == [one.name for one in parse_seed(GOOD.encode(), "x").tools]
