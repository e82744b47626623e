"""From a keyword to an environment, with cassettes: a scripted endpoint answered when they were recorded, no model was asked."""

import json
import re
from pathlib import Path

import pytest
import yaml

from registry.catalogue import open_folder
from synth.author import authoring
from synth.author.authoring import EDIT_TOKENS, MOST_COMPLAINTS, PLAN_TOKENS, SEED_TOKENS, Order, author
from synth.author.complaint import Complaint
from synth.author.cost import COMPLAINTS, estimate
from synth.author.edits import applied, read_edits, shown
from synth.author.inspect import Others, Wanted, inspect
from synth.author.plan import plan_faults, read_plan
from synth.author.seed_json import SEED_SCHEMA, seed_of_json
from synth.author.texts import prompt, prompts_sha256, teaching
from synth.errors import SynthError
from synth.model.answer import AnswerUnreadable
from synth.model.cassette import Replay
from synth.model.endpoint import Access, Endpoint
from synth.model.estimate import tokens
from synth.model.meter import Meter
from synth.overlap.catalog import pairs
from synth.seed.read import parse_seed
from tests.data.cassettes.write import BUDGETS, CALLS, DOUBTED, FIRST, FOLDER, GOOD, KEYWORD, MODEL, ORDERS, PLAN, SAYS, places
from tests.endpoint import Said, scripted
from tests.made_once import domain_of
from tests.script import Script
from tests.seeds import FIRST as SHIPPED


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


@pytest.mark.every_domain
def test_two_models_try_a_seed_out_before_it_is_registered_and_what_they_find_goes_back(tmp_path):
    done, meter = played("tried", tmp_path)
    trial = json.loads((tmp_path / "trials" / "allotment_gardens" / "trial.json").read_text())
    (found,) = [one["refused"] for one in log(tmp_path / "authored" / "allotment_gardens") if one["stage"] == "trial"]

    assert (done.status, done.attempts, done.repaired, done.rate) == ("registered", 2, ("TRIAL",), 1.0)
    said = "seed.yaml: let_plot: expected a call that is right, got refused: any plot is promised, and a rule refuses some."
    assert found == [f"{said} Mend the tool, or what it says of itself."]
    assert SAYS in (done.folder / "tools.py").read_text() + (done.folder / "seed.yaml").read_text()
    assert (trial["rate"], trial["threshold"], trial["calls"], trial["digest"]) == (1.0, 0.9, 2, done.digest)
    assert json.loads((tmp_path / "authored" / "allotment_gardens" / "author.json").read_text())["trial"]["rate"] == 1.0
    assert (meter.stages["tester"].asked, meter.stages["checker"].asked) == (2, 2)


@pytest.mark.parametrize(
    ("threshold", "said", "status"),
    [
        (0.9, (CALLS, DOUBTED), "quarantined"),
        pytest.param(0.5, (CALLS, DOUBTED), "registered", marks=pytest.mark.every_domain),
        pytest.param(0.9, (CALLS,), "no_model", marks=pytest.mark.every_domain),
    ],
)
def test_a_trial_below_the_threshold_or_cut_short_registers_nothing(tmp_path, threshold, said, status):
    with scripted([PLAN, GOOD, *said, Said(status=401)]) as endpoint:
        order = Order(about=KEYWORD, model=MODEL, tools=6, attempts=1, trial=2, threshold=threshold)
        done = author(order, Meter(Endpoint(Access(url=endpoint.url))), places(tmp_path))

    assert (done.status, done.rate) == (status, 0.5 if DOUBTED in said else 0.0)
    assert (tmp_path / "environments").exists() == (status == "registered")
    assert (done.folder / "trial.json").exists() == (status != "registered")


def test_a_budget_that_is_spent_stops_the_work_and_keeps_what_there_was(tmp_path):
    done, meter = played("budget", tmp_path)

    assert done.status == "budget"
    assert meter.used <= BUDGETS["budget"]
    assert "within 9700 tokens" in done.reasons[0]
    assert (done.folder / "seed.yaml").read_text().startswith("id: allotment_gardens")
    assert not (tmp_path / "environments").exists()


