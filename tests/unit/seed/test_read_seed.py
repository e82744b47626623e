"""Reading of the seeds that ship."""

from pathlib import Path

import pytest

from synth.lang.nodes import Comprehension, Local
from synth.lang.walk import rules
from synth.seed.read import read_seed

SEEDS = sorted(Path("seeds").glob("*.yaml"))


@pytest.mark.parametrize("path", SEEDS, ids=lambda one: one.stem)
def test_a_seed_that_ships_reads_into_a_domain(path):
    domain = read_seed(path)
    assert domain.id == path.stem
    assert domain.tools
    assert domain.entities


def test_entities_stand_in_an_order_in_which_rows_can_be_made():
    names = [one.name for one in read_seed("seeds/vet_clinic.yaml").entities]
    assert names.index("Owner") < names.index("Pet") < names.index("Appointment") < names.index("Invoice")
    assert names.index("Vet") < names.index("Appointment")


def test_evidence_of_a_rule_without_its_own_is_the_row_that_it_tests():
    tool = read_seed("seeds/vet_clinic.yaml").tool("cancel_appointment")
    first = next(rules(tool.body))
    assert [(type(one), getattr(one, "name", "")) for one in first.evidence] == [(Local, "appointment")]


def test_evidence_that_is_written_is_kept():
    tool = read_seed("seeds/vet_clinic.yaml").tool("book_appointment")
    busy = next(one for one in rules(tool.body) if one.code == "VET_BUSY")
    assert [getattr(one, "name", "") for one in busy.evidence] == ["clashes"]
    assert not isinstance(busy.evidence[0], Comprehension)


def test_a_column_that_tools_write_only_from_the_clock_is_exempt():
    appointment = read_seed("seeds/vet_clinic.yaml").entity("Appointment")
    assert appointment.field("created_at").match == "exempt"
    assert appointment.field("moved").match == "exempt"
    assert appointment.field("starts_at").match == "exact"


def test_row_parameters_are_ids_on_the_wire():
    domain = read_seed("seeds/vet_clinic.yaml")
    assert [one.argument for one in domain.tool("settle_invoices").params] == ["owner_id", "invoice_ids"]
    assert [one.argument for one in domain.tool("search_appointments").params][:2] == ["pet_id", "vet_id"]
