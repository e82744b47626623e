"""Manners of speech lose no fact and add none; the user behind a task is recorded with it."""

import pytest

from synth.tasks.chance import chance
from synth.tasks.finishing.dress import keeps, reworded
from synth.tasks.wording.phrase import as_phrase, fact
from synth.tasks.wording.style import CHATTER, CLOSINGS, COURTESY, DICTATION, STYLES, Body, subject_of
from tests.seeds import FIRST
from tests.unit.tasks.made import SEEDS, drafts_of, made_of

WORDS = as_phrase("Please put down ") + fact("3", "n") + " packs for " + fact("Rex", "x") + ', and note: "' + fact("Bites.", "f") + '" Also, move '
WORDS = WORDS + "the visit to " + fact("Monday 2 March at 14:00", "d") + "."


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("number", range(8))
def test_every_wording_of_every_style_keeps_each_fact_to_the_letter_and_adds_none(style: str, number: int) -> None:
    styled = STYLES[style](Body(words=WORDS, sender="Ann Lee", subject="a request"), chance(style, number))
    assert styled.tags() == WORDS.tags()
    for tag, (start, end) in styled.spans().items():
        was = WORDS.spans()[tag]
        assert str(styled)[start:end].lower() == str(WORDS)[was[0] : was[1]].lower()
    assert keeps(str(WORDS), str(styled), "Ann Lee")
    assert "decline" in str(styled).lower()
    assert "rule" in str(styled)
    assert "records" in str(styled)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("number", range(4))
def test_a_question_says_nothing_about_declining(style: str, number: int) -> None:
    asked = str(STYLES[style](Body(words=WORDS, sender="Ann Lee", subject="a question", question=True), chance(style, number)))
    assert "decline" not in asked.lower()
    assert "rule" not in asked


def test_the_subject_of_an_email_counts_the_requests() -> None:
    one = {subject_of(as_phrase("Move the visit."), question=False, rng=chance("one", number)) for number in range(20)}
    two = {subject_of(as_phrase("Move the visit. Also, bill it."), question=False, rng=chance("two", number)) for number in range(20)}
    assert not one & two
    assert all("things" not in said for said in one)


def test_no_opening_or_closing_comes_again_before_all_others_did() -> None:
    told: list[str] = []
    for number in range(len(CHATTER)):
        body = Body(words=WORDS, sender="Ann Lee", subject="a request", told=tuple(told))
        told.append(str(STYLES["rambling"](body, chance("again", number))))
    assert all(sum(opening in text for text in told) == 1 for opening, _ in CHATTER)
    counts = [sum(closing.strip() in text for text in told) for closing in CLOSINGS["rambling"]]
    assert max(counts) - min(counts) <= 1


@pytest.mark.parametrize("pair", [*CHATTER, *COURTESY, *DICTATION])
def test_openings_and_endings_state_no_fact(pair: tuple[str, str]) -> None:
    assert all(keeps("", said) for said in pair)


def test_a_lost_or_another_fact_is_noticed() -> None:
    assert not keeps("Put down 3 packs for Rex.", "Put down packs for Rex.")
    assert not keeps("Put down 3 packs for Rex.", "Put down 3 packs for Rex, not 4.")
    assert not keeps("Put down 3 packs for Rex on Monday 2 March.", "Put down 3 packs for Rex on Tuesday 3 March.")


def test_another_wording_is_taken_only_if_it_says_every_fact_once() -> None:
    better = reworded(WORDS, lambda text: text.replace("Please put down", "Kindly enter"))
    assert str(better).startswith("Kindly enter 3 packs")
    assert better.tags() == WORDS.tags()
    for spoilt in (lambda text: text.replace("Rex", "Max"), lambda text: text + " Or Rex.", lambda text: text.replace("14:00", "15:00")):
        assert reworded(WORDS, spoilt) == WORDS


@pytest.mark.parametrize("name", SEEDS)
def test_styles_and_users_are_recorded_and_the_user_is_nobody_in_the_world(name: str) -> None:
    drafts = drafts_of(name)
    rows = [row for table in made_of(name).state.tables.values() for row in table.values()]
    for one in drafts:
        assert one.user is not None
        assert one.user.intent
        held = {said for fact in one.held_back for said in (fact.answer, fact.then)}
        assert all(words in held or words.lower() in one.instruction.lower() for words in one.user.knows)
        assert not any(one.user.name == value for row in rows for value in row.values())
        assert (one.user.name in one.instruction) == (one.style == "email")


@pytest.mark.parametrize("name", SEEDS)
def test_spans_of_gold_still_quote_the_instruction_after_styling(name: str) -> None:
    for one in made_of(name).drafts:
        for call in (*one.calls, *one.other_calls):
            for source in call.sources.values():
                if source.kind == "span":
                    assert one.instruction[source.start : source.end] == source.text != ""


def test_styles_are_spread_over_the_tasks() -> None:
    assert len({one.style for name in FIRST for one in drafts_of(name)}) >= len(STYLES) - 1
