"""Orders of `envfarm tasks make`: what can come to nothing, and what is told of one that did not come to all that was asked for."""

import json
from pathlib import Path

import pytest

from server.cli.tasks import made_text
from synth import disk
from synth.package import package_files
from synth.seed.read import read_seed
from tests.seeds import path_of
from tests.typed import typed


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with one environment, of whose tools none has words for several rows."""
    seed = tmp_path / "tool_library.yaml"
    seed.write_text(path_of("tool_library").read_text(encoding="utf-8").replace(', bulk="take back {items}"', ""), encoding="utf-8")
    disk.write_folder(package_files(read_seed(seed)), tmp_path / "environments" / "tool_library")
    return tmp_path


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--kind", "bulk"), "bulk: no tool of the environment has words for several rows"),
        (("--kind", "repair", "--kind", "decline", "--level", "1"), "repair: its least level is 2; decline: its least level is 2"),
    ],
)
def test_an_order_that_no_task_can_be_for_is_refused_and_nothing_is_written(options: tuple[str, ...], said: str, home: Path) -> None:
    done = typed(home, "tasks", "make", "tool_library", *options)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.strip().splitlines() == [
        f"envfarm: tool_library: expected an order that tasks can be made for, got none: {said}. Ask for other kinds or levels."
    ]
    assert not (home / "packs").exists()


@pytest.mark.every_domain
def test_kinds_asked_for_in_vain_and_twins_of_others_are_told(home: Path) -> None:
    done = typed(home, "tasks", "make", "tool_library", "--count", "4", "--kind", "decline", "--kind", "bulk", "--json")
    told = json.loads(done.stdout)

    assert told["none_of"] == {"kind bulk": "no tool of the environment has words for several rows"}
    assert told["twins_beside"] == {f"kind {kind}": number for kind, number in told["by_kind"].items() if kind != "decline"} != {}


def test_tools_without_a_task_stand_in_one_line_for_each_reason() -> None:
    told = {"tasks": 2, "unused_tools": {"a": "no room", "b": "no rows", "c": "no room"}, "twins_beside": {"level 4": 1}, "none_of": {}}

    assert [line.split(None, 1) for line in made_text(told).splitlines()[1:]] == [
        ["tasks", "2"],
        ["unused_tools", "2, no room: a, c"],
        ["1,", "no rows: b"],
        ["twins_beside", "level 4 1"],
        ["none_of", "none"],
    ]
