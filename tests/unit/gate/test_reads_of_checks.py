"""A check of one row is remembered as long as all that it has read is the same."""

import pytest

from synth.gate.reading import Reading, Unnoted
from synth.reference.state import State, from_rows


def _state() -> State:
    pets = [("Pet", {"id": f"P-{number}", "owner_id": "O-1", "archived": 0}) for number in range(3)]
    return from_rows(["Owner", "Pet"], [("Owner", {"id": "O-1", "name": "Ann"}), ("Owner", {"id": "O-2", "name": "Bo"}), *pets])


def test_a_result_fits_until_a_row_or_a_set_that_was_read_changes():
    start = _state()
    reading = Reading(start)
    assert reading.tables["Owner"]["O-1"]["name"] == "Ann"
    assert "O-9" not in reading.tables["Owner"]
    assert len(reading.refs("Pet", "owner_id", "O-1", archive=True)) == 3
    read = reading.read(None, holds=True)

    other = start.fork()
    other.update("Owner", "O-2", {"name": "Cy"})
    assert read.fits(start, None)
    assert read.fits(other, None)

    for table, key, values in (("Owner", "O-1", {"name": "Di"}), ("Pet", "P-1", {"owner_id": "O-2"}), ("Pet", "P-1", {"archived": 1})):
        changed = start.fork()
        changed.update(table, key, values)
        assert not read.fits(changed, None)
    there = start.fork()
    there.insert("Owner", {"id": "O-9", "name": "Ed"})
    assert not read.fits(there, None)


def test_what_is_not_noted_cannot_be_read():
    reading = Reading(_state())
    with pytest.raises(Unnoted):
        reading.keys("Owner")
    with pytest.raises(Unnoted):
        list(reading.tables["Owner"])
