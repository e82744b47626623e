"""Laws of plain English that hold of every instruction, over the tasks of all seeds; and the small grammar behind them."""

import datetime as dt
import re
from fractions import Fraction

import pytest

from synth.lang.types import Type
from synth.tasks.wording.english import be, say
from synth.tasks.wording.nouns import figure_words, measure_words
from synth.tasks.wording.phrase import Mention, Phrase, as_phrase, fact
from synth.tasks.wording.smooth import smooth
from tests.unit.tasks.made import SEEDS, domain_of, drafts_of

NEVER = {
    "a possessive of a plural or a name in s": r"s's\b",
    "two full stops around a quotation": r"[.!?]\"\.",
    "an article twice": r"\b(?:the|an?) (?:the|an?) ",
    "`a` before a vowel": r"\ba (?!uni|use|euro|one\b)[aeiou]\w",
    "`an` before a consonant": r"\ban (?!hour|honest)[b-df-hj-np-tv-z]\w",
    "an identifier": r"\b[A-Za-z]+_[A-Za-z_]+(?![\w.]*[@\d])|\b[A-Z]{3}-\d{4,5}\b",
    "a date or time as stored": r"\d{4}-\d\d-\d\d|\dT\d\d:",
    "one thing in the plural": r"(?<![\d,.:])1 (?:pieces|packs|days|units|hours|minutes)\b",
    "a number with nothing behind its point": r"\d\.0\b(?!\d)",
    "a possessive of a possessive": r"'s? (?:\w+ ){0,2}\w+(?:'s|s')(?= )",
    "an empty value": r"\b(?:None|null|nothing's)\b",
    "two spaces or signs": r"  |,,| ,|\.\.| \.|;;|: ,|!\.",
    "an article before a pronoun": r"\b(?:the|an?) (?:it|its|them|their|that)\b",
    "a word twice": r"\b(\w+) \1\b",
}


@pytest.mark.parametrize("name", SEEDS)
@pytest.mark.parametrize("fault", NEVER)
def test_no_instruction_has(name: str, fault: str) -> None:
    found = [one.instruction for one in drafts_of(name) if re.search(NEVER[fault], one.instruction)]
    assert not found


@pytest.mark.parametrize("name", SEEDS)
def test_sentences_begin_with_a_capital_and_end_and_marks_come_in_pairs(name: str) -> None:
    for one in drafts_of(name):
        text = one.instruction
        assert text[0].isupper() or not text[0].isalpha()
        assert text.rstrip()[-1] in '.?!"' or one.style == "email"
        assert text.count('"') % 2 == 0
        assert text.count("(") == text.count(")")
        unquoted = re.sub(r'"[^"]*"', "Q", text).replace("Dr. ", "")
        assert not re.search(r"[.?!] [a-z]", unquoted), text


@pytest.mark.parametrize("name", SEEDS)
def test_a_condition_is_followed_by_what_to_do_not_by_what_has_happened(name: str) -> None:
    for one in drafts_of(name):
        assert not re.search(
            r"(?:^If [^.]*|Otherwise), [^.]* (?:has arrived|have arrived|is here|came in|(?<!when its period )is over|is broken|has a new)",
            one.instruction,
        )


VISIT = Mention(entity="Visit", key="V1", noun="visit")
OTHER = Mention(entity="Visit", key="V2", noun="visit")
OWNER = Mention(entity="Owner", key="O1", noun="owner", person=True)
PET = Mention(entity="Pet", key="P1", noun="pet", inside=("Owner",))


def words(*parts: str | Phrase | tuple[str, Mention]) -> Phrase:
    phrase = as_phrase("")
    for part in parts:
        phrase = phrase + (fact(part[0], part[0]).about(part[1]) if isinstance(part, tuple) else part)
    return phrase


