"""`.ci/setup`: what is installed when, shown with an interpreter that only writes down what it is asked for."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
LOCKS = ("requirements.lock", "requirements-build.lock", "requirements-dev.lock")
PYTHON = """#!/bin/sh
case "$*" in
  "-c "*|--version) exit 0 ;;
  "-m venv --clear "*) rm -rf "$4"; mkdir -p "$4/bin"; cp "$0" "$4/bin/python"; echo "new" >> asked ;;
  *--editable*) touch .venv/bin/envfarm; chmod +x .venv/bin/envfarm; echo "envfarm" >> asked ;;
  *--require-hashes*) for last in "$@"; do :; done; [ "$last" != "$FAILS" ] || exit 1; echo "$last" >> asked ;;
esac
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci/setup", tmp_path / ".ci/setup")
    for name in (*LOCKS, "pyproject.toml"):
        (tmp_path / name).write_text("as it is\n")
    (tmp_path / "python").write_text(PYTHON)
    (tmp_path / "python").chmod(0o755)
    return tmp_path


def asked(checkout: Path, *arguments: str, fails: str = "", code: int = 0) -> list[str]:
    """What the interpreter was asked for by one set-up."""
    (checkout / "asked").unlink(missing_ok=True)
    env = {"PATH": os.defpath, "PYTHON": str(checkout / "python"), "FAILS": fails}
    done = subprocess.run(["sh", ".ci/setup", *arguments], cwd=checkout, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    return (checkout / "asked").read_text().splitlines() if (checkout / "asked").exists() else []


def test_running_needs_less_than_tests_and_each_is_installed_once(checkout: Path) -> None:
    assert asked(checkout, "run") == ["new", "requirements.lock", "requirements-build.lock", "envfarm"]
    assert asked(checkout, "run") == []
    assert asked(checkout) == ["requirements-dev.lock"]
    assert asked(checkout, "dev") == asked(checkout, "run") == []


def test_what_tests_need_is_enough_to_run(checkout: Path) -> None:
    assert asked(checkout, "dev") == ["new", "requirements-dev.lock", "envfarm"]
    assert asked(checkout, "run") == []


@pytest.mark.parametrize(("mode", "changed"), [("run", "requirements.lock"), ("dev", "requirements-dev.lock")])
def test_a_lock_that_changed_is_installed_into_a_new_environment(checkout: Path, mode: str, changed: str) -> None:
    asked(checkout, "run")
    asked(checkout, mode)
    (checkout / changed).write_text("another\n")
    again = asked(checkout, mode)
    assert (again[0], changed in again, again[-1]) == ("new", True, "envfarm")


def test_an_installation_that_failed_is_made_again(checkout: Path) -> None:
    asked(checkout, "run")
    assert asked(checkout, "dev", fails="requirements-dev.lock", code=1) == []
    assert asked(checkout, "run") == []
    assert asked(checkout, "dev") == ["requirements-dev.lock"]


def test_another_word_is_refused(checkout: Path) -> None:
    assert asked(checkout, "both", code=2) == []
