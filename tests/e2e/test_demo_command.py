"""`envfarm demo` as a process of its own: farm, sidecar, MCP over HTTP in both eras, scores."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.registry.small_package import PROPERTIES
from tests.unit.sidecar.small_pack import DECLINE, GOLD, write_home

ROOT = Path(__file__).parents[2]


def demo(home: Path, *options: str) -> subprocess.CompletedProcess[str]:
    variables = {"ENVFARM_HOME": str(home), "PYTHONPATH": str(ROOT), "PATH": os.defpath}
    words = [sys.executable, "-m", "server.cli.main", "demo", "--no-build", *options]
    return subprocess.run(words, env=variables, cwd=home, capture_output=True, text=True, timeout=100, check=False)


def test_the_demo_prints_exactly_its_figures_and_leaves_no_records(tmp_path: Path) -> None:
    done = demo(write_home(tmp_path), "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "environments": 1,
        "tools": len(PROPERTIES),
        "tasks": 3,
        "agents": {"oracle": {"mean_reward": 1.0}, "noop": {"mean_reward": 0.0}},
        "invalid": 0,
    }
    assert "demo: 6 of 6: 3 PASS, 3 FAIL" in done.stderr
    assert not (tmp_path / "store").exists()


@pytest.mark.every_domain
def test_gold_that_does_not_lead_to_its_own_state_is_told_and_fails_the_demo(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setitem(GOLD[DECLINE], "outcome", "done")
    done = demo(write_home(tmp_path))
    assert done.returncode == 1
    assert "small-decline (decline) played by oracle" in done.stderr
    assert "INVALID" in done.stderr
