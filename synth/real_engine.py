"""Proves that models.py and the rows of a package agree, by the real SQLModel engine, in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

from registry.package.errors import PackageError

LONGEST = 1800
"""Seconds that a check may take."""


_START = """
import gc, runpy, sys
gc.set_threshold(20_000, 50, 100)
sys.argv = sys.argv[1:]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""
"""Runs a module as `-m` does, with fewer searches for cycles of objects: imports make many objects that stay."""


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
        raise PackageError(f"{name}/models.py: expected tables and rows within {LONGEST} seconds, got none. Make fewer rows.") from error
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no reason given"]
        raise PackageError(f"{name}/models.py: expected tables that hold the rows of world 0, got {lines[-1]}. This is a fault of the compiler.")


def run_module(module: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Runs a module of ours in a process of its own, for code of packages that may not be ours.

    Raises:
        TimeoutExpired: It took longer than `LONGEST`.
    """
    # The code of a trusted package that differs sees none of our environment variables, and finds no module of its own beside it.
    env = None if sys.platform == "win32" else {"PYTHONPATH": os.pathsep.join(one for one in sys.path if one), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([sys.executable, "-P", "-c", _START, module, *words], capture_output=True, text=True, timeout=LONGEST, check=False, env=env)
