"""States made from others are told apart, and held to their invariants, as if each had been made from nothing."""

from random import Random

from synth.data.world import make_world
from synth.gate.likeness import MANY
from synth.gate.standing import Standing
from synth.reference.interpret import Reference
from synth.reference.state import State
from synth.seed.read import read_seed
from tests.seeds import path_of


def all_rows(state):
    return {(table, key): row for table, rows in state.tables.items() for key, row in rows.items()}


def apart(one, other):
    """Where two states hold other rows, found by walks through all tables."""
    mine, theirs = all_rows(one), all_rows(other)
    return sorted(place for place in mine.keys() | theirs.keys() if mine.get(place) is not theirs.get(place))


def written(state, random):
    """One write of any kind."""
    keys = state.keys("A")
    match random.randrange(3):
        case 0:
            state.insert("A", {"id": f"{random.random()}", "name": "new"})
        case 1 if keys:
            state.update("A", random.choice(keys), {"name": f"{random.random()}"})
        case _ if keys:
            state.delete("A", random.choice(keys))


def test_states_of_one_origin_differ_where_walks_through_their_tables_find_it():
    random = Random(1)
    states = [State({"A": {str(number): {"id": str(number), "name": "old"} for number in range(9)}, "B": {}})]
    for _ in range(120):
        state = random.choice(states)
        if random.random() < 0.5:
            state = state.fork()
            states.append(state)
        written(state, random)
    for _ in range(300):
        one, other = random.choice(states), random.choice(states)
        assert one.differing(other) == apart(one, other)


def test_states_of_two_origins_differ_in_every_row_that_is_not_the_same_object():
    row = {"id": "1", "name": "same"}
    one, other = State({"A": {"1": row, "2": {"id": "2", "name": "x"}}}), State({"A": {"1": row, "2": {"id": "2", "name": "x"}}})
    assert one.fork().differing(other.fork()) == [("A", "2")]


def test_what_is_known_of_a_state_far_from_the_start_says_the_same_of_states_made_from_it():
    domain = read_seed(path_of("records_archive"))
    reference = Reference(domain)
    start = reference.state(make_world(domain, 0, 300).rows)
    standing, plain, random = Standing(reference, start, reference.now), Standing(reference, start, reference.now), Random(2)
    far = start.fork()
    for table in reference.tables.entities:
        for key in start.keys(table)[:40]:
            far.update(table, key, {})
    assert len(standing._affected([(*place, None, None) for place in far.differing(start)])) >= MANY
    assert standing.broken(far, None, start) == []
    parent, seen = far, set()
    for _ in range(30):
        table = random.choice([name for name in reference.tables.entities if len(start.tables[name]) > 1])
        one, other = random.sample(start.keys(table), 2)
        column = random.choice([name for name in start.tables[table][one] if name not in ("id", "position", "parent_id")])
        child = parent.fork()
        child.update(table, one, {column: start.tables[table][other][column]})
        broken = standing.broken(child, None, parent)
        assert broken == plain.broken(child) == reference.invariants(child)
        seen.update(broken)
        parent = child if random.random() < 0.3 else far
    assert seen
