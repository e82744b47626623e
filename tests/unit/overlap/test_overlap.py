"""Likeness of environments by shape, and of the tasks of a pack."""

import re
from dataclasses import replace

import pytest

from synth.lang.domain import Domain
from synth.overlap.alike import MOST_ALIKE, likeness, matched, overlap
from synth.overlap.catalog import catalog, pairs
from synth.overlap.hard import tables_written, what_is_hard
from synth.overlap.shapes import shape_of
from synth.seed.read import parse_seed, read_seed
from tests import made_once
from tests.seeds import ALL, path_of

NOUNS = {"Owner": "Tenant", "Pet": "Flat", "Vet": "Plumber", "Appointment": "Job", "Invoice": "Note", "Medicine": "Pipe", "Prescription": "Fitting"}


def clinic() -> Domain:
    return read_seed(path_of("vet_clinic"))


def renamed() -> Domain:
    """The clinic with other nouns."""
    text = path_of("vet_clinic").read_text(encoding="utf-8")
    for noun, other in NOUNS.items():
        text = re.sub(rf"\b{noun}\b", other, text)
        text = re.sub(rf"(?<![a-z]){noun.lower()}(?!_name)(?![a-rt-z])", other.lower(), text)
    return parse_seed(text.encode(), "renamed.yaml")


def test_other_nouns_are_no_other_shape():
    assert overlap(shape_of(clinic()), shape_of(renamed())).whole > 0.97


def test_a_copy_that_lacks_a_third_of_its_tools_is_still_too_much_alike():
    whole = clinic()
    part = replace(whole, tools=tuple(one for place, one in enumerate(whole.tools) if place % 3))
    found = overlap(shape_of(whole), shape_of(part))
    assert MOST_ALIKE < found.whole < 1
    assert found.tables == 1


def test_overlap_is_the_same_in_both_directions_and_whole_with_itself():
    one, other = shape_of(clinic()), shape_of(read_seed(path_of("equipment_rental")))
    assert overlap(one, other) == overlap(other, one)
    assert overlap(one, one).whole == 1


def test_the_order_of_tools_and_tables_does_not_count():
    whole = clinic()
    turned = replace(whole, tools=whole.tools[::-1], entities=whole.entities[::-1])
    assert overlap(shape_of(whole), shape_of(turned)).whole == pytest.approx(1)


def test_nothing_in_common_is_nought():
    from collections import Counter

    assert likeness(Counter("ab"), Counter("cd")) == 0
    assert likeness(Counter("aab"), Counter("ab")) == pytest.approx(2 / 3)
    assert matched([Counter("a"), Counter("b")], [Counter("b")]) == 0.5
    assert matched([], []) == 1


def test_no_two_environments_that_ship_are_more_alike_than_they_may_be():
    domains = [read_seed(path_of(name)) for name in ALL]
    found = made_once.value("pairs-of-all", lambda: pairs(domains))
    assert len(found) == len(ALL) * (len(ALL) - 1) // 2
    assert {pair: round(both.whole, 3) for pair, both in found.items() if both.whole > MOST_ALIKE} == {}
    listed = catalog(domains, {one.id: 1 for one in domains}, found)
    assert [one.id for one in listed] == sorted(ALL)
    for one in listed:
        assert one.alike == max(both.whole for pair, both in found.items() if one.id in pair)
        assert 0 < one.density <= 1


def test_what_makes_the_clinic_hard_is_told():
    hard = what_is_hard(clinic())
    assert "5 rules that no tool enforces" in hard
    assert "3 lifecycles with 8 moves" in hard


def test_tables_that_a_tool_writes_are_found_through_functions():
    whole = clinic()
    assert tables_written(whole.tool("finish_appointment"), whole) == {"Appointment", "Invoice"}
    assert tables_written(whole.tool("get_balance"), whole) == set()
