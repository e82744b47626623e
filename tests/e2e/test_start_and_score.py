"""`envfarm start`, an agent at its URL, `envfarm score`: as a person would do it beside a running farm."""

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from evals.session import connected
from tests.typed import typed
from tests.unit.sidecar.small_pack import DO, INSTRUCTIONS, write_home

ROOT = Path(__file__).parents[2]
UP = ("up", "--json", "--no-build", "--port", "0", "--control-port", "0", "--sidecar-port", "0", "--no-free-play")


def variables(home: Path) -> dict[str, str]:
    return {"ENVFARM_HOME": str(home), "PYTHONPATH": str(ROOT), "PATH": os.defpath}


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    write_home(tmp_path)
    command = [sys.executable, "-m", "server.cli.main", *UP]
    with subprocess.Popen(command, env=variables(tmp_path), cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as farm:
        assert farm.stdout is not None
        assert json.loads(farm.stdout.readline())["ready"]
        yield tmp_path
        farm.terminate()


async def play(url: str, *calls: tuple[str, dict[str, Any]]) -> None:
    async with httpx.AsyncClient(trust_env=False) as http, connected(url, http) as session:
        for tool, arguments in calls:
            await session.call(tool, arguments)


NOTE = ("add_note", {"owner_id": "OWN-9", "text": "pays in cash", "due": "2026-04-02"})


async def test_a_task_is_started_played_and_scored(home: Path) -> None:
    run = json.loads(typed(home, "start", DO, "--json").stdout)
    assert run["instruction"] == INSTRUCTIONS[DO]
    await play(run["mcp_url"], NOTE, ("submit_answer", {"outcome": "done"}))
    scored = typed(home, "score", run["run"], "--json")
    assert (scored.returncode, json.loads(scored.stdout)["verdict"]) == (0, "PASS")

    other = typed(home, "start", DO, "--client", "claude-desktop")
    assert INSTRUCTIONS[DO] in other.stdout
    configuration = json.loads(other.stdout[other.stdout.index("{") : other.stdout.rindex("}") + 1])
    (entry,) = configuration["mcpServers"].values()
    assert entry["args"][-2] == "bridge"
    await play(entry["args"][-1], NOTE, ("rename_owner", {"owner_id": "OWN-1", "name": "Ruth"}))
    told = typed(home, "score", other.stdout.split("envfarm score ")[1].strip())
    assert told.returncode == 1
    assert told.stdout.startswith("FAIL  reward 0  partial 0.75")
    assert "Changed although the task did not ask for it" in told.stdout

    codex = typed(home, "start", DO, "--client", "codex").stdout
    table = codex[codex.index("[mcp_servers") : codex.index("Then:")]
    assert tomllib.loads(table)["mcp_servers"]["envfarm_task"]["url"].endswith("/mcp")

    for words, sentence in (
        (("start", "small-doo"), "Did you mean small-do?"),
        (("score", "run-none"), "run: expected the id of a run"),
        (("start", DO, "--client", "emacs"), "Invalid value for '--client'"),
    ):
        wrong = typed(home, *words)
        assert wrong.returncode in (1, 2)
        assert sentence in wrong.stderr
        assert wrong.stdout == ""
