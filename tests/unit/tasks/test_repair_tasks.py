from functools import cache
from pathlib import Path

import pytest

from synth.data.world import make_world
from synth.lang.domain import Domain
from synth.reference.interpret import reference
from synth.seed.read import read_seed
from synth.tasks.make import Made, make_tasks
from synth.tasks.recheck import outcome_in, start_of

NAMES = ("vet_clinic", "wholesale_orders", "equipment_rental", "tool_library")


@cache
def domain_of(name: str) -> Domain:
    return read_seed(Path("seeds") / f"{name}.yaml")


@cache
def made(name: str) -> Made:
    domain = domain_of(name)
    machine = reference(domain)
    states = [machine.state(make_world(domain, number).rows) for number in (7, 8)]
    return make_tasks(domain, states[0], states[1], 6, 0, ("repair",))


@pytest.mark.parametrize("name", NAMES)
def test_the_start_state_holds_the_mistake_and_invariants_hold(name: str) -> None:
    assert len(made(name).drafts) == 6
    for draft in made(name).drafts:
        assert draft.mistake is not None
        table, key, column = draft.mistake
        start = start_of(made(name).state, draft.patch)
        assert start.tables[table][key][column] != made(name).state.tables[table][key][column]
        assert not reference(domain_of(name)).invariants(start)


@pytest.mark.parametrize("name", NAMES)
def test_gold_gives_the_wrong_row_its_own_value_back_and_the_right_row_what_was_entered(name: str) -> None:
    for draft in made(name).drafts:
        assert draft.mistake is not None
        table, key, column = draft.mistake
        start = start_of(made(name).state, draft.patch)
        changes = {change.key: change.values for change in draft.accepted[0].changes}
        assert len(changes) == 2
        assert all({one for one, value in values.items() if value.match != "exempt"} == {column} for values in changes.values())
        assert changes[key][column].after == made(name).state.tables[table][key][column]
        (right,) = set(changes) - {key}
        assert changes[right][column].after == start.tables[table][key][column]


@pytest.mark.parametrize("name", NAMES)
def test_what_was_entered_has_to_be_looked_up_and_is_another_in_the_twin(name: str) -> None:
    kept = 0
    for one, twin in zip(made(name).drafts[::2], made(name).drafts[1::2], strict=True):
        assert one.instruction == twin.instruction
        assert one.accepted != twin.accepted
        assert one.calls == twin.calls
        played = outcome_in(domain_of(name), made(name).state, twin)
        assert played is None or played.accepted == twin.accepted
        kept += played is not None  # rows of later tasks may come to fit words of an earlier one: no pack holds it then
    assert kept >= 2
