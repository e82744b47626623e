"""The main job: a real seed to scored episodes over MCP, every part real."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.seeds import path_of

ROOT = Path(__file__).parents[2]


def envfarm(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    variables = {"ENVFARM_HOME": str(home), "PYTHONPATH": str(ROOT), "PATH": os.defpath}
    command = [sys.executable, "-m", "server.cli.main", *words]
    return subprocess.run(command, env=variables, cwd=home, capture_output=True, text=True, timeout=150, check=False)


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("name", "tasks"), [("tool_library", 12), pytest.param("vet_clinic", 24, marks=pytest.mark.every_domain)])
def test_a_seed_is_built_and_its_tasks_are_worth_what_gold_says(tmp_path: Path, name: str, tasks: int) -> None:
    built = envfarm(tmp_path, "build", str(path_of(name)), "--tasks", str(tasks), "--json")
    assert built.returncode == 0, built.stderr
    (environment,) = json.loads(built.stdout)["environments"]
    sources = envfarm(tmp_path, "tasks", "sources", "--json")
    assert (sources.returncode, json.loads(sources.stdout)["without_source"]) == (0, 0)
    played = envfarm(tmp_path, "demo", "--no-build", "--json")
    assert played.returncode == 0, played.stderr
    assert json.loads(played.stdout) == {
        "environments": 1,
        "tools": environment["tools"],
        "tasks": tasks,
        "agents": {"oracle": {"mean_reward": 1.0}, "noop": {"mean_reward": 0.0}},
        "invalid": 0,
    }
