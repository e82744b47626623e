"""Rows held as bytes read as if they were dictionaries."""

import sys

from synth.data.packed import LATELY, PackedRows

COUNT = 3 * LATELY


def row(number):
    return {"id": f"T-{number:05}", "owner_id": f"O-{number % 7}", "name": f"Thing № {number}", "amount": number * 10**15, "due": None, "share": 0.5}


def filled():
    held = PackedRows({})
    for number in range(COUNT):
        held[f"T-{number:05}"] = row(number)
    return held


def test_rows_come_back_as_they_were_in_the_order_in_which_they_came():
    held = filled()
    assert len(held) == COUNT
    assert list(held) == [f"T-{number:05}" for number in range(COUNT)]
    assert list(held.values()) == [row(number) for number in range(COUNT)]
    assert list(held["T-00000"]) == list(row(0))


def test_a_row_that_is_written_again_or_taken_out_is_not_read_as_it_was():
    held = filled()
    assert held["T-00001"]["amount"] == 10**15
    held["T-00001"] = {**held["T-00001"], "amount": 3}
    assert held["T-00001"]["amount"] == 3
    assert held.pop("T-00001")["amount"] == 3
    assert "T-00001" not in held
    assert held.get("T-00001") is None


def test_a_row_takes_less_than_half_of_what_a_dictionary_takes():
    packed = sum(map(sys.getsizeof, filled()._packed.values()))
    plain = sum(sys.getsizeof(row(number)) + sum(map(sys.getsizeof, row(number).values())) for number in range(COUNT))
    assert packed < plain / 2
