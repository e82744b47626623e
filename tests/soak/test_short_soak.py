"""The soak, short: `make soak` runs it long, and measures the time of the shutdown too."""

import json
import sys

import pytest

from tests.soak.soak import Held, Seen, faults, soak


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
async def test_clients_that_behave_badly_leave_nothing_behind_and_a_stop_under_load_loses_no_answer(tmp_path):
    seen = await soak(tmp_path, 800)
    assert faults(seen, megabytes=25) == []
    assert len(seen.kinds.keys() - {"turned away"}) == 9


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("envfarm: stopping", False),
        (json.dumps({"level": "WARNING", "message": "Invalid HTTP request received."}), False),
        (json.dumps({"level": "WARNING", "message": "x", "traceback": "Traceback (most recent call last): ..."}), True),
        (json.dumps({"level": "ERROR", "message": "Exception in ASGI application"}), True),
        ("Traceback (most recent call last):", True),
        ("Task was destroyed but it is pending!", True),
    ],
)
def test_what_a_farm_should_not_say_is_a_fault(line, fault):
    held = Held(calls=1, megabytes=1, descriptors=1, threads=1)
    seen = Seen(held=(held, held), wrong=(), lost=(), stop=1, code=0, kinds={}, errors=f"{line}\n")
    assert bool(faults(seen, megabytes=1)) == fault
