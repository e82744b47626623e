"""What commands say where nothing is built: the folder that they looked in."""

import shutil

import pytest

from tests.typed import typed
from tests.unit.sidecar.small_pack import write_home


@pytest.mark.parametrize(
    ("words", "place"),
    [
        (("list",), "environments"),
        (("show", "clinic"), "environments"),
        (("connect", "clinic", "--client", "codex"), "environments"),
        (("check", "clinic"), "environments"),
        (("catalog",), "environments"),
        (("tasks", "list"), "packs"),
        (("tasks", "list", "clinic"), "environments"),
        (("tasks", "make", "clinic"), "environments"),
        (("audit", "clinic"), "packs"),
        (("eval", "--agent", "noop"), "packs"),
        (("demo", "--no-build"), "packs"),
    ],
)
def test_it_is_said_where_nothing_was_found(tmp_path, words, place):
    done = typed(tmp_path, *words)

    assert f"{tmp_path / place}" in done.stdout + done.stderr
    assert "Run `envfarm build`" in (done.stdout + done.stderr).replace("run `envfarm", "Run `envfarm")


def test_an_environment_without_tasks_is_not_called_unknown(tmp_path):
    home = write_home(tmp_path)
    shutil.rmtree(home / "packs")

    done = typed(home, "tasks", "list", "small")

    assert done.returncode == 1
    assert done.stderr == f"envfarm: small: expected a task pack in {home / 'packs'}, got none. Run `envfarm build` first.\n"
