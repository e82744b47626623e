import re
from dataclasses import replace
from functools import cache
from itertools import permutations
from pathlib import Path

import pytest

from registry.dispatch.harness import ASK, ask, rule_based_user
from registry.dispatch.user import Conversation
from registry.package.pack import HeldBack
from synth.data.world import make_world
from synth.lang.domain import Domain
from synth.reference.interpret import reference
from synth.seed.read import read_seed
from synth.tasks.draft import Draft
from synth.tasks.kinds.mind import CHECKS
from synth.tasks.make import Made, making
from synth.tasks.solving.recheck import outcome_in
from tests.seeds import every

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
    return making(domain, states[0], states[1], 10, 0, ("multi-turn",)).made()


def answers(draft: Draft) -> dict[int, str]:
    """What the user says to each question of gold, by the place of the call."""
    talk = Conversation()
    return {place: ask(call.arguments, draft.held_back, talk=talk)["answer"] for place, call in enumerate(draft.calls) if call.tool == ASK}


@pytest.mark.parametrize("name", every(NAMES))
def test_what_is_left_out_stands_nowhere_in_the_words_and_is_told_when_asked_for(name: str) -> None:
    assert len(made(name).drafts) == 10
    for draft in made(name).drafts:
        assert draft.held_back
        told = [source for call in draft.calls for source in call.sources.values() if source.kind == "answer"]
        assert len(told) == len(draft.held_back)
        said = answers(draft)
        for source in told:
            assert draft.calls[source.call].tool == ASK
            assert source.text in said[source.call]
            assert re.search(rf"(?<![\w:.,]){re.escape(source.text)}\.", draft.instruction) is None


@pytest.mark.parametrize("name", every(NAMES))
def test_the_twin_has_the_same_words_and_a_user_who_answers_otherwise(name: str) -> None:
    for one, twin in zip(made(name).drafts[::2], made(name).drafts[1::2], strict=True):
        assert one.instruction == twin.instruction
        assert one.held_back != twin.held_back
        assert one.accepted != twin.accepted
        assert one.patch == twin.patch == ()


@pytest.mark.parametrize("name", every(NAMES))
def test_each_question_of_gold_gets_one_fact_and_no_other(name: str) -> None:
    for draft in made(name).drafts:
        said = [one for one in answers(draft).values() if not any(fact.then and one == fact.then for fact in draft.held_back)]
        facts = [fact.answer for fact in draft.held_back]
        assert [sum(one.startswith(fact) for fact in facts) for one in said] == [1] * len(said)
        assert {fact for fact in facts if any(one.startswith(fact) for one in said)} == set(facts)


def test_one_user_in_four_thinks_again_and_the_twin_stays_with_what_they_said_first() -> None:
    drafts = [draft for name in NAMES for draft in made(name).drafts]
    changing = [(name, draft) for name in NAMES for draft in made(name).drafts if draft.taken_back is not None]
    assert len(drafts) // 8 <= len(changing) <= len(drafts) // 2
    for name, draft in changing:
        back, twin = draft.taken_back, made(name).drafts[draft.twin or 0]
        assert back is not None
        assert [fact.answer for fact in twin.held_back] == [fact.answer for fact in draft.held_back]
        assert [bool(fact.then) for fact in draft.held_back].count(True) == 1
        assert not any(fact.then for fact in twin.held_back)
        assert twin.calls[back.call].arguments[back.argument] == back.literal != draft.calls[back.call].arguments[back.argument]
        assert twin.accepted != draft.accepted


def test_what_a_user_takes_back_is_heard_in_time_in_whatever_order_they_are_asked() -> None:
    for draft in (draft for name in NAMES for draft in made(name).drafts):
        changed = next((fact for fact in draft.held_back if fact.then), None)
        if changed is None:
            continue
        assert changed.asked_again == any(check in draft.instruction for check in CHECKS)
        further = ["Does everything still stand?"] if changed.asked_again else []
        for facts in permutations(draft.held_back):
            talk = Conversation()
            said = [rule_based_user(question, draft.held_back, talk=talk) for question in (*(f"What is the {one.topic}?" for one in facts), *further)]
            assert changed.answer in " ".join(said)
            assert changed.then in " ".join(said)


def test_to_enter_what_was_said_first_leads_elsewhere() -> None:
    for name in NAMES:
        for draft in made(name).drafts:
            back = draft.taken_back
            if back is not None:
                call = draft.calls[back.call]
                first = call.model_copy(update={"arguments": {**call.arguments, back.argument: back.literal}})
                calls = (*draft.calls[: back.call], first, *draft.calls[back.call + 1 :])
                there = outcome_in(domain_of(name), made(name).state, replace(draft, calls=calls))
                assert there is None or there.accepted != draft.accepted


def test_the_user_tells_a_fact_only_when_asked_for_it_and_else_what_can_be_asked() -> None:
    assert rule_based_user("When should it be?", FACTS) == FACTS[0].answer
    assert rule_based_user("Why?", FACTS) == FACTS[1].answer
    assert rule_based_user("Any more details?", FACTS) == "I cannot tell you more about that. You can ask me about: start, reason."
    assert rule_based_user("Any more details?", ()) == "I cannot tell you more about that."


def test_another_user_can_stand_in() -> None:
    assert ask({"question": "When?"}, FACTS, lambda question, held_back, *_: f"{len(held_back)} {question}") == {"answer": "2 When?"}
