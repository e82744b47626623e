"""Commands of `envfarm` as a person types them, run in this process: to start a Python for each costs a second of CPU."""

import contextlib
import io
import os
import sys
from collections import namedtuple
from pathlib import Path

import pytest

from server.cli.main import main

Done = namedtuple("Done", "returncode stdout stderr")


def typed(home: Path, *words: str, cwd: Path | None = None) -> Done:
    """Exit code, stdout and stderr of `envfarm WORDS`, with nothing of the caller's settings; not for commands that serve."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        for name in [one for one in os.environ if one.startswith("ENVFARM_")]:  # noqa: TID251
            patch.delenv(name)
        patch.setenv("ENVFARM_HOME", str(home))
        # A farm of somebody else may serve on the default ports of this machine; nobody listens on these.
        patch.setenv("ENVFARM_PORT", "1")
        patch.setenv("ENVFARM_CONTROL_PORT", "2")
        patch.setenv("ENVFARM_SIDECAR_PORT", "3")
        patch.setattr(sys, "argv", ["envfarm", *words])
        patch.chdir(home if cwd is None else cwd)
        with pytest.raises(SystemExit) as ended:
            main()
    return Done(ended.value.code or 0, out.getvalue(), err.getvalue())