@pytest.mark.parametrize(
    ("first", "then", "said"),
    [
        ((PLAN,), Said(hang=True), "within 0.3 seconds"),
        ((PLAN,), Said(status=500), "status 500"),
        ((PLAN,), Said({"error": {"message": "no credit left"}}), "no credit left"),
        ((PLAN,), Said(b"<html>"), "not JSON"),
        ((PLAN,), Said(b'{"choices": [{"message": {"content": "id: allot'), "not JSON"),
        ((PLAN,), Said(status=429, headers={"retry-after": "1"}), "status 429"),
        ((), Said(status=401), "status 401"),
    ],
    ids=["hang", "broken", "error body", "garbage", "half", "busy", "refused"],
)
def test_an_endpoint_that_fails_midway_leaves_the_plan_and_nothing_registered(tmp_path, first, then, said):
    with scripted([then]) as endpoint:
        model = Endpoint(Access(url=endpoint.url, timeout=0.3 if then.hang else 30, attempts=2), wait=lambda seconds: None)
        done = author(Order(about=KEYWORD, model=MODEL), Meter(Script(*first, then=model)), places(tmp_path))

    assert done.status == "no_model"
    assert said in done.reasons[0]
    assert (done.folder / "reason.txt").is_file()
    assert (done.folder / "plan.json").exists() == bool(first)
    assert not (tmp_path / "environments").exists()


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


def test_a_plan_or_a_seed_of_a_public_domain_is_refused_though_the_keyword_named_none(tmp_path):
    plan = json.dumps({**json.loads(PLAN), "title": "Support of travellers", "entities": [{"name": "Flight"}, {"name": "Passenger"}]})
    done = author(Order(about="a desk for travellers", model=MODEL), Meter(Script(plan, plan, plan)), places(tmp_path))
    seed = GOOD.replace("Gardener", "Subscriber").replace("gardener", "subscriber").replace("title: Allotment gardens", "title: Broadband lines")

    assert done.status == "quarantined"
    assert done.reasons == ("plan: expected a domain that no public test uses, got airline. Choose another one.",)
    assert plan_faults(read_plan(plan), (), frozenset({"airline"})) == ()
    assert [one.code for one in inspect(seed, Wanted())[1]] == ["PUBLIC_DOMAIN"]
    assert inspect(seed, Wanted(allowed=frozenset({"telecom"})))[1] == ()


def test_how_like_a_finished_seed_is_to_what_ships_is_measured_as_the_catalogue_does():
    known = [domain_of("tool_library"), domain_of("vet_clinic")]
    near = Others(known).nearest(parse_seed(GOOD.encode(), "x"))

    assert near.id == "tool_library"
    assert near.alike == pytest.approx(pairs([parse_seed(GOOD.encode(), "x"), known[0]])["allotment_gardens", "tool_library"].whole)
    assert 0 < near.alike < 0.6
    assert near.entities == 0
    assert Others().nearest(known[0]).id == ""


@pytest.mark.parametrize(("structured", "schemas"), [("auto", [True, False]), ("seed", [True, True]), ("never", [False, False])])
def test_an_endpoint_is_asked_to_keep_to_a_schema_where_it_is_wanted_and_text_does_as_well(tmp_path, structured, schemas):
    seed = json.dumps(yaml.load(GOOD, Loader=yaml.BaseLoader)) if structured == "seed" else GOOD
    with scripted([PLAN, seed]) as endpoint:
        order = Order(about=KEYWORD, model=MODEL, tools=30, attempts=1, structured=structured)
        done = author(order, Meter(Endpoint(Access(url=endpoint.url))), places(tmp_path))

    assert ["response_format" in one for one in endpoint.asked] == schemas
    assert done.repaired == ("FEW_TOOLS",)


