"""Agents of others play tasks over MCP with a scripted model behind them, and the sidecar passes what they did."""

import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from registry.packs.reading import read_pack
from tests.farm import farm_process
from tests.made_once import put_packages, value
from tests.scripted_model import scripted_model
from tests.typed import typed
from tests.wire import model_places

pytestmark = pytest.mark.timeout(900)
HERE = Path(__file__).parent
ROOT = HERE.parents[1]
RUN_SECONDS = 250
ENVIRONMENT = "vet_clinic"


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A home with one environment and a pack of a few tasks."""
    home = tmp_path_factory.mktemp("clients") / "home"
    put_packages(home / "environments", ENVIRONMENT)
    for name, data in value("pack-of-third-party-clients", pack_files).items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(data)
    return home


def pack_files():
    """The pack, by paths in a home; made once for all processes that run these tests."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        put_packages(home / "environments", ENVIRONMENT)
        done = typed(
            home,
            "tasks",
            "make",
            ENVIRONMENT,
            "--count",
            "8",
            "--split",
            "test",
            *(f"--kind={kind}" for kind in ("do", "answer", "decline", "multi-turn")),
        )
        assert done.returncode == 0, done.stderr
        return {str(one.relative_to(home)): one.read_bytes() for one in sorted((home / "packs").rglob("*")) if one.is_file()}


@pytest.fixture(scope="module")
def tasks(home):
    """Two with other words, of two kinds if there are such; neither can be done without what a call showed."""
    (pack,) = (home / "packs").glob("[!.]*")
    found = {}
    for one in read_pack(pack).tasks.values():
        if one.gold.kind != "multi-turn" and any('"$' in json.dumps(call.arguments) for call in one.gold.calls):
            found.setdefault(one.public.instruction, one)
    first, *others = found.values()
    return [first, min(others, key=lambda one: one.gold.kind == first.gold.kind)]


@pytest.fixture(scope="module")
def talk(home):
    """A task whose user has to be asked."""
    (pack,) = (home / "packs").glob("[!.]*")
    return next(one for one in read_pack(pack).tasks.values() if one.gold.kind == "multi-turn")


@pytest.fixture(scope="module")
def model(tasks, talk):
    with scripted_model({one.public.instruction: one.gold for one in (*tasks, talk)}) as model:
        yield model


@pytest.fixture(scope="module")
def farm(home):
    """The farm that `envfarm eval` and Inspect find by its home."""
    with farm_process(home, sidecar=True) as farm:
        yield farm


@pytest.fixture
def started(farm, home, model, tmp_path):
    """Runs a program with envfarm's sources, the home, and nothing of the caller's settings."""

    def run(*command):
        variables = {
            "ENVFARM_HOME": str(home),
            "PYTHONPATH": str(ROOT),
            "HOME": str(tmp_path),
            "PATH": os.defpath,
            "SCRIPTED_API_KEY": "x",
            "SCRIPTED_BASE_URL": model.url,
        }
        done = subprocess.run(command, cwd=tmp_path, env=variables, capture_output=True, text=True, timeout=RUN_SECONDS, stdin=subprocess.DEVNULL)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-3000:]
        return done.stdout

    return run


@pytest.fixture
def passes(started, model, tasks, tmp_path):
    """Evaluates an agent over the tasks; every run must have gone as gold does, with the model asked and the tools called by MCP."""

    def evaluate(agent, python=sys.executable):
        out, asked = tmp_path / "out", len(model.requests)
        names = ",".join(one.public.task for one in tasks)
        started(str(python), "-m", "server.cli.main", "eval", "--agent", agent, "--tasks", names, "--no-sandbox", "--out", str(out), "--json")
        lines = {one["task"]: one for one in map(json.loads, (out / "attempts.jsonl").read_text().splitlines())}
        for task in tasks:
            line = lines[task.public.task]
            assert (line["verdict"], line["stopped"]) == ("PASS", "finished"), line
            submits = any(call.tool == "submit_answer" for call in task.gold.calls)
            assert line["calls"] == len(task.gold.calls) + (0 if submits else 1)
        assert len(model.requests) - asked >= sum(line["calls"] for line in lines.values())
        return lines

    return evaluate


