"""Farm, sidecar and database server are killed at random points under load, again and again on the same records: nothing answered is lost."""

import asyncio
import contextlib
import random
import subprocess
import sys

import httpx
import pytest

from registry.catalogue import Catalogue, open_folder
from registry.config import RegistrySettings
from registry.episode import Episodes, EpisodeSpec, LocalEpisode
from registry.errors import StoreError
from registry.home import Home
from registry.store.choose import store_of
from server.listen import bind
from tests.durability.load import CLIENTS, Answered, check, grade, play
from tests.farm import ROOT, farm_here, farm_process, process_variables
from tests.hard import how_many
from tests.postgres import missing, postgres_server
from tests.unit.registry.small_package import write_package
from tests.unit.sidecar.small_pack import write_home

KILLS = how_many("ENVFARM_KILLS", 2)
"""Of each process; `make test-hard` kills 200 times."""
GENERATION = 10
"""Kills after which clients go on in new episodes: the old ones are looked at once more at the end."""


@pytest.mark.timeout(60 + 30 * KILLS)
async def test_a_farm_that_is_killed_again_and_again_loses_no_answered_call(tmp_path):
    print(f"\nfarm: {await farm_killed(tmp_path)}")


@pytest.mark.every_domain
@pytest.mark.skipif(bool(missing()), reason=missing() or "there")
@pytest.mark.timeout(60 + 30 * KILLS)
async def test_a_farm_with_records_on_postgresql_that_is_killed_again_and_again_loses_no_answered_call(tmp_path):
    with postgres_server() as server:
        print(f"\nfarm on PostgreSQL: {await farm_killed(tmp_path, ENVFARM_STORE=server.database())}")


