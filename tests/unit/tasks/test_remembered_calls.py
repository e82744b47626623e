"""What a call came to before is given again where it can see no difference, and nowhere else."""

import pytest

from synth.reference.interpret import reference
from synth.reference.state import State
from synth.tasks.remembered import Remembered, sight_of
from tests.unit.tasks.clinic import domain, world


def changed(table: str, key: str, **values) -> State:
    state = world().fork()
    state.update(table, key, values)
    return state


def first(table: str) -> str:
    return world().keys(table)[0]


def test_a_read_is_remembered_in_a_state_whose_difference_it_cannot_see():
    machine = Remembered(domain())
    asked = ("search_pets", {"owner_id": first("Owner")}, reference(domain()).now)
    there = changed("Owner", first("Owner"), name="Ada Byron")
    one, two = machine.predict(world(), *asked), machine.predict(there, *asked)
    assert two.result is one.result
    assert two.state is there


def test_a_read_of_rows_that_have_changed_is_made_again():
    machine = Remembered(domain())
    pet = str(world().tables["Pet"][first("Pet")]["owner_id"])
    asked = ("search_pets", {"owner_id": pet}, reference(domain()).now)
    before = machine.predict(world(), *asked).result
    there = changed("Pet", first("Pet"), name="Quince")
    assert machine.predict(there, *asked).result == reference(domain()).predict(there, *asked).result != before


def test_whether_a_row_is_there_that_an_argument_names_is_seen():
    machine = Remembered(domain())
    asked = ("search_pets", {"owner_id": first("Owner")}, reference(domain()).now)
    there = world().fork()
    there.delete("Owner", first("Owner"))
    assert machine.predict(world(), *asked).kind == "ok"
    assert machine.predict(there, *asked).code == "NOT_FOUND"


def test_a_write_is_remembered_in_the_same_state_alone():
    machine = Remembered(domain())
    asked = ("update_owner", {"owner_id": first("Owner"), "phone": "555-0199"}, reference(domain()).now)
    one = machine.predict(world(), *asked)
    assert one.kind == "ok"
    assert machine.predict(world(), *asked).state is one.state
    there = changed("Pet", first("Pet"), name="Quince")
    assert machine.predict(there, *asked).state.tables["Pet"] is there.tables["Pet"]


@pytest.mark.parametrize(
    ("tool", "tables"), [("search_pets", ("Pet",)), ("search_appointments", ("Appointment",)), ("list_free_slots", ("Vet", "Appointment"))]
)
def test_a_search_sees_the_tables_that_its_result_comes_from(tool, tables):
    assert set(sight_of(domain(), reference(domain()).tables, domain().tool(tool)).tables) >= set(tables)
