"""Farm and sidecar are killed at random points under load, again and again on the same records: nothing answered is lost."""

import asyncio
import random
import subprocess
import sys

import httpx
import pytest

from server.listen import bind
from tests.durability.load import Answered, check, grade, play
from tests.farm import ROOT, farm_here, farm_process, process_variables
from tests.hard import how_many
from tests.unit.registry.small_package import write_package
from tests.unit.sidecar.small_pack import write_home

KILLS = how_many("ENVFARM_KILLS", 3)
"""Of each process; `make test-hard` kills 200 times."""


@pytest.mark.timeout(60 + 30 * KILLS)
async def test_a_farm_that_is_killed_again_and_again_loses_no_answered_call(tmp_path):
    write_package(tmp_path / "environments")
    rng, answered, kept = random.Random(7), Answered(), 0
    for number in range(KILLS):
        with farm_process(tmp_path, "--free-play") as farm:
            if number:
                kept = await check(farm, answered)
            await play(farm, answered, rng.randrange(1, 120))
            assert await asyncio.to_thread(farm.process.wait) == -9
    with farm_process(tmp_path, "--free-play") as farm:
        kept = await check(farm, answered)
    assert answered.total >= KILLS
    assert answered.total <= kept <= answered.total + KILLS * len(answered.notes)
    print(f"\nfarm: {KILLS} kills, {answered.total} answered calls, {kept} in the log")


def started(variables):
    return subprocess.Popen([sys.executable, "-m", "server.sidecar.main"], env=variables, cwd=ROOT, stderr=subprocess.DEVNULL)


async def serves(url):
    async with httpx.AsyncClient(trust_env=False) as http, asyncio.timeout(60):
        while True:
            try:
                return (await http.get(f"{url}/healthz")).status_code
            except httpx.TransportError:
                await asyncio.sleep(0.05)


@pytest.mark.timeout(60 + 30 * KILLS)
async def test_a_sidecar_that_is_killed_again_and_again_keeps_runs_and_reports(tmp_path):
    home = write_home(tmp_path)
    rng, told = random.Random(11), {}
    async with farm_here(home, free_play=False) as farm:
        token = farm.tokens.grader
        for number in range(KILLS + 1):
            with bind("127.0.0.1", 0, "--port") as free:
                port = free.getsockname()[1]
            variables = process_variables(home, ENVFARM_CONTROL_URL=farm.control_url, ENVFARM_SIDECAR_PORT=str(port))
            process = started(variables)
            url = f"http://127.0.0.1:{port}"
            try:
                assert await serves(url) == 200
                async with httpx.AsyncClient(base_url=url, headers={"authorization": f"Bearer {token}"}, trust_env=False) as http:
                    listed = {run["run"]: run for run in (await http.get("/v1/runs")).json()["runs"]}
                    assert set(told) <= set(listed)
                    for run, report in told.items():
                        assert report is None or listed[run]["report"] == report
                    for run in rng.sample(sorted(listed), min(3, len(listed))):
                        again = (await http.post(f"/v1/runs/{run}/score")).json()
                        assert again["verdict"] in ("FAIL", "PASS"), again
                        told[run] = again
                if number < KILLS:
                    await grade(url, token, told, rng, process.kill, rng.randrange(1, 12))
            finally:
                process.kill()
                await asyncio.to_thread(process.wait)
    reports = [report for report in told.values() if report is not None]
    assert len(reports) >= KILLS
    print(f"\nsidecar: {KILLS} kills, {len(told)} runs started, {len(reports)} reports given")
