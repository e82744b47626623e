"""A disk that is full, a clock that goes backwards, two processes on one home."""

import asyncio
import itertools
import subprocess
import sys
import time

import pytest

from registry.catalogue import Catalogue
from registry.episode import Episodes
from registry.errors import StoreLocked
from registry.store.sqlite import SqliteStore
from server.sidecar.store import RunStore
from tests.durability.load import Answered, check
from tests.farm import ROOT, farm_here, process_variables
from tests.unit.registry.small_package import write_package


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on the size of files")
@pytest.mark.parametrize("most", [200_000, 1_000_000, 5_000_000])
def test_a_call_that_finds_no_room_did_not_happen_and_the_next_with_room_goes_on(tmp_path, most):
    write_package(tmp_path / "environments")
    target = ROOT / "tests/durability/fill_target.py"
    command = [sys.executable, str(target), str(tmp_path), str(most)]
    done = subprocess.run(command, capture_output=True, text=True, env=process_variables(tmp_path), check=False)
    lines = [line.split(" ", 1) for line in done.stdout.splitlines()]
    answered = [rest for kind, rest in lines if kind == "answered"]
    assert done.returncode == 0, done.stderr
    assert sum(kind == "failed" for kind, _ in lines) == 5
    assert all(rest.startswith("store: expected to write a record, got ") for kind, rest in lines if kind == "failed")
    assert answered == [f"OWN-1-N{number}" for number in range(2, len(answered) + 2)]

    asyncio.run(whole(tmp_path, answered))


async def whole(home, answered):
    async with Episodes(Catalogue(home / "environments"), SqliteStore(home / "store")).running() as episodes:
        log = await episodes.log("full")
        assert [record.result["id"] for record in log.records] == answered
        assert (await episodes.info("full")).status == "open"


async def test_a_clock_that_goes_backwards_changes_nothing(tmp_path, monkeypatch):
    write_package(tmp_path / "environments")
    backwards = itertools.count(2_000_000_000, -1000)
    monkeypatch.setattr(time, "time", lambda: float(next(backwards)))
    monkeypatch.setattr(time, "time_ns", lambda: next(backwards) * 10**9)
    answered = Answered()
    async with farm_here(tmp_path, free_play=True) as farm:
        for number in range(3):
            answered.notes[f"k{number}"] = [await one_note(farm, f"k{number}") for _ in range(5)]
        assert await check(farm, answered) == 15
        async with farm.control() as control:
            rows = (await control.get("/v1/episodes/small~k0/snapshot")).json()["rows"]
    made = sorted(values["made_at"] for table, values in rows if table == "Note" and values["id"] in answered.notes["k0"])
    assert made == [f"2026-03-02T08:00:0{second}" for second in range(5)]


async def one_note(farm, key):
    from mcp import Client

    async with Client(farm.mcp("small", key)) as client:
        return (await client.call_tool("add_note", {"owner_id": "OWN-1", "text": "x"})).structured_content["id"]


async def test_two_processes_on_one_home_are_refused_with_the_number_of_the_first(tmp_path):
    write_package(tmp_path / "environments")
    async with Episodes(Catalogue(tmp_path / "environments"), SqliteStore(tmp_path / "store")).running():
        with pytest.raises(StoreLocked, match=r"expected a store that nobody writes, got one in use by process \d+"):
            await SqliteStore(tmp_path / "store").open()
        RunStore(tmp_path / "store" / "sidecar.sqlite").close()  # the sidecar of the same home is no second farm
    runs = RunStore(tmp_path / "store" / "sidecar.sqlite")
    with pytest.raises(StoreLocked, match=r"got one in use by process \d+"):
        RunStore(tmp_path / "store" / "sidecar.sqlite")
    runs.close()
    RunStore(tmp_path / "store" / "sidecar.sqlite").close()
