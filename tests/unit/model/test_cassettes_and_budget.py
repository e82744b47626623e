import json

import pytest

from synth.model.answer import AnswerUnreadable, json_value, seed_text
from synth.model.cassette import Recorder, Replay
from synth.model.endpoint import Access, Endpoint
from synth.model.errors import BudgetSpent, CassetteError, ModelError
from synth.model.exchange import Message, Reply, Request
from synth.model.ledger import by_stage, entries, record
from synth.model.meter import Meter, Price
from tests.endpoint import Said, scripted


class Parrot:
    """Answers every question with the same words."""

    def __init__(self, text="yes", tokens_in=100, tokens_out=50, *, cut=False):
        self.reply = Reply(text=text, tokens_in=tokens_in, tokens_out=tokens_out, cut=cut)
        self.asked = []

    def ask(self, request):
        self.asked.append(request)
        return self.reply


def request(text="What?", most=500):
    return Request(model="small", system="Answer.", messages=(Message(role="user", text=text),), most_tokens=most)


def test_what_was_recorded_is_replayed_in_order_without_an_endpoint(tmp_path):
    path = tmp_path / "talk.jsonl"
    with scripted(["one", "two", "three"]) as endpoint:
        recorder = Recorder(Endpoint(Access(url=endpoint.url, key="k3y-of-someone")), path, made_by="a script")
        said = [recorder.ask(request(text)).text for text in ("a", "a", "b")]
    replay = Replay(path)

    assert [replay.ask(request(text)).text for text in ("a", "a", "b")] == said == ["one", "two", "three"]
    assert replay.made_by == "a script"
    assert "k3y-of-someone" not in path.read_text()


def test_a_question_that_was_not_recorded_is_refused_with_a_sentence(tmp_path):
    path = tmp_path / "talk.jsonl"
    Recorder(Parrot(), path).ask(request("a"))
    replay = Replay(path)
    replay.ask(request("a"))

    for text in ("a", "b"):
        with pytest.raises(CassetteError, match=r"expected an exchange .* Prompts, seeds or models differ"):
            replay.ask(request(text))


@pytest.mark.parametrize("content", ["", "{}", "no json", '{"cassette": 9, "made_by": "x"}\n', '{"cassette": 1, "made_by": "x"}\n[]\n'])
def test_what_is_no_cassette_is_said_so(tmp_path, content):
    path = tmp_path / "talk.jsonl"
    path.write_text(content)

    with pytest.raises(CassetteError, match="expected a cassette of format 1"):
        Replay(path)


def test_the_budget_ends_before_a_question_that_does_not_fit():
    parrot = Parrot()
    meter = Meter(parrot, budget=500)
    meter.ask("plan", request())
    meter.ask("plan", request())

    with pytest.raises(BudgetSpent, match="within 500 tokens, got 300 used"):
        meter.ask("seed", request())
    assert len(parrot.asked) == 2


def test_an_answer_may_be_no_longer_than_what_is_left():
    parrot = Parrot()
    Meter(parrot, budget=600).ask("plan", request(most=5_000))

    assert 500 < parrot.asked[0].most_tokens < 600


def test_an_answer_that_was_cut_where_the_budget_ends_is_the_end_of_the_budget():
    with pytest.raises(BudgetSpent):
        Meter(Parrot(cut=True), budget=600).ask("seed", request(most=5_000))
    with pytest.raises(ModelError, match="got one that was cut"):
        Meter(Parrot(cut=True)).ask("seed", request())


def test_the_ledger_adds_up_what_every_stage_cost_and_why_answers_were_not_taken(tmp_path):
    path = tmp_path / "ledger.jsonl"
    seconds = iter(range(100))
    for outcome in ("registered", "quarantined"):
        meter = Meter(Parrot(), price=Price(tokens_in=1, tokens_out=10), clock=lambda: next(seconds))
        meter.ask("plan", request())
        meter.ask("seed", request())
        meter.reject("seed", "UNKNOWN_NAME", 2)
        record(path, meter, work="author", about="boats", model="small", outcome=outcome)
    with path.open("a") as file:
        file.write('{"run": 3, "sta')
    plan, seed = by_stage(entries(path))

    assert (plan["runs"], plan["tokens_in"], plan["tokens_out"], plan["seconds"]) == (2, 200, 100, 2)
    assert plan["cost"] == pytest.approx(0.0012)
    assert seed["rejected"] == {"UNKNOWN_NAME": 4}
    assert seed["outcomes"] == {"quarantined": 1, "registered": 1}


@pytest.mark.parametrize(
    "text",
    ['{"a": [1, 2]}', 'Sure:\n```json\n{"a": [1, 2,],}\n```\nDone.', '<think>{"no": 1}</think> {"a": [1, 2]} as asked', '```\n{"a": [1, 2]}'],
)
def test_json_is_found_in_what_models_write_around_it(text):
    assert json_value(text) == {"a": [1, 2]}


@pytest.mark.parametrize("text", ["", "no", '{"a": [1, 2', "[" * 100_000])
def test_half_a_json_value_is_none(text):
    with pytest.raises(AnswerUnreadable, match="expected one whole JSON value"):
        json_value(text)


def test_a_seed_is_found_in_what_models_write_around_it():
    seed = "id: boats\ntools: |\n  def a():\n      return 1\n"

    assert seed_text(f"Here it is.\n```yaml\n{seed}```\nGood luck!") == seed_text(seed) == seed_text(f"# Boats\n```\n{seed}") == seed
    with pytest.raises(AnswerUnreadable, match="begins with `id:`"):
        seed_text("I cannot do that.")


def test_the_key_of_a_request_follows_from_what_is_asked_alone():
    assert request(most=1).key == request(most=2).key != request("Why?").key
    assert json.loads(json.dumps(request().key)) == request().key


def test_a_body_of_half_a_surrogate_pair_can_be_sent():
    with scripted([Said("ok")]) as endpoint:
        assert Endpoint(Access(url=endpoint.url)).ask(request("\ud800")).text == "ok"
