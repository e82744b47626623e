"""A tool that writes what the database refuses is told like any other wrong tool."""

from registry.errors import EpisodeCorrupt
from synth.gate.compare import changes_disagree


def test_a_row_that_the_database_refuses_is_a_difference():
    why = "rows: the database refuses what a tool wrote (NOT NULL constraint failed: Leg.consignment_id)."

    def refuses():
        raise EpisodeCorrupt(why)

    assert changes_disagree((), refuses) == [f"changes: expected rows that the database takes, got others: {why}"]


def test_no_change_agrees_with_none():
    assert changes_disagree((), lambda: ()) == []
