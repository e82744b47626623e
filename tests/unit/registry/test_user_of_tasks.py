"""The simulated user: facts when asked for, the same from each persona, and what becomes of them later."""

import pytest

from registry.catalogue import open_folder
from registry.dispatch.tool_call import USER_UNAVAILABLE
from registry.dispatch.user import Conversation, nobody, rule_based_user
from registry.episode import LocalEpisode
from registry.package.pack import HeldBack
from registry.package.user import PersonaName, UserWanted
from tests.unit.registry.small_package import write_package

COST = HeldBack(topic="cost", asks=("cost", "how much"), answer="The cost is 105.")
DATE = HeldBack(topic="date", asks=("date", "when"), answer="Monday 4 May.")
CHANGED = COST.model_copy(update={"then": "No, take 115 as the cost."})
PERSONAS: tuple[PersonaName, ...] = ("plain", "terse", "chatty", "impatient", "forgetful")
SEEDS = range(6)


def told(user: UserWanted, *questions: str, facts: tuple[HeldBack, ...] = (COST, DATE)) -> list[str]:
    talk = Conversation()
    return [rule_based_user(question, facts, user, talk) for question in questions]


@pytest.mark.parametrize("persona", PERSONAS)
@pytest.mark.parametrize("seed", SEEDS)
def test_each_persona_tells_a_fact_when_asked_twice_and_no_other(persona, seed):
    said = " ".join(told(UserWanted(persona=persona, seed=seed), "How much is it?", "How much, please?"))
    assert "105" in said
    assert "4 May" not in said


@pytest.mark.parametrize("persona", PERSONAS)
@pytest.mark.parametrize("seed", SEEDS)
def test_what_a_persona_adds_holds_no_number(persona, seed):
    said = told(UserWanted(persona=persona, seed=seed), "How much?", "When?", "How much and when?", "When?", "What colour?")
    rest = " ".join(said).replace("105", "").replace("4 May", "")
    assert not any(letter.isdigit() for letter in rest)


def test_equal_seeds_give_equal_words_and_personas_differ():
    questions = ("How much?", "When?", "How much?")
    said = [told(UserWanted(persona=persona, seed=3), *questions) for persona in PERSONAS]
    assert said == [told(UserWanted(persona=persona, seed=3), *questions) for persona in PERSONAS]
    assert len({tuple(one) for one in said}) == len(PERSONAS)


def test_somebody_forgetful_does_not_think_of_some_facts_at_first():
    said = [told(UserWanted(persona="forgetful", seed=seed), "How much?")[0] for seed in range(12)]
    assert 0 < sum("105" in one for one in said) < 12


def test_a_change_of_mind_comes_with_the_next_answer():
    first, second, third = told(UserWanted(), "How much?", "When?", "How much is the cost?", facts=(CHANGED, DATE))
    assert first == COST.answer
    assert second == f"{DATE.answer} {CHANGED.then}"
    assert third == CHANGED.then


@pytest.mark.parametrize("question", ["Has anything changed?", "Does that still stand?", "Shall I go ahead with it?"])
def test_whether_all_is_still_so_is_answered_with_what_was_told_and_what_became_of_it(question):
    waits = CHANGED.model_copy(update={"asked_again": True})
    assert told(UserWanted(), "How much?", question, facts=(COST, DATE))[1] == f"Nothing has changed since. {COST.answer}"
    assert told(UserWanted(), "How much?", question, facts=(waits,))[1] == CHANGED.then
    assert told(UserWanted(), question, "When?", facts=(COST, DATE))[0] == "I cannot tell you more about that. You can ask me about: cost, date."


def test_a_change_of_mind_comes_at_once_when_nothing_is_left_to_ask():
    assert told(UserWanted(), "How much?", facts=(CHANGED,)) == [f"{COST.answer} {CHANGED.then}"]
    assert told(UserWanted(), "How much and when?", facts=(CHANGED, DATE)) == [f"{COST.answer} {DATE.answer} {CHANGED.then}"]


def test_a_change_of_mind_is_not_told_before_the_fact():
    assert CHANGED.then not in " ".join(told(UserWanted(), "When?", "When?", "What else?", facts=(CHANGED, DATE)))


def test_a_change_that_waits_to_be_asked_again_comes_with_the_next_question_whatever_it_is():
    waiting = CHANGED.model_copy(update={"asked_again": True})
    for question in ("How much is it now?", "Shall I go ahead?"):
        assert told(UserWanted(), "How much?", question, "How much?", facts=(waiting,)) == [COST.answer, CHANGED.then, CHANGED.then]
    assert told(UserWanted(), "Shall I go ahead?", "How much?", facts=(waiting,))[1] == COST.answer


@pytest.mark.parametrize("asked_again", [False, True])
@pytest.mark.parametrize("persona", PERSONAS)
@pytest.mark.parametrize("seed", SEEDS)
def test_every_persona_tells_a_change_of_mind_to_who_asks_until_it_knows_and_once_more(persona, seed, asked_again):
    facts = (CHANGED.model_copy(update={"asked_again": asked_again}), DATE)
    user, talk, heard = UserWanted(persona=persona, seed=seed), Conversation(), []
    for question, value in (("How much?", "105"), ("When?", "4 May"), ("How much now?", "115")):
        said = [rule_based_user(question, facts, user, talk) for _ in range(2)]
        assert value in " ".join(said)
        heard += said
    assert "115" in heard[-1]
    assert "105" not in heard[-1]


def test_facts_without_a_change_look_as_ever_in_packs():
    assert COST.model_dump(mode="json") == {"topic": "cost", "asks": ["cost", "how much"], "answer": "The cost is 105."}
    assert "asked_again" not in CHANGED.model_dump(mode="json")
    for one in (CHANGED, CHANGED.model_copy(update={"asked_again": True})):
        assert HeldBack.model_validate(one.model_dump(mode="json")) == one


def test_an_episode_remembers_what_was_said_over_forks_and_replays(tmp_path):
    environment = open_folder(write_package(tmp_path))
    terms = {"multi_turn": True, "held_back": (CHANGED, DATE), "user": UserWanted(persona="chatty", seed=2)}
    episode = LocalEpisode(environment, **terms)
    first = episode.call("ask_user", {"question": "How much?"})
    fork = episode.fork()
    answers = [one.call("ask_user", {"question": "When?"}).result["answer"] for one in (episode, fork)]
    assert answers[0] == answers[1]
    assert CHANGED.then in answers[0]
    assert CHANGED.then not in first.result["answer"]
    again = LocalEpisode(environment, **terms)
    again.follow(episode.log())
    assert again.digest == episode.digest


def test_a_simulator_that_fails_is_an_error_of_its_own(tmp_path):
    environment = open_folder(write_package(tmp_path))
    episode = LocalEpisode(environment, multi_turn=True, held_back=(COST,))
    object.__setattr__(episode._terms, "user", nobody)
    outcome = episode.call("ask_user", {"question": "How much?"})
    assert (outcome.kind, outcome.code) == ("error", USER_UNAVAILABLE)
    object.__setattr__(episode._terms, "user", rule_based_user)
    assert episode.call("ask_user", {"question": "How much?"}).result == {"answer": COST.answer}
    again = LocalEpisode(environment, multi_turn=True, held_back=(COST,))
    again.follow(episode.log())
    assert again.digest == episode.digest
