"""A tool that writes what the database refuses is told like any other wrong tool."""

from registry.errors import EpisodeCorrupt
from synth.gate.compare import changes_disagree


def test_a_row_that_the_database_refuses_is_a_difference():
    def refuses():
        raise EpisodeCorrupt("rows: the database refuses what a tool wrote (NOT NULL constraint failed: Leg.consignment_id).")

    assert changes_disagree((), refuses) == [
        "changes: expected rows that the database takes, got others: "
        "rows: the database refuses what a tool wrote (NOT NULL constraint failed: Leg.consignment_id)."
    ]


def test_no_change_agrees_with_none():
    assert changes_disagree((), lambda: ()) == []
