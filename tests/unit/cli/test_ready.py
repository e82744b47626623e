"""What `envfarm up` says when it serves: one screen, however many environments there are."""

import sys
from pathlib import Path

import pytest

from server.cli.ready import Ready, command, tasks_of
from server.offer import Offered
from server.running import Running
from tests.unit.sidecar.small_pack import GOLD, write_home

RUNNING = Running(pid=1, agent_url="http://127.0.0.1:8800", control_url="http://127.0.0.1:8801", sidecar_url="http://127.0.0.1:8802")


def ready(*names: str, **given: object) -> Ready:
    offered = [Offered(id=name, title=name.title(), digest="0" * 64, worlds=("0",), tools=10 + n) for n, name in enumerate(names)]
    told = {
        "running": RUNNING,
        "tokens": Path("/srv/envfarm/tokens"),
        "home": Path("/srv/envfarm"),
        "environments": offered,
        "free_play": True,
        **given,
    }
    return Ready(**told)


def test_thirteen_environments_take_one_screen_and_one_line_each() -> None:
    names = [*(f"environment_{n}" for n in range(12)), "vet_clinic"]
    lines = ready(*names, tasks={"vet_clinic": 40}).as_text().splitlines()
    assert len(lines) <= 26
    assert max(len(line) for line in lines if "/srv/" not in line and sys.prefix not in line) <= 100
    for name in names:
        (line,) = [one for one in lines if one.startswith(f"{name} ")]
        assert line.endswith(f"http://127.0.0.1:8800/env/{name}/mcp")
    assert line.split()[:3] == ["vet_clinic", "22", "40"]


def test_the_example_is_the_one_that_the_readme_goes_on_with_and_says_where_more_is_said() -> None:
    text = ready("animal_shelter", "vet_clinic", tasks={}).as_text()
    assert "claude mcp add --transport http vet_clinic http://127.0.0.1:8800/env/vet_clinic/mcp\n" in text
    assert f"{command()} connect vet_clinic --client claude-desktop" in text
    assert f"{command()} tasks list" in text
    assert "claude mcp add --transport http first_of_many_lon http" in ready("first_of_many_long_names").as_text()


def test_without_free_play_and_without_a_sidecar_nothing_is_said_that_does_not_work() -> None:
    text = ready("vet_clinic", free_play=False, running=RUNNING.model_copy(update={"sidecar_url": ""})).as_text()
    assert "/mcp" not in text
    assert "connect" not in text
    assert "tasks" not in text


def test_nothing_built_is_said() -> None:
    assert "No environment is built yet in /srv/envfarm: run envfarm build." in ready(tasks={}).as_text()


def test_tasks_are_counted_by_environment_and_a_damaged_pack_hinders_nothing(tmp_path: Path) -> None:
    packs = write_home(tmp_path) / "packs"
    (packs / "broken").mkdir()
    (packs / "broken" / "pack.toml").write_text("= no TOML")
    assert tasks_of(packs) == {"small": len(GOLD)}
    assert ready("small", tasks=tasks_of(packs)).as_json()["environments"][0]["tasks"] == len(GOLD)


def test_the_command_is_named_by_its_path_unless_the_shell_finds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "envfarm"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", "/nowhere")
    assert command() == str(script)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert command() == "envfarm"
