"""Evaluations whose calls go wrong on purpose: over HTTP, replayed by the sidecar with the same noise."""

import json
from pathlib import Path

import pytest

from evals.agents.baselines import Played
from evals.agents.known import Known
from tests.unit.evals.stage import staged


@pytest.mark.parametrize("profile", ["office", "bad_day", "chaos"])
async def test_the_oracle_earns_all_and_the_trace_tells_the_noise(tmp_path: Path, profile: str) -> None:
    async with staged(tmp_path / "home") as stage:
        journal = await stage.play(Played("oracle", stage.http, Known(stage.sidecar, ())), tmp_path / "out", epochs=4, noise=profile)

    assert [(one.verdict, one.number) for one in journal.attempts] == [("PASS", 1)] * 12
    told = [json.loads((tmp_path / "out" / "runs" / f"{one.run}.json").read_text()) for one in journal.attempts]
    noise = [call["noise"] for one in told for call in one["calls"]]
    assert all(one.endswith(" ms") for one in noise)
    assert len(set(noise)) > 4
