"""The official conformance suite against the farm's front, with the frozen requirements of two revisions."""

import json
import re
import subprocess
import sys

import pytest

from tests.farm import ROOT, process_variables

UNSCORED_AND_NOT_OURS = re.compile(r"tasks-.*|server-sse-polling")
"""Scenarios that no score counts: an extension that is not served, and streams that can be resumed."""
SCORED = {"2025-11-25": 30, "2026-07-28": 37}


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    command = [sys.executable, "-m", "tests.wire.conformance_server"]
    with subprocess.Popen(command, cwd=ROOT, env=process_variables(tmp_path_factory.mktemp("none")), stdout=subprocess.PIPE, text=True) as process:
        port = process.stdout.readline().strip()
        yield f"http://127.0.0.1:{port}/env/conformance/mcp"
        process.terminate()


@pytest.mark.parametrize("revision", SCORED)
def test_every_scored_scenario_passes(programs, run, url, tmp_path, revision):
    done = run(*programs.conformance, "server", "--url", url, "--requirements", revision, "-o", str(tmp_path / "out"))
    summary, _, unscored = done.stdout.partition("\nNot scored for")
    verdicts = {name: mark for mark, name in re.findall(r"^([✓✗]) ([\w./-]+): ", summary, re.MULTILINE)}
    apart = set(re.findall(r"^  [✓✗] ([\w./-]+) \(", unscored, re.MULTILINE))
    scored = {name: verdict for name, verdict in verdicts.items() if name not in apart}
    assert len(scored) == SCORED[revision]
    assert [name for name, verdict in scored.items() if verdict != "✓"] == [], failures(tmp_path)
    assert done.returncode == 0
    others = [name for name in apart if verdicts[name] != "✓" and not UNSCORED_AND_NOT_OURS.fullmatch(name)]
    assert others == [], failures(tmp_path)


def failures(folder):
    """What the suite says of each check that failed."""
    checks = [check for file in sorted(folder.glob("out/*/checks.json")) for check in json.loads(file.read_text())]
    return [f"{check['id']}: {check.get('errorMessage', '')[:300]}" for check in checks if check["status"] == "FAILURE"]
