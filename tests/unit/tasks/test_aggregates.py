"""Questions about sets: every condition changes the answer, small counts are left out, what is asked is said."""

import re
from fractions import Fraction
from functools import cache

import pytest

from synth.data.world import make_world
from synth.reference.interpret import reference
from synth.tasks.chance import chance
from synth.tasks.draft import Draft
from synth.tasks.kinds.aggregate import FEWEST, answer_of, draw_conditions, make_aggregate, members
from synth.tasks.proving.twin import make_twin
from synth.tasks.solving.readings import computed, greatest, lead
from synth.tasks.solving.recheck import outcome_in
from synth.tasks.workshop import Workshop
from tests.seeds import FIRST
from tests.unit.tasks.made import SEEDS, domain_of

TRIES = 60


@cache
def shop_of(name: str) -> Workshop:
    domain, machine = domain_of(name), reference(domain_of(name))
    worlds = [machine.state(make_world(domain, number).rows) for number in (300_007, 800_007)]
    return Workshop(domain=domain, state=worlds[0], sibling=worlds[1], rng=chance("aggregates", name))


@cache
def questions(name: str) -> list[Draft]:
    return [draft for draft in (make_aggregate(shop_of(name)) for _ in range(TRIES)) if draft is not None]


def test_all_ways_of_asking_come_up() -> None:
    ways = {draft.reading.what for name in (*FIRST, "cold_freight") for draft in questions(name) if draft.reading is not None}
    assert ways == {"count", "sum", "average", "max", "min", "most"}


@pytest.mark.parametrize("name", SEEDS)
def test_no_count_is_below_four_and_what_is_computed_is_said(name: str) -> None:
    said = {"sum": "total", "average": "average", "max": "highest", "min": "lowest", "count": "How many", "most": "most"}
    for draft in questions(name):
        assert draft.reading is not None
        assert draft.answer is not None
        assert said[draft.reading.what] in draft.instruction
        if draft.reading.what == "count":
            assert int(draft.answer.value) >= FEWEST
        if draft.reading.what == "average":
            assert "two decimal places" in draft.instruction
        if " between " in draft.instruction:
            assert re.search(r"\(both (?:days )?included\)", draft.instruction)


@pytest.mark.parametrize("name", SEEDS)
def test_gold_reads_give_the_answer_again_and_the_twin_gives_another(name: str) -> None:
    twins = 0
    for draft in questions(name)[:12]:
        there = outcome_in(domain_of(name), shop_of(name).state, draft)
        assert there is not None
        assert there.answer == draft.answer
        twin = make_twin(shop_of(name), draft)
        twins += twin is not None
        assert twin is None or twin.answer != draft.answer
    assert twins >= len(questions(name)[:12]) // 2


@pytest.mark.parametrize("name", SEEDS)
def test_conditions_hold_for_exactly_the_members(name: str) -> None:
    shop = shop_of(name)
    for tool in (one for one in shop.domain.tools if one.kind == "search"):
        for _ in range(10):
            conditions = draw_conditions(shop.view, tool, shop.rng)
            entity = shop.domain.entity(tool.entity)
            keys = members(shop.view, entity, conditions)
            assert set(keys) <= set(members(shop.view, entity, conditions[1:]))
            assert answer_of(shop.view, entity, keys, "count", None) == str(len(keys))


def test_figures_are_exact_and_a_tie_has_no_answer() -> None:
    values = [Fraction(1), Fraction(2), Fraction(4)]
    assert [computed(values, way, 2) for way in ("sum", "average", "max", "min")] == ["7.00", "2.33", "4.00", "1.00"]
    assert computed([], "sum", 2) is None
    assert (greatest(["a", "b", "a"]), lead(["a", "b", "a"])) == ("a", 1)
    assert greatest(["a", "b"]) is None
