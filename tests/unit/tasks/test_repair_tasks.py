from functools import cache
from pathlib import Path

import pytest

from synth.data.world import make_world
from synth.lang.domain import Domain
from synth.reference.interpret import reference
from synth.seed.read import read_seed
from synth.tasks.draft import Draft, start_of
from synth.tasks.make import Made, making
from synth.tasks.solving.recheck import outcome_in
from tests.seeds import every

NAMES = ("vet_clinic", "wholesale_orders", "equipment_rental", "tool_library")


@cache
def domain_of(name: str) -> Domain:
    return read_seed(Path("seeds") / f"{name}.yaml")


@cache
def made(name: str) -> Made:
    domain = domain_of(name)
    machine = reference(domain)
    states = [machine.state(make_world(domain, number).rows) for number in (7, 8)]
    return making(domain, states[0], states[1], 12, 0, ("repair",)).made()


def mixed_up(name: str) -> list[Draft]:
    return [draft for draft in made(name).drafts if draft.undone is None]


def undone(name: str) -> list[Draft]:
    return [draft for draft in made(name).drafts if draft.undone is not None]


@pytest.mark.parametrize("name", every(NAMES))
def test_the_start_state_holds_the_mistake_and_invariants_hold(name: str) -> None:
    assert len(made(name).drafts) == 12
    assert mixed_up(name)
    for draft in mixed_up(name):
        assert draft.mistake is not None
        table, key, column = draft.mistake
        start = start_of(made(name).state, draft.patch)
        assert start.tables[table][key][column] != made(name).state.tables[table][key][column]
        assert not reference(domain_of(name)).invariants(start)


@pytest.mark.parametrize("name", every(NAMES))
def test_gold_gives_the_wrong_row_its_own_value_back_and_the_right_row_what_was_entered(name: str) -> None:
    for draft in mixed_up(name):
        assert draft.mistake is not None
        table, key, column = draft.mistake
        start = start_of(made(name).state, draft.patch)
        changes = {change.key: change.values for change in draft.accepted[0].changes}
        assert len(changes) == 2
        assert all({one for one, value in values.items() if value.match != "exempt"} == {column} for values in changes.values())
        assert changes[key][column].after == made(name).state.tables[table][key][column]
        (right,) = set(changes) - {key}
        assert changes[right][column].after == start.tables[table][key][column]


@pytest.mark.parametrize("name", every(NAMES))
def test_what_was_entered_has_to_be_looked_up_and_is_another_in_the_twin(name: str) -> None:
    right = 0
    for one, twin in zip(mixed_up(name)[::2], mixed_up(name)[1::2], strict=True):
        assert one.instruction == twin.instruction
        assert one.accepted != twin.accepted
        assert one.calls == twin.calls
        played = outcome_in(domain_of(name), made(name).state, twin)
        if played is not None:  # else rows of a later task are in its way, and it would not ship
            assert played.accepted == twin.accepted
            right += 1
    assert right > 0


def test_a_call_that_was_made_by_mistake_is_taken_back_in_the_one_row_that_it_changed() -> None:
    pairs = [(name, one, twin) for name in NAMES for one, twin in zip(undone(name)[::2], undone(name)[1::2], strict=True)]
    assert pairs
    for name, one, twin in pairs:
        assert one.undone is not None
        table, key, _ = one.undone
        (change,) = one.accepted[0].changes
        assert (change.table, change.key) == (table, key)
        world = made(name).state.tables[table][key]
        assert all(value.after == world[column] for column, value in change.values.items() if value.match != "exempt")
        (other,) = twin.accepted[0].changes
        assert one.instruction == twin.instruction
        assert (other.table, other.key) != (table, key)
