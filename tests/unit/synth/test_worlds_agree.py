"""Rows of the seeds that ship agree with each other as rows of a real shop do: dates with dates, states with the clock, words with words."""

from collections import defaultdict
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from synth.data.counts import counts
from synth.data.habits import Habits
from synth.data.rows import RowMaker
from synth.data.stream import world_stream
from synth.data.world import make_world
from synth.reference.interpret import Reference
from synth.seed.read import read_seed
from tests.seeds import every_path

ROOT = Path(__file__).parents[3]
NUMBERS = (0, 1, 2)
SEEDS = (
    *every_path(),
    pytest.param(ROOT / "tests/property/seeds/workshop.yaml", id="workshop"),
    pytest.param(ROOT / "tests/data/whole_language.yaml", id="whole_language"),
)


@cache
def world(name, number):
    """Today, now, and the rows by table and id."""
    found = read_seed(ROOT / f"seeds/{name}.yaml")
    tables = defaultdict(dict)
    for table, row in make_world(found, number).rows:
        tables[table][row["id"]] = row
    return found.now[:10], found.now, tables


def state_by_clock(r, t, today, now):
    """Done and missed visits began before now, one that was checked in is on today, a booked one is not over."""
    return {
        "done": r["starts_at"] < now,
        "no_show": r["starts_at"] < now,
        "checked_in": r["starts_at"][:10] == today,
        "booked": r["starts_at"][:10] >= today,
        "cancelled": True,
    }[r["status"]]


def open_hours(r, t, today, now):
    """Visits lie within the opening hours."""
    start = int(r["starts_at"][11:13]) * 60 + int(r["starts_at"][14:16])
    return 8 * 60 <= start <= start + r["length"] <= 18 * 60


def patient_is_there(r, t, today, now):
    """Nobody is treated before birth or before the owner's first visit."""
    pet = t["Pet"][r["pet_id"]]
    on = r["starts_at"][:10] if "starts_at" in r else r["issued_on"]
    return r["status"] in ("cancelled", "no_show", "booked") or max(pet["born"], t["Owner"][pet["owner_id"]]["first_visit"]) <= on


def invoice_as_fee(r, t, today, now):
    """A visit costs its fee, a missed one half of it."""
    visit = t["Appointment"][r["appointment_id"]]
    return abs(r["amount"] - visit["fee"]) <= 0 if visit["status"] == "done" else abs(2 * r["amount"] - visit["fee"]) <= 1


def returned_after_handing_out(r, t, today, now):
    """A unit comes back on or after the first day, not in the future, and only of a rental that went out."""
    rental, back = t["Rental"][r["rental_id"]], r["return_date"]
    if rental["status"] in ("reserved", "cancelled"):
        return back is None
    return rental["status"] == "out" if back is None else rental["first_day"] <= back <= today


def bought_before_rented(r, t, today, now):
    """A unit is bought before it is rented out."""
    return t["Unit"][r["unit_id"]]["purchase_date"] <= t["Rental"][r["rental_id"]]["first_day"]


def rental_by_clock(r, t, today, now):
    """What is out or back has begun, what is reserved has not ended; created, first day and last day follow each other."""
    begun = {"out": r["first_day"] <= today, "returned": r["first_day"] <= today, "reserved": r["last_day"] >= today, "cancelled": True}[r["status"]]
    customer = t["Customer"][r["customer_id"]]
    return begun and customer["customer_since"] <= r["created_at"][:10] <= r["first_day"] <= r["last_day"] and r["created_at"] <= now


def handed_out_on_the_first_day(r, t, today, now):
    """A rental that went out did so on its first day."""
    handed = r["handed_out_at"]
    if r["status"] not in ("out", "returned"):
        return handed is None
    return handed is not None and handed[:10] == r["first_day"] and r["created_at"] <= handed <= now


def service_after_purchase(r, t, today, now):
    """A job follows the purchase, and has an end once it is done."""
    bought, end = t["Unit"][r["unit_id"]]["purchase_date"], r["end_date"]
    return bought <= r["start_date"] <= today and (end is None) == (r["status"] == "open") and r["start_date"] <= (end or today) <= today


def in_service_for_a_reason(r, t, today, now):
    """A unit is in service while a job is open, and only then."""
    return (r["status"] == "in_service") == any(one["unit_id"] == r["id"] and one["status"] == "open" for one in t["ServiceJob"].values())


def new_when_young(r, t, today, now):
    """No unit is as good as new after two years."""
    return r["condition"] != "new" or int(today[:4]) - int(r["purchase_date"][:4]) <= 2


def damage_after_return(r, t, today, now):
    """Damage is found when the unit is back."""
    return t["RentalLine"][r["line_id"]]["return_date"] <= r["report_date"] <= today


