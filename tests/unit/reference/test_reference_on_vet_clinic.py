"""The interpreter on a whole seed."""

from pathlib import Path

import pytest

from synth.data.world import make_world
from synth.reference.interpret import Reference
from synth.seed.read import read_seed

SEED = Path(__file__).parents[3] / "seeds" / "vet_clinic.yaml"


@pytest.fixture(scope="module")
def clinic():
    domain = read_seed(SEED)
    reference = Reference(domain)
    return reference, reference.state(make_world(domain, 0).rows)


def test_a_late_cancellation_makes_an_invoice_of_half_the_fee(clinic):
    reference, state = clinic
    booked = [row for row in state.rows("Appointment") if row["status"] == "booked"]
    late = booked[0]["id"]
    state = state.fork()
    state.update("Appointment", late, {"starts_at": "2026-03-03T07:59:00", "fee": 7501})
    owner = state.tables["Pet"][booked[0]["pet_id"]]["owner_id"]
    state.update("Owner", owner, {"plan": "none"})
    for invoice in state.where("Invoice", "appointment_id", late):
        state.delete("Invoice", invoice)
    found = reference.predict(state, "cancel_appointment", {"appointment_id": late, "reason": "cost"}, reference.now)
    made = [one for one in found.changes() if one.table == "Invoice"]
    assert [(one.op, one.values["amount"].after, one.values["status"].after) for one in made] == [("insert", 3750, "open")]
    state.update("Appointment", late, {"starts_at": "2026-03-03T08:00:00"})
    on_time = reference.predict(state, "cancel_appointment", {"appointment_id": late, "reason": "cost"}, reference.now)
    assert [one.table for one in on_time.changes()] == ["Appointment"]


def test_searches_filter_sort_and_page(clinic):
    reference, state = clinic
    first = reference.predict(state, "search_appointments", {"status": "booked", "limit": 3}, reference.now).result
    second = reference.predict(state, "search_appointments", {"status": "booked", "limit": 3, "offset": 3}, reference.now).result
    booked = [row["id"] for row in state.rows("Appointment") if row["status"] == "booked"]
    assert sorted(one["id"] for one in (*first["items"], *second["items"])) == sorted({*(one["id"] for one in first["items"] + second["items"])})
    assert first["total"] == len(booked)
    assert first["next_offset"] == 3
    assert reference.predict(state, "search_appointments", {"limit": 51}, reference.now).kind == "invalid"


def test_all_invariants_hold_in_the_world_and_a_double_booking_breaks_one(clinic):
    reference, state = clinic
    assert reference.invariants(state) == []
    booked = [row for row in state.rows("Appointment") if row["status"] == "booked"]
    state = state.fork()
    state.update("Appointment", booked[0]["id"], {"vet_id": booked[1]["vet_id"], "starts_at": booked[1]["starts_at"]})
    assert len(reference.invariants(state)) == 1
