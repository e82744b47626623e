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


def bookings():
    """Calls that book each pet a visit at an hour at which some break several rules."""
    vets = world().keys("Vet")
    for pet in world().keys("Pet"):
        for starts in ("2020-01-01T03:00:00", "2030-01-07T10:00:00"):
            yield "book_appointment", {"pet_id": pet, "vet_id": vets[0], "starts_at": starts, "reason": "vaccination"}, reference(domain()).now


def test_of_broken_rules_the_first_are_found_alike_however_many_are_asked_for():
    lengths = set()
    for asked in bookings():
        machine = Remembered(domain())
        every = tuple(reference(domain()).broken(world(), *asked))
        lengths.add(len(every))
        for most in (1, 2, 1, 0, 3):
            found = machine.broken(world(), *asked, most)
            assert found == every[: len(found)]
            assert len(found) >= min(len(every), most or len(every))
    assert max(lengths) >= 2


def test_a_call_is_lawful_when_it_can_be_made_and_breaks_no_rule():
    machine, seen = Remembered(domain()), set()
    for key in world().keys("Invoice"):
        asked = ("write_off_invoice", {"invoice_id": key}, reference(domain()).now)
        prediction = machine.predict(world(), *asked)
        lawful = prediction.kind == "ok" and not reference(domain()).broken(world(), *asked)
        assert machine.lawful(prediction, *asked) == lawful
        seen.add((prediction.kind, lawful))
    assert seen == {("ok", True), ("ok", False), ("refused", False)}