def damage_as_described(r, t, today, now):
    """What is called cosmetic is no broken frame."""
    worse = ("Power cable", "wheel wobbles", "Motor smells", "Frame bent", "Battery")
    return (r["severity"] in ("major", "write_off")) == any(word in r["description"] for word in worse)


def charged_after_booking(r, t, today, now):
    """Nothing is charged before the rental was made."""
    return t["Rental"][r["rental_id"]]["created_at"][:10] <= r["charge_date"] <= today


def order_by_clock(r, t, today, now):
    """An order is placed before now and before its delivery."""
    return r["placed_at"] <= now and r["placed_at"][:10] <= r["delivery_date"]


def sent_after_order(r, t, today, now):
    """Goods leave after they were ordered; only parcels are tracked."""
    return t["Order"][r["order_id"]]["placed_at"][:10] <= r["dispatch_date"] <= today and (r["carrier"] == "parcel") == (r["tracking"] is not None)


def due_after_dispatch(r, t, today, now):
    """An invoice is due after its goods were sent."""
    return t["Shipment"][r["shipment_id"]]["dispatch_date"] <= r["due_date"]


def asked_back_after_dispatch(r, t, today, now):
    """Nothing comes back before it was sent, nor more than was."""
    sent = [t["Shipment"][one["shipment_id"]]["dispatch_date"] for one in t["ShipmentLine"].values() if one["line_id"] == r["line_id"]]
    return bool(sent) and min(sent) <= r["request_date"] <= today and r["quantity"] <= t["OrderLine"][r["line_id"]]["shipped"]


def return_as_described(r, t, today, now):
    """The remark says what the reason says."""
    words = {"damaged": ("Broken", "dented"), "expired": ("est-before",), "wrong_item": ("packing list", "another order"), "too_many": ()}[
        r["reason"]
    ]
    return r["note"] is None or not words or any(word in r["note"] for word in words)


def noted_after_order(r, t, today, now):
    """A note about an order is written after it was placed."""
    return r["written_at"] <= now and (r["about_id"] not in t["Order"] or t["Order"][r["about_id"]]["placed_at"] <= r["written_at"])


LAWS = [
    ("vet_clinic", "Appointment", state_by_clock),
    ("vet_clinic", "Appointment", open_hours),
    ("vet_clinic", "Appointment", patient_is_there),
    ("vet_clinic", "Prescription", patient_is_there),
    ("vet_clinic", "Invoice", invoice_as_fee),
    ("equipment_rental", "RentalLine", returned_after_handing_out),
    ("equipment_rental", "RentalLine", bought_before_rented),
    ("equipment_rental", "Rental", rental_by_clock),
    ("equipment_rental", "Rental", handed_out_on_the_first_day),
    ("equipment_rental", "ServiceJob", service_after_purchase),
    ("equipment_rental", "Unit", in_service_for_a_reason),
    ("equipment_rental", "Unit", new_when_young),
    ("equipment_rental", "Damage", damage_after_return),
    ("equipment_rental", "Damage", damage_as_described),
    ("equipment_rental", "Charge", charged_after_booking),
    ("wholesale_orders", "Order", order_by_clock),
    ("wholesale_orders", "Shipment", sent_after_order),
    ("wholesale_orders", "Invoice", due_after_dispatch),
    ("wholesale_orders", "Return", asked_back_after_dispatch),
    ("wholesale_orders", "Return", return_as_described),
    ("wholesale_orders", "Note", noted_after_order),
]


@pytest.mark.parametrize(("name", "table", "law"), LAWS, ids=[f"{name} {table} {law.__name__}" for name, table, law in LAWS])
def test_rows_agree(name, table, law):
    for number in NUMBERS:
        today, now, tables = world(name, number)
        assert tables[table]
        assert [row for row in tables[table].values() if not law(row, tables, today, now)] == [], law.__doc__


@pytest.mark.parametrize("path", SEEDS)
def test_rows_at_a_boundary_keep_what_all_other_rows_keep(path):
    """Habits are read off the rows that makers made alone; then the rows that were put next to boundaries must have them too."""
    domain = read_seed(path)
    for number in NUMBERS:
        maker = RowMaker(domain, world_stream(domain.sha256, number, None))
        for entity in domain.entities:
            maker.fill(entity, counts(domain, None)[entity.name])
        habits = Habits(domain, maker.state)
        rows = make_world(replace(domain, edges=True), number).rows
        habits.look_at(Reference(domain).state(rows))
        assert [(table, row) for table, row in rows if not habits.kept(table, row)] == []
        for table, row in rows:
            for column, value in row.items():
                hours = habits.hours(table, column)
                if hours and value is not None:
                    assert hours[0].hour <= int(str(value)[11:13]) <= hours[1].hour, (table, row["id"], column)