def test_a_row_named_before_is_a_pronoun_only_where_nothing_else_can_be_meant() -> None:
    first = ("the visit at ten", VISIT)
    assert str(smooth(words("Move ", first, ". Then bill ", first, "."))) == "Move the visit at ten. Then bill it."
    assert str(smooth(words("Move ", first, ". Then ", first, " is over."))) == "Move the visit at ten. Then that visit is over."
    with_owner = words("Move ", first, " for ", ("Ann", OWNER), ". Then bill ", first, ".")
    assert str(smooth(with_owner)) == "Move the visit at ten for Ann. Then bill that visit."
    with_another = words("Move ", first, " before ", ("the one at two", OTHER), ". Then bill ", first, ".")
    assert str(smooth(with_another)).endswith("Then bill the visit at ten.")


def test_behind_an_article_or_of_a_row_named_before_is_not_described_again() -> None:
    first = ("the visit at ten", VISIT)
    assert str(smooth(words("If the fee of ", first, " is low, change the vet on the ", first, "."))).endswith("change the vet on that visit.")
    assert (
        str(smooth(words("Call ", ("Ann", OWNER), " and set the plan of ", ("Ann", OWNER), " to basic."))) == "Call Ann and set their plan to basic."
    )


def test_figures_of_results_have_names_that_can_stand_behind_the() -> None:
    money, number = Type(kind="money"), Type(kind="integer")
    assert [figure_words(name, money) for name in ("price", "owed", "labour")] == ["price", "amount owed", "amount for labour"]
    assert [figure_words(name, number) for name in ("minutes", "days_left", "fostered")] == [
        "number of minutes",
        "number of days left",
        "number of fostered ones",
    ]


def test_persons_are_they_and_the_owner_inside_another_description_counts_as_named() -> None:
    ann = ("Ann", OWNER)
    assert str(smooth(words("Call ", ann, " and change ", ann, "'s plan."))) == "Call Ann and change their plan."
    assert str(smooth(words("Call ", ann, " and tell ", ann, "."))) == "Call Ann and tell them."
    inside = words("Call ", ann, " and weigh ", ("Bob's dog", PET), "; then tell ", ann, ".")
    assert str(smooth(inside)).endswith("then tell Ann.")


def test_where_parts_meet_possessives_articles_stops_and_numbers_fit() -> None:
    assert str(smooth(words(fact("James", "n") + "'s cat"))) == "James' cat"
    assert str(smooth(words("Find me a ", ("the orange saw", VISIT), "."))) == "Find me an orange saw."
    split = words("Find me an ", ("the ", VISIT), ("green saw", VISIT), ".")
    assert str(smooth(split)) == "Find me a green saw."
    assert str(smooth(words('Note: "') + fact("It is done.", "t") + '".')) == 'Note: "It is done."'
    assert str(smooth(words("Take ") + fact("1", "n") + " pieces of it.")) == "Take 1 piece of it."


def test_dates_amounts_and_numbers_are_said_as_people_say_them() -> None:
    today = dt.date(2026, 3, 2)
    assert say(dt.date(2026, 3, 5), Type(kind="date"), today) == "Thursday 5 March"
    assert say(dt.date(2019, 7, 31), Type(kind="date"), today) == "31 July 2019"
    assert say(dt.datetime.fromisoformat("2026-03-05T09:30"), Type(kind="datetime"), today) == "Thursday 5 March at 09:30"
    assert say(Fraction(4), Type(kind="decimal", places=1), today) == "4"
    assert say(Fraction(25, 2), Type(kind="money"), today) == "12.50"
    assert (be("payment terms"), be("address"), be("status")) == ("are", "is", "is")
    assert (be("number of packs"), be("length in minutes"), be("species")) == ("is", "is", "is")


def test_what_is_highest_or_lowest_is_a_number_without_a_unit() -> None:
    domain = domain_of("vet_clinic")
    words = {
        (entity, name): measure_words(domain, entity, domain.entity(entity).field(name))
        for entity, name in (("Pet", "weight"), ("Medicine", "stock"))
    }
    assert words == {("Pet", "weight"): "weight", ("Medicine", "stock"): "number of packs in stock"}
