"""`envfarm tasks`: what is in the packs, and whether every gold argument has its source."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from registry.errors import EnvNotFound
from server.cli.tasks import tasks
from server.errors import WrongUsage
from tests.unit.sidecar.small_pack import ASK, DECLINE, DO, write_home

RUNNER = CliRunner()


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENVFARM_HOME", str(write_home(tmp_path)))


def test_tasks_are_listed_with_kind_level_and_instruction() -> None:
    done = RUNNER.invoke(tasks, ["list", "--json"])
    assert [(one["task"], one["kind"], one["level"]) for one in json.loads(done.stdout)["tasks"]] == [
        (ASK, "answer", 2),
        (DECLINE, "decline", 3),
        (DO, "do", 1),
    ]
    narrowed = RUNNER.invoke(tasks, ["list", "small", "--kind", "do"]).stdout
    assert DO in narrowed
    assert ASK not in narrowed
    assert "No task fits" in RUNNER.invoke(tasks, ["list", "--level", "5"]).stdout


def test_every_gold_argument_is_shown_with_its_source_and_a_missing_one_is_a_problem() -> None:
    done = RUNNER.invoke(tasks, ["sources", "--json"])
    assert done.exit_code == 1
    answer = json.loads(done.stdout)
    of_do = [(one["call"], one["argument"], one["source"]) for one in answer["arguments"] if one["task"] == DO]
    assert of_do == [(0, "name", "instruction 4-11"), (1, "owner_id", "result 0"), (1, "text", "instruction 0-1"), (1, "due", "")]
    assert answer["without_source"] == 3


def test_tasks_are_listed_with_their_split_and_a_split_without_a_pack_says_how_to_make_one() -> None:
    assert {one["split"] for one in json.loads(RUNNER.invoke(tasks, ["list", "--split", "test", "--json"]).stdout)["tasks"]} == {"test"}
    with pytest.raises(WrongUsage, match="envfarm tasks make small --split val"):
        RUNNER.invoke(tasks, ["list", "small", "--split", "val"], catch_exceptions=False)


@pytest.mark.parametrize(
    ("given", "advice"), [(["smal"], "Did you mean small"), (["--kind", "foo"], "There are: do,"), (["--split", "tset"], "mean test")]
)
def test_a_misspelt_filter_is_wrong_usage(given: list[str], advice: str) -> None:
    with pytest.raises((WrongUsage, EnvNotFound), match=advice):
        RUNNER.invoke(tasks, ["list", *given], catch_exceptions=False)
