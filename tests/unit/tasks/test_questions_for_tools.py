"""Questions that a reading tool answers ask for one thing, in words that name it."""

import pytest

from synth.lang.domain import Tool, Wording
from synth.reference.state import Ref
from synth.tasks.chance import chance
from synth.tasks.kinds.consult import Wanted, asking, can_be_consulted, is_so, spoken, wanted_of, words_for
from synth.tasks.references.ask import Asked
from synth.tasks.rows.propose import Proposal
from synth.tasks.wording.phrase import as_phrase
from synth.tasks.wording.style import CLOSING
from synth.tasks.workshop import Workshop
from tests.seeds import ALL
from tests.unit.tasks.made import domain_of, made_of

SAID = {
    ("building_desk", "list_overdue", "which tickets are overdue in {building}"): "How many tickets are overdue in {building}?",
    ("building_desk", "get_cost", "work out the cost of {ticket}"): "Work out the cost of {ticket}, and tell me the total.",
    ("cold_freight", "get_route", "show the route of {consignment}"): "Show the route of {consignment}, and tell me the number of legs.",
    (
        "college_enrolment",
        "get_timetable",
        "list {student}'s sections this term",
    ): "List {student}'s sections this term, and tell me how many there are.",
    ("records_archive", "get_usage", "how many documents are there under {folder}"): "How many documents are there under {folder}?",
    (
        "wholesale_orders",
        "get_price",
        "look up the price of {product} for {customer}",
    ): "Look up the price of {product} for {customer}, and tell me what it is.",
}


def tool_of(name: str, tool: str) -> Tool:
    return domain_of(name).tool(tool)


def said(name: str, tool: Tool, wording: Wording, wanted: Wanted) -> str:
    asked = Asked(phrase=as_phrase(wording.text), prefix="s0", proposal=Proposal(tool=tool, values={}), rows=())
    return str(words_for(domain_of(name), asked, wording, wanted, chance("words"))).removesuffix(CLOSING)


@pytest.mark.parametrize("key", SAID, ids=lambda key: key[1])
def test_a_question_for_one_thing_is_asked_as_people_ask_it(key: tuple[str, str, str]) -> None:
    name, tool_name, text = key
    tool = tool_of(name, tool_name)
    wording = next(one for one in asking(domain_of(name), tool) if one.text == text)
    wanted = (spoken(wording, wanted_of(tool.result), dict(tool.result.fields)) or wanted_of(tool.result))[0]
    assert said(name, tool, wording, wanted) == SAID[key]


@pytest.mark.parametrize(
    ("name", "tool", "text"),
    [
        ("cold_freight", "get_route", "how far is {consignment}"),
        ("animal_shelter", "get_occupancy", "how full are the kennels for the species {species}"),
        ("college_enrolment", "list_free_sections", "find free seats in {course}"),
        ("records_archive", "list_subtree", "list everything under {folder}"),
        ("wholesale_orders", "get_credit", "can {customer} still order on account"),
    ],
)
def test_words_that_do_not_name_what_is_asked_for_ask_for_nothing(name: str, tool: str, text: str) -> None:
    assert text not in [one.text for one in asking(domain_of(name), tool_of(name, tool))]


@pytest.mark.parametrize(
    ("name", "tool", "text", "figure"),
    [
        ("animal_shelter", "get_occupancy", "how many kennel places are left for the species {species}", "free"),
        ("vet_clinic", "get_balance", "how much is still open on {owner}'s invoices", "owed"),
        ("records_archive", "get_usage", "how much space does {folder} take up", "megabytes"),
        ("shared_offices", "quote_change", "what would it cost to put {subscription} on {plan} today", "difference"),
        ("water_billing", "get_statement", "add up the bills of {household}", "owed"),
    ],
)
def test_the_figure_is_the_one_that_the_words_ask_for(name: str, tool: str, text: str, figure: str) -> None:
    result = tool_of(name, tool).result
    wording = next(one for one in asking(domain_of(name), tool_of(name, tool)) if one.text == text)
    assert spoken(wording, wanted_of(result), dict(result.fields)) == [("field", figure)]


def test_every_reading_tool_has_words_to_ask_with() -> None:
    for name in ALL:
        assert all(asking(domain_of(name), tool) for tool in domain_of(name).tools if can_be_consulted(tool))


def test_what_a_row_has_already_is_not_asked_for() -> None:
    domain, state = domain_of("shared_offices"), made_of("shared_offices").state
    key, row = next(iter(state.tables["Subscription"].items()))
    for plan in state.tables["Plan"]:
        values = {"subscription": Ref("Subscription", key), "plan": Ref("Plan", plan)}
        assert is_so(domain, state, Proposal(tool=domain.tool("quote_change"), values=values)) is (plan in (row["plan_id"], row["next_plan_id"]))


def test_since_is_a_day_that_is_over() -> None:
    made = made_of("building_desk")
    shop = Workshop(domain=domain_of("building_desk"), state=made.state, sibling=made.state, rng=chance("since"))
    since = next(one for one in shop.domain.tool("get_workload").params if one.name == "since")
    assert all(shop.proposer(made.state).scalar(since) < shop.view.today for _ in range(20))
