"""Orders of `envfarm tasks make`: what can come to nothing, and what is told of one that did not come to all that was asked for."""

import json
from pathlib import Path

import pytest

from server.cli.tasks import made_text
from tests.made_once import put_packages
from tests.typed import typed


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--kind", "bulk"), "bulk: no tool of the environment has words for several rows"),
        (("--kind", "repair", "--kind", "decline", "--level", "1"), "repair: its least level is 2; decline: its least level is 2"),
    ],
)
def test_an_order_that_no_task_can_be_for_is_refused_and_nothing_is_written(options: tuple[str, ...], said: str, tmp_path: Path) -> None:
    put_packages(tmp_path / "environments", "tool_library")

    done = typed(tmp_path, "tasks", "make", "tool_library", *options)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.strip().splitlines() == [
        f"envfarm: tool_library: expected an order that tasks can be made for, got none: {said}. Ask for other kinds or levels."
    ]
    assert not (tmp_path / "packs").exists()


@pytest.mark.every_domain
def test_kinds_asked_for_in_vain_and_twins_of_others_are_told(tmp_path: Path) -> None:
    put_packages(tmp_path / "environments", "tool_library")

    done = typed(tmp_path, "tasks", "make", "tool_library", "--count", "4", "--kind", "decline", "--kind", "bulk", "--json")
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
