"""Invariants looked at row by row after a change come to what they come to when all rows are looked at."""

from dataclasses import replace
from random import Random

import pytest

from synth.data.world import make_world
from synth.gate.standing import Standing
from synth.reference.interpret import Reference
from synth.seed.read import read_seed
from tests.seeds import path_of

CHANGES = 60
ADDITIONS = 12


def changed(reference, start, random):
    """The start state in which one row has what another row of its table has in one column."""
    tables = [name for name in reference.tables.entities if len(start.tables[name]) > 1]
    state, table = start.fork(), random.choice(tables)
    one, other = random.sample(start.keys(table), 2)
    column = random.choice([name for name in start.tables[table][one] if name not in ("id", "position", "parent_id")])
    state.update(table, one, {column: start.tables[table][other][column]})
    return state


def test_what_one_changed_field_breaks_is_found_though_few_rows_are_looked_at():
    """The seed has invariants that are joined by `and`, and some that look at trees."""
    domain = read_seed(path_of("records_archive"))
    reference = Reference(domain)
    start = reference.state(make_world(domain, 0, 300).rows)
    standing, random = Standing(reference, start, reference.now), Random(1)
    seen = set()
    for _ in range(CHANGES):
        state = changed(reference, start, random)
        broken = reference.invariants(state)
        assert standing.broken(state) == broken
        seen.update(broken)
    assert len(seen) >= 2


def test_a_tree_that_changes_is_looked_at_from_all_rows_above():
    domain = read_seed(path_of("records_archive"))
    reference = Reference(domain)
    start = reference.state(make_world(domain, 0, 300).rows)
    standing = Standing(reference, start, reference.now)
    folders = start.tables["Folder"]
    below = next(key for key, row in folders.items() if row["parent_id"] is not None)
    root = next(key for key, row in folders.items() if row["parent_id"] is None and key != folders[below]["parent_id"])
    held = reference.predict(start, "get_usage", {"folder_id": root}, reference.now).result["megabytes"]
    tight = start.fork()
    tight.update("Folder", root, {"quota": max(held, 1)})
    assert standing.broken(tight) == reference.invariants(tight)
    moved = tight.fork()
    moved.update("Folder", below, {"parent_id": root})
    assert "quotas_are_kept" in reference.invariants(moved)
    assert standing.broken(moved) == reference.invariants(moved)


def with_one_more(state, random):
    """The state with one more appointment: a copy of one, of another vet or pet or at another time."""
    appointments = state.tables["Appointment"]
    one, other = random.sample(sorted(appointments), 2)
    taken = random.choice(("vet_id", "pet_id", "starts_at"))
    more = state.fork()
    more.insert("Appointment", {**appointments[one], taken: appointments[other][taken], "id": f"APT-9{len(appointments):04}"})
    return more


def test_rows_that_are_added_beside_others_break_what_they_break_when_all_rows_are_looked_at():
    domain = read_seed(path_of("vet_clinic"))
    domain = replace(domain, invariants=(*domain.invariants, *domain.at_start), at_start=())
    reference = Reference(domain)
    start = reference.state(make_world(domain, 0).rows)
    standing, random = Standing(reference, start, reference.now), Random(1)
    kept, seen = start, set[str]()
    for _ in range(ADDITIONS):
        state = with_one_more(kept, random)
        broken = reference.invariants(state)
        assert standing.broken(state) == broken
        seen.update(broken)
        if not broken:
            kept = state
            standing.move(kept)
    assert kept is not start
    assert {"one_patient_at_a_time", "one_visit_at_a_time"} <= seen


@pytest.mark.parametrize("name", ["vet_clinic", "cold_freight", "shared_offices"])
def test_rows_that_are_changed_beside_others_break_what_they_break_when_all_rows_are_looked_at(name):
    """Of rows that refer to one that stays as it is, only those that changed are looked at; what goes on to further rows is read again."""
    domain = read_seed(path_of(name))
    domain = replace(domain, invariants=(*domain.invariants, *domain.at_start), at_start=())
    reference = Reference(domain)
    start = reference.state(make_world(domain, 0).rows)
    standing, random = Standing(reference, start, reference.now), Random(2)
    seen = set()
    for _ in range(CHANGES):
        state = start
        for _ in range(random.choice((1, 1, 2, 3))):
            state = changed(reference, state, random)
        broken = reference.invariants(state)
        assert standing.broken(state) == broken
        seen.update(broken)
    assert seen
