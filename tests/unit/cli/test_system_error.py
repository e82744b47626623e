"""What the system refuses is one sentence, whatever the command."""

import errno
import os
import subprocess
import sys

import pytest

from server.cli.system_error import system_error


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
