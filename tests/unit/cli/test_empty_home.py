"""What commands say where nothing is built: the folder that they looked in, and who builds there."""

import os
import shutil

import pytest

from registry.home import find_home
from server.building import building
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
    assert done.stderr == f"envfarm: small: {home / 'packs'}: expected a task pack, got none. Run `envfarm build` first.\n"


def test_what_is_on_its_way_is_not_said_to_be_missing(tmp_path):
    home = write_home(tmp_path)
    (home / "packs").rename(home / "later")

    empty = tmp_path / "empty"
    with building(find_home(empty)):
        none = typed(empty, "show", "small")
    with building(find_home(home)):
        tasks = typed(home, "tasks", "list", "small")
        shown = typed(home, "show", "smaller")

    assert f"expected a task pack, got none yet. It is being built by process {os.getpid()}" in tasks.stderr
    assert "Did you mean small?" in shown.stderr
    assert f"None is built yet in {empty / 'environments'}. Process {os.getpid()} is building" in none.stderr
    assert f"Process {os.getpid()} is building in this home" in shown.stderr
    assert "building" not in typed(home, "show", "smaller").stderr
