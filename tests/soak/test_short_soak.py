"""The soak, short: `make soak` runs it long, and measures the time of the shutdown too."""

import sys

import pytest

from tests.soak.soak import faults, soak


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
async def test_clients_that_behave_badly_leave_nothing_behind_and_a_stop_under_load_loses_no_answer(tmp_path):
    seen = await soak(tmp_path, 800)
    assert faults(seen, megabytes=25) == []
    assert len(seen.kinds.keys() - {"turned away"}) == 9
