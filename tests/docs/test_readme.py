"""What README.md tells to type, typed in its order beside a running farm."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from synth.packs import build_pack
from tests.farm import farm_process, process_variables
from tests.made_once import put_packages
from tests.typed import typed

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
TASKS = 6


def block(heading: str) -> list[list[str]]:
    """Words after `.venv/bin/envfarm` of each line of the section's shell block."""
    text = README.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    return [line.split("#")[0].split() for line in re.findall(r"^\.venv/bin/envfarm (.*)$", text, re.MULTILINE)]


def envfarm(home: Path, *words: str, entered: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "server.cli.main", *words]
    return subprocess.run(command, env=process_variables(home), cwd=ROOT, input=entered, capture_output=True, text=True, timeout=100, check=False)


@pytest.fixture(scope="module")
def home(tmp_path_factory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("readme")
    put_packages(folder / "environments", "vet_clinic")
    build_pack(folder / "environments" / "vet_clinic", folder / "packs", count=TASKS)
    with farm_process(folder, sidecar=True):
        yield folder


def test_the_commands_of_the_quick_start_work_beside_a_farm(home):
    commands = block("Start")
    assert {words[0] for words in commands} == {"list", "connect"}

    answers = {" ".join(words): typed(home, *words) for words in commands}

    assert {words: answer.stderr for words, answer in answers.items() if answer.returncode != 0} == {}
    assert "vet_clinic" in answers["list"].stdout
    assert "mcpServers" in answers["connect vet_clinic --client claude-desktop"].stdout


def test_a_task_goes_from_the_list_to_its_score_as_the_readme_says(home):
    commands = {words[0]: words for words in block("Give a task, score the work")}
    assert list(commands) == ["tasks", "start", "score", "demo"]

    listed = json.loads(typed(home, *commands["tasks"], "--json").stdout)
    started = json.loads(typed(home, "start", listed["tasks"][0]["task"], "--json").stdout)
    scored = typed(home, "score", started["run"], "--json")

    assert sum(one["split"] == "test" for one in listed["tasks"]) == TASKS
    assert started["instruction"] == listed["tasks"][0]["instruction"]
    assert json.loads(scored.stdout)["verdict"] == "FAIL", scored.stderr


def test_stdio_serves_until_its_input_ends(home):
    assert "`.venv/bin/envfarm stdio vet_clinic`" in README

    ended = envfarm(home, "stdio", "vet_clinic")

    assert (ended.returncode, ended.stdout) == (0, "")


def examples_of(page, home):
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)).replace(".envfarm/", f"{home}/")
    return subprocess.run([sys.executable, "-"], input=code, env=process_variables(home), cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_examples_of_the_page_on_python_run_in_their_order(home):
    done = examples_of("python.md", home)

    assert done.returncode == 0, done.stderr
    assert "ok" in done.stdout
    assert "update Owner" in done.stdout


def test_the_examples_of_the_page_on_training_run_in_their_order(home):
    (made,) = re.findall(r"^    envfarm (tasks make .*)$", (ROOT / "docs" / "train.md").read_text(encoding="utf-8"), re.MULTILINE)
    words = made.replace("--count 200", f"--count {TASKS}").split()
    assert envfarm(home, *words).returncode == 0

    done = examples_of("train.md", home)

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["8 {'FAIL'}", "8", "[0.0, 0.0, 0.0]"]
