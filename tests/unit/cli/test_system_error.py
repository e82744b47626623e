"""What the system refuses is one sentence, whatever the command."""

import errno
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from server.cli.system_error import system_error
from tests.made_once import package_of

ROOT = Path(__file__).resolve().parents[3]
SMALL = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT)}
READING = ("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search")
"""What root keeps as another user: to read, as Python may lie where only root can, but not to write."""
AS_NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *READING)


def run(*arguments, home):
    return subprocess.run(
        [sys.executable, "-m", "server.cli.main", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        env={"PYTHONPATH": ".", "ENVFARM_HOME": str(home)},
    )


def test_a_home_that_cannot_be_made_is_one_sentence_and_exit_code_1(tmp_path):
    (tmp_path / "file").write_text("in the way")
    done = run("token", "init", home=tmp_path / "file" / "home")
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"envfarm: {tmp_path}/file")
    assert "(NotADirectoryError). Give another place (a folder by --out, a home by ENVFARM_HOME)" in line


@pytest.mark.parametrize(
    ("number", "what"),
    [
        (errno.EACCES, "Take the rights"),
        (errno.EROFS, "Take the rights"),
        (errno.ENOENT, "make the folder that it lies in"),
        (errno.EEXIST, "where no file is in the way"),
        (errno.ENOSPC, "Make room on the disk"),
        (errno.ELOOP, "Give another place"),
    ],
)
def test_the_sentence_has_the_path_what_the_system_said_and_what_to_do(number, what):
    told = system_error(OSError(number, os.strerror(number), "/some/place"))
    assert told.startswith(f"/some/place: expected a file or folder that can be used, got {os.strerror(number)!r} (")
    assert what in told
    assert told.endswith(".")


def test_an_error_without_a_path_is_a_sentence_too():
    assert system_error(OSError("odd")) == (
        "the system: expected what the command asks of it, got 'odd' (OSError). Mend that, then run the same command again."
    )


@pytest.mark.parametrize("option", ["--noise-seed", "--seed"])
def test_a_seed_that_no_json_holds_is_wrong_usage(option, tmp_path):
    done = run("eval", "--agent", "noop", option, "9" * 29, home=tmp_path)
    assert done.returncode == 2
    assert f"Invalid value for '{option}'" in done.stderr


@pytest.fixture
def closed():
    """A folder that everybody may look into and nobody but root may write to; below one that all may enter, which `tmp_path` is not."""
    if sys.platform != "linux":
        pytest.skip("rights of files are told as Linux tells them")
    if os.geteuid() == 0:
        if shutil.which("setpriv", path=SMALL["PATH"]) is None:
            pytest.skip("run by root, and there is no setpriv to become another user")
        tried = subprocess.run([*AS_NOBODY, "true"], env=SMALL, capture_output=True, text=True, check=False)
        if tried.returncode:
            pytest.skip(f"run by root, who may not become another user here: {tried.stderr.strip()}")
    with tempfile.TemporaryDirectory(prefix="envfarm-closed-") as folder:
        Path(folder).chmod(0o755)
        home = Path(folder) / "home"
        home.mkdir(mode=0o555)
        yield home


def as_nobody(*words, home):
    """The command as somebody who is not root: this user, or if that is root another one."""
    switch = AS_NOBODY if os.geteuid() == 0 else ()
    command = [*switch, sys.executable, "-m", "server.cli.main", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=ROOT, env={**SMALL, "ENVFARM_HOME": str(home)}, check=False)


@pytest.mark.parametrize(
    "words",
    [
        ("token", "init"),
        pytest.param(("build", "vet_clinic"), marks=pytest.mark.every_domain),
        pytest.param(("up", "--no-build", "--port", "0", "--control-port", "0", "--sidecar-port", "0"), marks=pytest.mark.every_domain),
    ],
    ids=lambda words: words[0],
)
def test_a_home_that_may_not_be_written_to_is_one_sentence_and_exit_code_1(closed, words):
    done = as_nobody(*words, home=closed)
    assert (done.returncode, done.stdout) == (1, ""), done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"envfarm: {closed}/")
    assert "got 'Permission denied' (PermissionError). Take the rights on it, or give another place" in line
    assert [*closed.iterdir()] == []


def test_a_pack_to_order_is_refused_before_it_is_made(closed):
    closed.chmod(0o755)
    shutil.copytree(package_of("tool_library"), closed / "environments" / "tool_library")
    (closed / "packs").mkdir(mode=0o555)
    done = as_nobody("tasks", "make", "tool_library", home=closed)
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"envfarm: {closed}/packs")
    assert "Permission denied" in line


def test_a_home_that_may_not_be_made_is_one_sentence_too_and_looking_needs_no_rights(closed):
    done = as_nobody("token", "init", home=closed / "deeper")
    (line,) = done.stderr.splitlines()
    assert (done.returncode, line.startswith(f"envfarm: {closed}/deeper")) == (1, True)
    looked = as_nobody("list", home=closed)
    assert (looked.returncode, looked.stderr) == (0, "")
