"""Laws of plain English that hold of every instruction, over the tasks of all seeds; and the small grammar behind them."""

import datetime as dt
import re
from fractions import Fraction

import pytest

from synth.data.world import make_world
from synth.lang.domain import Wording
from synth.lang.nodes import Where
from synth.lang.types import Type
from synth.reference.interpret import reference
from synth.tasks.chance import chance
from synth.tasks.kinds.branch import condition_words, statement_of
from synth.tasks.kinds.turns import lead_of, topic_of, what_for, without_colon
from synth.tasks.references.ask import imperative
from synth.tasks.references.describe import clause
from synth.tasks.references.refer import ranked
from synth.tasks.rows.view import Leaf, View
from synth.tasks.wording.english import be, say
from synth.tasks.wording.nouns import figure_words, joint, measure_words
from synth.tasks.wording.phrase import Mention, Part, Phrase, as_phrase, fact
from synth.tasks.wording.smooth import OTHERWISE, THEN, smooth
from synth.tasks.workshop import Workshop
from tests.unit.tasks.made import SEEDS, domain_of, drafts_of, made_of

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


def test_a_row_of_the_condition_is_called_by_its_words_where_the_other_branch_named_one_of_its_kind() -> None:
    asked, other = ("the visit at ten", VISIT), ("the one at two", OTHER)
    branches = words("If the fee of ", asked, " is low", THEN, "bill ", other, OTHERWISE, "close ", asked, ".")
    assert str(smooth(branches)).endswith("Otherwise, close the visit at ten.")
    alone = words("If the fee of ", asked, " is low", THEN, "bill ", ("Ann", OWNER), OTHERWISE, "close ", asked, ".")
    assert str(smooth(alone)).endswith("Otherwise, close that visit.")


def test_a_person_before_a_verb_is_not_them() -> None:
    ann = ("Ann", OWNER)
    assert str(smooth(words("Call ", ann, " and book 40 that ", ann, " has paid."))).endswith("book 40 that that owner has paid.")
    assert str(smooth(words("Call ", ann, " and put ", ann, " down as absent."))).endswith("put them down as absent.")


def test_behind_which_no_article_follows() -> None:
    assert str(smooth(words("Which ", ("the ", VISIT), ("green saw", VISIT), " is free?"))) == "Which green saw is free?"


def test_references_have_the_words_between_that_people_use() -> None:
    said = {
        (name, entity, field): joint(domain_of(name).entity(entity).field(field))
        for name, entity, field in (
            ("records_archive", "Document", "folder"),
            ("records_archive", "Folder", "parent"),
            ("college_enrolment", "Section", "room"),
            ("spending_approvals", "Request", "department"),
            ("spending_approvals", "BudgetMove", "agreed_by"),
            ("spending_approvals", "Delegation", "giver"),
        )
    }
    assert list(said.values()) == ["in", "directly in", "in", "paid by", "agreed by", "from"]


def test_words_of_a_record_are_in_quotation_marks_and_units_stand_behind_the_number() -> None:
    archive, water = domain_of("records_archive"), domain_of("water_billing")
    view = View(water, reference(water).state(make_world(water, 7).rows))
    source = Leaf(path=("source",), value="customer", type=water.entity("Reading").field("source").type)
    assert str(clause(view, "Reading", source, "r")) == 'whose source is "customer"'
    view = View(archive, reference(archive).state(make_world(archive, 7).rows))
    quota = archive.entity("Folder").field("quota")
    assert measure_words(archive, "Folder", quota) == "quota"
    assert str(clause(view, "Folder", Leaf(path=("quota",), value=120, type=quota.type.required()), "r")) == "whose quota is 120 MB"


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("close {ticket}", True),
        ("{ticket} should be closed", True),
        ("on {day} {ticket} took {technician} {minutes}", False),
        ("new consignment for {shipper}: {goods}", False),
        ("I am through with {document}, so release it", False),
    ],
)
def test_what_may_stand_behind_a_condition(text: str, asks: bool) -> None:
    assert imperative(Wording(text=text, where=Where(file="", line=1, column=1))) is asks


@pytest.mark.parametrize(
    ("before", "rest"),
    [
        ("Replace the note about the cat with: ", "Replace the note about the cat with "),
        ("A note on the cat: ", "A note on the cat: "),
    ],
)
def test_a_colon_goes_where_nothing_is_quoted_behind_it(before: str, rest: str) -> None:
    assert "".join(part.text for part in without_colon([Part(before)])) == rest


def test_because_goes_with_the_reason_that_is_left_out() -> None:
    assert lead_of("the ticket must go one level up, because: ", "", more=False) == ", because: "


def test_a_condition_on_how_many_says_what_somebody_has() -> None:
    shelter = domain_of("animal_shelter")
    places = shelter.entity("Kennel").field("places")
    said = [str(condition_words(shelter, "Kennel", places, as_phrase("kennel C28"), text)) for text in ("at least 4", "at least 1")]
    assert said == ["kennel C28 has at least 4 places", "kennel C28 has at least 1 place"]


def test_no_threshold_is_below_zero() -> None:
    owner = domain_of("vet_clinic").entity("Owner").field("credit")
    state = made_of("vet_clinic").state
    for number in range(20):
        shop = Workshop(domain=domain_of("vet_clinic"), state=state, sibling=state, rng=chance("below zero", number))
        assert statement_of(shop, owner, Fraction(-29)) is None
        said = statement_of(shop, owner, Fraction(29))
        assert said is not None
        assert said.text in ("at least 25", "at least 35")


def test_the_oldest_in_a_kennel_is_one_of_those_for_which_the_clause_holds() -> None:
    shelter = domain_of("animal_shelter")
    state = made_of("animal_shelter").state
    view = View(shelter, state)
    found = [ranked(view, shelter.entity("Animal"), key, "r", chance("loose", key)) for key in view.keys("Animal")]
    said = [str(one.phrase) for one in found if one is not None]
    assert not [
        one for one in said if re.search(r"^the (?:second-)?(?:oldest|youngest) [^,]* in kennel \S+ (?:that is|whose)", one) and "those" not in one
    ]
    assert any(re.search(r"oldest animal among those in kennel \S+ that are in quarantine", one) for one in said)


def test_what_a_user_is_asked_for_is_a_text_or_a_kind_of_something() -> None:
    shop, shelter = domain_of("wholesale_orders"), domain_of("animal_shelter")
    body = next(param for tool in shop.tools for param in tool.params if param.of is not None and param.of[1] == "body")
    kind = next(param for tool in shelter.tools for param in tool.params if param.of == ("Check", "kind") and param.required)
    assert topic_of(shop, body) == "text"
    assert what_for(shelter, kind, "kind", "kind") == "kind of vet appointment"


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
