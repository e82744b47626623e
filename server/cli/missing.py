"""Builds what is missing or stale, in a process of its own, so that the server stays without the generator."""

import subprocess
import sys

from registry.home import Home
from server.config import child_variables, read_settings
from server.errors import UserError


def build_missing(home: Home, *, tasks: bool = True) -> None:
    """Runs `envfarm build` for the shipped seeds; its progress goes to stderr.

    Args:
        home: Where to build.
        tasks: Whether task packs are made too, which takes much longer.

    Raises:
        UserError: It failed, and nothing can be served. (A seed that is refused hinders no other.)
    """
    variables = child_variables(read_settings(), ENVFARM_HOME=str(home.root))
    command = [sys.executable, "-m", "server.cli.main", "build", "--json", *([] if tasks else ["--tasks", "0"])]
    done = subprocess.run(command, env=variables, stdout=subprocess.DEVNULL, check=False)
    if done.returncode and not any(home.environments.glob("*/env.toml")):
        raise UserError("build: expected at least one environment, got none. Read the messages above, mend the seeds, run `envfarm build`.")