def place(name, *wanted, **more):
    """The interpreter of an environment with those packages, or the reason why it cannot be had."""
    try:
        return model_places.made(name, *wanted, **more)
    except model_places.Unreachable as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def with_inspect():
    """envfarm with its extra `eval`, installed as its page says, and pydantic-ai beside it: one installation less."""
    return place("inspect", "--editable", ".[eval]", "pydantic-ai-slim[mcp,openai]==2.68.0", follows=(ROOT / "pyproject.toml").read_text())


def command(*words):
    return "command:" + shlex.join(str(word) for word in words)


def test_pydantic_ai_passes(passes, model, with_inspect):
    passes(command(with_inspect, HERE / "play_with_pydantic_ai.py", model.url))


def test_the_agents_sdk_of_openai_passes(passes, model):
    python = place("openai-agents", "openai-agents==0.24.0", "mcp<2")
    passes(command(python, HERE / "play_with_agents.py", model.url))


def test_codex_passes(passes, model, programs):
    passes(command(sys.executable, HERE / "play_with_codex.py", model.url, *programs.codex))


def test_a_model_by_way_of_inspect_passes_and_its_tokens_are_counted(passes, with_inspect):
    lines = passes("model:openai-api/scripted/scripted", with_inspect)
    for line in lines.values():
        assert line["tokens"]["input"] == 100 * line["calls"]


def test_inspect_itself_passes_our_tasks_epoch_by_epoch_and_what_its_limits_end_is_scored_as_it_stands(started, tasks, with_inspect, tmp_path):
    names = [one.public.task for one in tasks]
    said = started(str(with_inspect), str(HERE / "inspect_runs.py"), str(tmp_path / "logs"), *names)
    told = json.loads(said.splitlines()[-1])
    assert told["status"] == ["success"] * 4
    assert told["scores"] == [[1, "PASS"]] * 2 * len(tasks)
    assert told["means"] == {"pass_at_2": 1, "pass_k_2": 1, "mean": 1}
    assert told["limits"] == [[name, 0, "FAIL"] for name in ("message", "token", "time")]
    assert (tmp_path / "logs-shown" / "index.html").is_file()


def test_inspect_goes_on_with_what_a_provider_broke_off(started, tasks, model, with_inspect, tmp_path):
    model.fail, model.fail_for = 401, tasks[-1].public.instruction
    try:
        words = ["envfarm/envfarm_tasks", "-T", "tasks=" + " ".join(one.public.task for one in tasks), "--model", "openai-api/scripted/scripted"]
        inspect(started, with_inspect, "eval", *words, "--max-samples", "1", "--log-format", "json")
    finally:
        model.fail, model.fail_for = 0, ""
    (broken,) = logs(tmp_path)
    (file,) = (tmp_path / "logs").iterdir()
    inspect(started, with_inspect, "eval-retry", str(file))
    broken, whole = logs(tmp_path)

    assert (broken["status"], whole["status"]) == ("error", "success")
    assert runs_of(whole).keys() == {one.public.task for one in tasks}
    assert {score["value"] for score in runs_of(whole).values()} == {1}
    # What was finished is not played again, and what broke off has no score that would count against the model.
    kept = runs_of(broken)
    assert kept.keys() == runs_of(whole).keys() - {tasks[-1].public.task}
    assert {task: score["metadata"]["run"] for task, score in runs_of(whole).items() if task in kept} == {
        task: score["metadata"]["run"] for task, score in kept.items()
    }


def test_inspect_gives_a_task_the_user_that_was_named(started, talk, with_inspect, tmp_path):
    words = ["envfarm/envfarm_tasks", "-T", f"tasks={talk.public.task}", "--model", "openai-api/scripted/scripted", "--log-format", "json"]
    for persona in ("plain", "chatty"):
        inspect(started, with_inspect, "eval", *words, "-T", f"persona={persona}")
    played = logs(tmp_path)

    assert [score["value"] for log in played for score in runs_of(log).values()] == [1, 1]
    assert len({answers(log) for log in played}) == 2


def answers(log):
    """What the user said in a log of Inspect."""
    return tuple(json.dumps(one["content"]) for sample in log["samples"] for one in sample["messages"] if one.get("function") == "ask_user")


def inspect(started, python, *words):
    started(str(python), "-m", "inspect_ai", *words, "--log-dir", "logs", "--display", "plain")


def logs(folder):
    """Logs of Inspect, the oldest first."""
    return [json.loads(path.read_text()) for path in sorted((folder / "logs").iterdir())]


def runs_of(log):
    """The score of each task that has one."""
    return {one["id"]: one["scores"]["final_state"] for one in log["samples"] if one.get("scores")}
