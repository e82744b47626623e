"""A killed process, a torn log: no answered call is lost, and what is left rebuilds to the same digests."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from registry.catalogue import Catalogue, open_folder
from registry.episode import Episodes, LocalEpisode
from registry.store.sqlite import SqliteStore
from tests.unit.registry.small_package import write_package

ROOT = Path(__file__).parents[2]


def kill_after(home, answers, sync="normal"):
    """Runs the target, kills it with signal 9 after so many answers, and gives the answers it made by episode."""
    command = [sys.executable, str(ROOT / "tests/interaction/kill_target.py"), str(home), sync]
    environment = {"PYTHONPATH": str(ROOT), "PATH": os.defpath}
    answered = {}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        for number, line in enumerate(process.stdout):
            if number == answers:
                process.send_signal(signal.SIGKILL)
            parts = line.split()
            if line.endswith("\n") and len(parts) == 3:
                answered[parts[0]] = (int(parts[1]), parts[2])
    assert process.returncode == -signal.SIGKILL
    return answered


async def check(home, answered):
    """Every answered call is there, and each log replays to what the farm rebuilds; gives the numbers of calls."""
    calls = {}
    async with Episodes(Catalogue(home / "environments"), SqliteStore(home / "store")).running() as episodes:
        for key, (number, made) in answered.items():
            log = await episodes.log(key)
            info = await episodes.info(key)
            assert info.status in ("open", "interrupted"), info.reason
            assert len(log.records) >= number
            assert log.records[number - 1].result["id"] == made
            local = LocalEpisode(open_folder(home / "environments/small"))
            local.replay([record.to_json() for record in log.records])
            assert (local.digest, local.state_digest) == (log.digest, info.state_digest)
            calls[key] = len(log.records)
            assert (await episodes.call(key, "add_note", {"owner_id": "OWN-1", "text": "after"})).result["id"] == f"OWN-1-N{len(log.records) + 2}"
    return calls


@pytest.mark.parametrize(("answers", "sync"), [(3, "normal"), (100, "normal"), (317, "normal"), (150, "full")])
async def test_no_answered_call_is_lost_when_the_process_is_killed(tmp_path, answers, sync):
    write_package(tmp_path / "environments")
    answered = kill_after(tmp_path, answers, sync)
    assert len(answered) == 3
    await check(tmp_path, answered)


async def test_a_torn_tail_of_the_log_costs_the_torn_calls_and_no_more(tmp_path):
    write_package(tmp_path / "environments")
    answered = kill_after(tmp_path, 300)
    wal = tmp_path / "store/records.sqlite-wal"
    whole = wal.read_bytes()
    kept = tmp_path / "kept"
    shutil.copytree(tmp_path / "store", kept)
    for cut in (1, 5_000, 100_000):
        shutil.rmtree(tmp_path / "store")
        shutil.copytree(kept, tmp_path / "store")
        wal.write_bytes(whole[: len(whole) - cut] + bytes(cut // 2))
        calls = await check(tmp_path, dict.fromkeys(answered, (1, "OWN-1-N2")))
        assert all(1 <= calls[key] <= number + 1 for key, (number, _) in answered.items())
