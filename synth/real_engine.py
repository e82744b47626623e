"""Proves that models.py and the rows of a package agree, by the real SQLModel engine, in a process of its own."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

from registry.package.errors import PackageError

LONGEST = 1800
"""Seconds that a check may take."""

FORKS = hasattr(os, "fork") and sys.platform != "darwin"
"""Whether a process can go on as two; on macOS the system's own libraries do not bear it."""

_START = """
import gc, runpy, sys
gc.set_threshold(20_000, 50, 100)
sys.argv = sys.argv[1:]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""
"""Runs a module as `-m` does, with fewer searches for cycles of objects: imports make many objects that stay."""


class RealEngine:
    """Checks packages one after another, each in a process of its own that is a fork of one that has loaded SQLModel.

    The process that forks never runs code of a package. It is started for the first package, and ends with the `with` block.
    """

    def __init__(self) -> None:
        self._forking: subprocess.Popen[str] | None = None
        self._seconds = 0.0

    def __enter__(self) -> "RealEngine":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._end()

    @property
    def seconds(self) -> float:
        """Processor time so far of the process that forks, which the system does not count among ours until it has ended."""
        return self._seconds

    def check(self, folder: Path, name: str) -> None:
        """Checks a package as `check_in_child` does."""
        if not FORKS:
            check_in_child(folder, name)
            return
        answer = self._asked(folder)
        if answer is None:
            raise _refused(name, self._end())
        self._seconds = answer["seconds"]
        if answer["code"] == -signal.SIGALRM:
            raise _too_long(name)
        if answer["code"]:
            raise _refused(name, answer["said"])

    def _asked(self, folder: Path) -> dict[str, Any] | None:
        """What became of a package; None if the process that forks has ended."""
        self._forking = self._forking or subprocess.Popen(
            _command("synth.forking"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=_variables()
        )
        asked, answers = self._forking.stdin, self._forking.stdout
        if asked is None or answers is None:
            return None
        try:
            asked.write(json.dumps(str(folder.absolute())) + "\n")
            asked.flush()
        except BrokenPipeError:
            return None
        answer: dict[str, Any] | None = json.loads(answers.readline() or "null")
        return answer

    def _end(self) -> str:
        """Ends the process that forks; what it said on stderr."""
        forking, self._forking, self._seconds = self._forking, None, 0.0
        return "" if forking is None else forking.communicate()[1]


def check_in_child(folder: Path, name: str) -> None:
    """Creates the tables of models.py with SQLModel, and sends every row of world 0 through its typed classes.

    A process of its own, because SQLModel classes cost memory for as long as a process lives.

    Args:
        name: Of the environment, for messages.

    Raises:
        PackageError: The tables cannot be made, or a row does not come back as it was.
    """
    try:
        done = run_module("synth.typed_rows", str(folder.absolute()))
    except subprocess.TimeoutExpired as error:
        raise _too_long(name) from error
    if done.returncode:
        raise _refused(name, done.stderr)


def _too_long(name: str) -> PackageError:
    return PackageError(f"{name}/models.py: expected tables and rows within {LONGEST} seconds, got none. Make fewer rows.")


def _refused(name: str, said: str) -> PackageError:
    lines = said.strip().splitlines() or ["no reason given"]
    return PackageError(f"{name}/models.py: expected tables that hold the rows of world 0, got {lines[-1]}. This is a fault of the compiler.")


def run_module(module: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs a module of ours in a process of its own, for code of packages that may not be ours.

    Raises:
        TimeoutExpired: It took longer than `LONGEST`.
    """
    return subprocess.run(_command(module, *words), capture_output=True, text=True, timeout=LONGEST, check=False, env=_variables())


def _command(module: str, *words: str) -> list[str]:
    return [sys.executable, "-P", "-c", _START, module, *words]


def _variables() -> dict[str, str] | None:
    """The code of a trusted package that differs sees none of our environment variables, and finds no module of its own beside it."""
    return None if sys.platform == "win32" else {"PYTHONPATH": os.pathsep.join(one for one in sys.path if one), "PYTHONDONTWRITEBYTECODE": "1"}