async def farm_killed(home, **variables):
    write_package(home / "environments")
    rng, answered = random.Random(7), Answered()
    for number in range(KILLS):
        with farm_process(home, "--free-play", **variables) as farm:
            await check(farm, answered, max(0, number - 1) // GENERATION)
            await play(farm, answered, rng.randrange(1, 120), number // GENERATION)
            assert await asyncio.to_thread(farm.process.wait) == -9
        if number % 20 == 19:
            print(f"\nfarm: {number + 1} kills so far, {answered.total} answered calls", flush=True)
    with farm_process(home, "--free-play", **variables) as farm:
        kept = await check(farm, answered)
    assert answered.total >= KILLS
    assert answered.total <= kept <= answered.total + KILLS * CLIENTS
    return f"{KILLS} kills, {answered.total} answered calls, {kept} in the log"


@pytest.mark.skipif(bool(missing()), reason=missing() or "there")
@pytest.mark.timeout(60 + 30 * KILLS)
async def test_a_database_server_that_is_killed_again_and_again_loses_no_answered_call(tmp_path):
    write_package(tmp_path / "environments")
    rng, notes = random.Random(13), {}
    with postgres_server() as server:
        url = server.database()
        async with on_server(tmp_path, url).running() as episodes:
            for number in range(KILLS):
                await played_until_killed(episodes, server, notes, rng.randrange(1, 120), number // GENERATION)
                await asyncio.to_thread(server.start)
        kept = await all_there(on_server(tmp_path, url), notes, tmp_path)
    answered = sum(len(ids) for ids in notes.values())
    assert answered >= KILLS
    assert answered <= kept <= answered + KILLS * CLIENTS
    print(f"\nPostgreSQL: {KILLS} kills, {answered} answered calls, {kept} in the log")


def on_server(home, url):
    settings = RegistrySettings(store=url)
    return Episodes(Catalogue(home / "environments"), store_of(settings, Home(root=home)), settings)


async def played_until_killed(episodes, server, notes, kill_at, generation):
    """Calls in several episodes at once until the server is killed; the first call of each may find out that the old connection is gone."""
    so_far = sum(len(ids) for ids in notes.values())
    dead = asyncio.Event()

    async def client(number):
        key, answers, lost = f"d{number}-{generation}", 0, 0
        while not (answers and dead.is_set()):
            try:
                if key not in notes:
                    await episodes.create(EpisodeSpec(environment="small", key=key, call_limit=0))
                    notes[key] = []
                made = await episodes.call(key, "add_note", {"owner_id": "OWN-1", "text": f"note of {key}"})
            except StoreError:
                lost += 1
                if answers or dead.is_set():
                    return
                assert lost <= 3 * CLIENTS, "the server is back, and calls go on failing"
            else:
                assert made.kind == "ok", made
                notes[key].append(made.result["id"])
                answers += 1
                if sum(len(ids) for ids in notes.values()) >= so_far + kill_at and not dead.is_set():
                    dead.set()
                    server.kill()

    async with asyncio.timeout(60), asyncio.TaskGroup() as tasks:
        for number in range(CLIENTS):
            tasks.create_task(client(number))


async def all_there(farm, notes, home):
    """A new farm on the database has every answered call, and each log replays to what it rebuilt; gives the number of calls."""
    calls = 0
    async with farm.running() as episodes:
        for key, ids in notes.items():
            log, info = await episodes.log(key), await episodes.info(key)
            made = [record.result["id"] for record in log.records]
            assert info.status in ("open", "interrupted"), info
            assert set(ids) <= set(made), f"{key}: {len(set(ids) - set(made))} answered calls are lost"
            assert [record.seq for record in log.records] == [*range(1, len(made) + 1)]
            local = LocalEpisode(open_folder(home / "environments/small"), call_limit=0)
            local.replay([record.to_json() for record in log.records])
            assert (local.digest, local.state_digest) == (log.digest, info.state_digest)
            local.close()
            calls += len(made)
    return calls


def started(messages, variables):
    with messages.open("w") as errors:
        return subprocess.Popen([sys.executable, "-m", "server.sidecar.main"], env=variables, cwd=ROOT, stderr=errors)


async def serving(home, control_url):
    """A sidecar that answers, and its address; on another port when a program took the first one meanwhile."""
    for _ in range(5):
        with bind("127.0.0.1", 0, "--port") as free:
            port = free.getsockname()[1]
        variables = process_variables(home, ENVFARM_CONTROL_URL=control_url, ENVFARM_SIDECAR_PORT=str(port))
        process = started(home / "sidecar.err", variables)
        try:
            if await answers(process, f"http://127.0.0.1:{port}"):
                return process, f"http://127.0.0.1:{port}"
        except BaseException:
            process.kill()
            raise
        told = (home / "sidecar.err").read_text()
        assert "expected a free port" in told, told
    raise AssertionError("no port stays free")


async def answers(process, url):
    """Whether it serves; False when it ended."""
    async with httpx.AsyncClient(trust_env=False) as http, asyncio.timeout(180):
        while process.poll() is None:
            with contextlib.suppress(httpx.TransportError):
                return (await http.get(f"{url}/healthz")).status_code == 200
            await asyncio.sleep(0.05)
    return False


@pytest.mark.timeout(60 + 30 * KILLS)
async def test_a_sidecar_that_is_killed_again_and_again_keeps_runs_and_reports(tmp_path):
    home = write_home(tmp_path)
    rng, told = random.Random(11), {}
    async with farm_here(home, free_play=False) as farm:
        token = farm.tokens.grader
        for number in range(KILLS + 1):
            process, url = await serving(home, farm.control_url)
            try:
                async with httpx.AsyncClient(base_url=url, headers={"authorization": f"Bearer {token}"}, trust_env=False) as http:
                    listed = {run["run"]: run for run in (await http.get("/v1/runs")).json()["runs"]}
                    assert set(told) <= set(listed)
                    for run, report in told.items():
                        assert report is None or listed[run]["report"] == report
                    for run in rng.sample(sorted(listed), min(3, len(listed))):
                        again = (await http.post(f"/v1/runs/{run}/score")).json()
                        assert again["verdict"] in ("FAIL", "PASS"), again
                        told[run] = again
                if number % 20 == 19:
                    print(f"\nsidecar: {number} kills so far, {len(told)} runs", flush=True)
                if number < KILLS:
                    await grade(url, token, told, rng, process.kill, rng.randrange(1, 12))
            finally:
                process.kill()
                await asyncio.to_thread(process.wait)
    reports = [report for report in told.values() if report is not None]
    assert len(reports) >= KILLS
    print(f"\nsidecar: {KILLS} kills, {len(told)} runs started, {len(reports)} reports given")
