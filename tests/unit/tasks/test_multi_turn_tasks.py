from functools import cache
from pathlib import Path

import pytest

from registry.dispatch.harness import ASK, ask, rule_based_user
from registry.package.pack import HeldBack
from synth.data.world import make_world
from synth.lang.domain import Domain
from synth.reference.interpret import reference
from synth.seed.read import read_seed
from synth.tasks.make import Made, make_tasks

NAMES = ("vet_clinic", "wholesale_orders", "equipment_rental")
FACTS = (
    HeldBack(topic="start", asks=("start", "when", "time"), answer="The start is Monday 9 March at 10:00."),
    HeldBack(topic="reason", asks=("reason", "why"), answer='The reason is "cost".'),
)


@cache
def domain_of(name: str) -> Domain:
    return read_seed(Path("seeds") / f"{name}.yaml")


@cache
def made(name: str) -> Made:
    domain = domain_of(name)
    machine = reference(domain)
    states = [machine.state(make_world(domain, number).rows) for number in (7, 8)]
    return make_tasks(domain, states[0], states[1], 10, 0, ("multi-turn",))


@pytest.mark.parametrize("name", NAMES)
def test_what_is_left_out_stands_nowhere_in_the_words_and_is_told_when_asked_for(name: str) -> None:
    assert len(made(name).drafts) == 10
    for draft in made(name).drafts:
        assert draft.held_back
        told = [source for call in draft.calls for source in call.sources.values() if source.kind == "answer"]
        assert len(told) == len(draft.held_back)
        for source in told:
            asked = draft.calls[source.call]
            assert asked.tool == ASK
            assert source.text in ask(asked.arguments, draft.held_back)["answer"]
            assert f"{source.text}." not in draft.instruction


@pytest.mark.parametrize("name", NAMES)
def test_the_twin_has_the_same_words_and_a_user_who_answers_otherwise(name: str) -> None:
    for one, twin in zip(made(name).drafts[::2], made(name).drafts[1::2], strict=True):
        assert one.instruction == twin.instruction
        assert one.held_back != twin.held_back
        assert one.accepted != twin.accepted
        assert one.patch == twin.patch == ()


@pytest.mark.parametrize("name", NAMES)
def test_each_question_of_gold_gets_one_fact_and_no_other(name: str) -> None:
    for draft in made(name).drafts:
        answers = [ask(call.arguments, draft.held_back)["answer"] for call in draft.calls if call.tool == ASK]
        assert sorted(answers) == sorted(fact.answer for fact in draft.held_back)


def test_the_user_tells_a_fact_only_when_asked_for_it_and_else_what_can_be_asked() -> None:
    assert rule_based_user("When should it be?", FACTS) == FACTS[0].answer
    assert rule_based_user("Why?", FACTS) == FACTS[1].answer
    assert rule_based_user("Any more details?", FACTS) == "I cannot tell you more about that. You can ask me about: start, reason."
    assert rule_based_user("Any more details?", ()) == "I cannot tell you more about that."


def test_another_user_can_stand_in() -> None:
    assert ask({"question": "When?"}, FACTS, lambda question, held_back, *_: f"{len(held_back)} {question}") == {"answer": "2 When?"}
