"""Builds what is missing or stale, in a process of its own, so that the server stays without the generator."""

import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from registry.home import Home
from server.config import child_variables, read_settings
from server.errors import Interrupted, UserError

STOP_SECONDS = 5.0

EXAMPLE = "vet_clinic"
"""The environment that README.md goes on with."""


def build_missing(home: Home) -> None:
    """Builds every shipped seed and its task pack; progress goes to stderr.

    Raises:
        UserError: It failed, and nothing can be served. (A seed that is refused hinders no other.)
    """
    _build(home, ())


def build_first(home: Home) -> None:
    """Builds anew what is stale in the home; in an empty one the seed of the examples, so that something can be served at once.

    What is missing can be built while serving: a package that appears is served. One that is replaced must be so before.

    Raises:
        UserError: It failed, and nothing can be served.
    """
    shipped = sorted(Path(str(files("seeds"))).glob("*.yaml"))
    _build(home, ("--tasks", "0", *map(str, first_seeds(home, shipped))))


def first_seeds(home: Home, shipped: Sequence[Path]) -> tuple[Path, ...]:
    """Seeds whose package lies in the home already; if there is none, the seed of the examples, or else the smallest.

    Args:
        shipped: Seeds called by the ids of their environments.
    """
    there = tuple(one for one in shipped if (home.environments / one.stem / "env.toml").is_file())
    return there or tuple(sorted(shipped, key=lambda one: (one.stem != EXAMPLE, one.stat().st_size, one.name))[:1])


def _build(home: Home, arguments: tuple[str, ...]) -> None:
    variables = child_variables(read_settings(), ENVFARM_HOME=str(home.root))
    command = [sys.executable, "-m", "server.cli.main", "build", "--json", *arguments]
    code = _run(command, variables)
    if code in (Interrupted.exit_code, -signal.SIGINT):  # it has said so
        sys.exit(Interrupted.exit_code)
    if code and not any(home.environments.glob("[!.]*/env.toml")):
        raise UserError("build: expected at least one environment, got none. Read the messages above, mend the seeds, run `envfarm build`.")


def _run(command: Sequence[str], variables: Mapping[str, str]) -> int:
    """The exit code of a program; Ctrl-C reaches it too, and its end is waited for."""
    with subprocess.Popen(command, env=variables, stdout=subprocess.DEVNULL) as process:
        try:
            return process.wait()
        except KeyboardInterrupt:
            try:
                return process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:  # it did not hear of it
                process.terminate()
                raise KeyboardInterrupt from None
