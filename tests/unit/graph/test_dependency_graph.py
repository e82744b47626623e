"""The dependency graph of the tools of a seed."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from synth.graph.document import document
from synth.graph.draw import mermaid, svg
from synth.graph.edges import graph
from synth.seed.read import read_seed

SEED = Path(__file__).parents[3] / "seeds" / "vet_clinic.yaml"


@pytest.fixture(scope="module")
def content():
    return document(graph(read_seed(SEED)))


def between(content, source, target):
    return {edge["kind"]: edge for edge in content["edges"] if (edge["from"], edge["to"]) == (source, target)}


def test_a_search_gives_the_ids_that_another_tool_takes(content):
    edge = between(content, "search_appointments", "cancel_appointment")["data"]
    assert (edge["through"], edge["argument"]) == (["Appointment"], "appointment_id")
    assert edge["reason"].startswith("search_appointments gives ids of Appointment (rows of Appointment)")
    references = between(content, "get_pet", "get_owner")["data"]
    assert "(Pet.owner)" in references["reason"]


def test_free_slots_are_what_booking_takes(content):
    assert between(content, "list_free_slots", "book_appointment")["data"]["argument"] == "starts_at"


def test_a_tool_that_writes_what_a_rule_of_another_reads_has_a_state_edge_to_it(content):
    edge = between(content, "settle_invoices", "settle_invoices")
    assert "state" not in edge
    edge = between(content, "cancel_appointment", "move_appointment")["state"]
    assert "Appointment.status" in edge["through"]
    assert "rule" in edge["places"]
    assert "state" not in between(content, "search_owners", "move_appointment")


def test_lifecycle_edges_lead_from_what_makes_a_state_to_what_needs_it(content):
    edge = between(content, "book_appointment", "move_appointment")["lifecycle"]
    assert edge["reason"] == "book_appointment makes Appointment.status booked, which move_appointment needs."
    assert "lifecycle" not in between(content, "cancel_appointment", "move_appointment")


def test_every_edge_joins_two_tools_and_says_why(content):
    names = {tool["name"] for tool in content["tools"]}
    assert all({edge["from"], edge["to"]} <= names and edge["reason"].endswith(".") for edge in content["edges"])
    keys = [(edge["from"], edge["to"], edge["kind"], edge.get("argument", ""), tuple(edge["through"])) for edge in content["edges"]]
    assert keys == sorted(set(keys))


def test_pictures_name_every_tool(content):
    drawn = ElementTree.fromstring(svg(content))
    texts = {one.text for one in drawn.iter("{http://www.w3.org/2000/svg}text")}
    assert {tool["name"] for tool in content["tools"]} <= texts
    assert mermaid(content).startswith("flowchart LR\n")
    assert "  list_free_slots -->|starts_at| book_appointment" in mermaid(content)