def test_the_other_dialect_gives_a_plan_as_the_input_of_a_tool_and_a_seed_as_text(tmp_path):
    plan = {"content": [{"type": "tool_use", "name": "plan", "input": json.loads(PLAN)}], "stop_reason": "tool_use"}
    seed = {"content": [{"type": "text", "text": f"```yaml\n{GOOD}```"}], "stop_reason": "end_turn", "usage": {"input_tokens": 9, "output_tokens": 9}}
    with scripted([Said(plan), Said(seed)]) as endpoint:
        model = Endpoint(Access(url=endpoint.url, dialect="anthropic"))
        done = author(Order(about=KEYWORD, model=MODEL, tools=30, attempts=1), Meter(model), places(tmp_path))

    assert endpoint.paths == ["/v1/messages"] * 2
    assert ["tool_choice" in one for one in endpoint.asked] == [True, False]
    assert done.repaired == ("FEW_TOOLS",)


def test_every_prompt_is_a_file_with_a_version_and_one_hash_is_over_all_of_them():
    files = sorted((Path(authoring.__file__).parent / "prompts").glob("*.md"))

    assert len(files) >= 7
    assert all(re.match(r"<!-- version: \d+ -->\n", one.read_text()) for one in files)
    assert not any(prompt(one.name).startswith("<!--") for one in files)
    assert re.fullmatch("[0-9a-f]{64}", prompts_sha256())


def test_a_seed_may_not_take_the_place_of_another_or_be_one_under_other_names():
    others = Others([parse_seed(GOOD.encode(), "x")])
    renamed = GOOD.replace("id: allotment_gardens", "id: berths").replace("Plot", "Berth").replace("plot", "berth")

    assert [one.code for one in inspect(GOOD, Wanted(others=others))[1]] == ["TAKEN_ID", "ALIKE"]
    assert [one.code for one in inspect(renamed, Wanted(others=others))[1]] == ["ALIKE"]
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


@pytest.mark.parametrize("structured", ["never", "auto", "seed"])
def test_a_domain_as_large_as_the_clinic_fits_the_budget_with_three_rounds_of_repair(structured):
    """Prompts to the letter, the clinic as the seed, rounds that show as much as may be."""
    found = estimate(KEYWORD, 25, [domain_of(one) for one in SHIPPED] * 5, structured=structured)
    read = {one.name.split(":")[0]: one.tokens for one in found.parts}

    assert found.whole < 30_000
    assert tokens(teaching()) < 3_000
    assert tokens(prompt("plan.md")) < 500
    assert tokens(json.dumps(SEED_SCHEMA)) < 2_000
    assert MOST_COMPLAINTS == COMPLAINTS
    assert PLAN_TOKENS > read["plan, written"]
    assert SEED_TOKENS > read["seed, written"]
    assert 3 * EDIT_TOKENS > read["3 rounds of repair, written"]


def test_what_was_estimated_is_what_is_asked(tmp_path):
    model = Script(PLAN, GOOD)
    with pytest.raises(IndexError):
        author(Order(about=KEYWORD, model=MODEL), Meter(model), places(tmp_path))
    plan, seed, repair = (tokens(one.text) for one in model.asked)
    told = {one.name.split(":")[1].strip() if "asked" in one.name else one.name: one.tokens for one in estimate(KEYWORD, 25).parts}

    assert plan == pytest.approx(told["prompt, schema, what is there"] + told["keyword"], abs=10)
    assert told["the language and an example"] < seed < told["the language and an example"] + told["plan"]
    assert repair < estimate(KEYWORD, 25, rounds=1).parts[-2].tokens


def test_the_example_that_models_see_is_a_seed_without_problems():
    domain, complaints = inspect(prompt("example.yaml"), Wanted())

    assert complaints == ()
    assert domain.id == "boat_club"


def test_a_seed_that_came_as_json_is_the_same_seed():
    value = yaml.load(GOOD, Loader=yaml.BaseLoader)
    domain = parse_seed(seed_of_json(json.dumps(value)).encode(), "x")

    assert [one.name for one in domain.tools] == [one.name for one in parse_seed(GOOD.encode(), "x").tools]
