"""Errors of the sidecar.

SidecarError
├── TaskNotFound       no pack has a task of that id; names close matches
│   └── TaskGone       none has it any more, and a run of it is to be judged or told
├── RunNotFound        no run of that id
├── RunRefused         the request does not fit the run (a second repetition, a run that is not finished)
└── FarmFailed         the farm does not answer, or says no: infrastructure, never the agent's failure

Each holds one sentence for a person.
"""

import difflib
from collections.abc import Iterable
from pathlib import Path


class SidecarError(Exception):
    """Root of the sidecar's errors; `str()` is one sentence."""


class TaskNotFound(SidecarError):
    """No task is called like that.

    Args:
        wanted: The id that was asked for.
        known: All ids there are.
        place: The folder of packs that was looked in.
    """

    def __init__(self, wanted: str, known: Iterable[str], place: Path) -> None:
        names = sorted(known)
        near = difflib.get_close_matches(wanted, names, n=3, cutoff=0.7)
        none = "See `envfarm tasks list`." if names else f"None is made yet in {place}: run `envfarm build`."
        advice = f"Did you mean {' or '.join(near)}?" if near else none
        super().__init__(f"task: expected the id of a task, got {wanted[:80]!r}. {advice}")


class TaskGone(TaskNotFound):
    """The task of a run is in no pack any more."""

    def __init__(self, run: str, task: str, place: Path) -> None:
        Exception.__init__(
            self,
            f"run {run}: expected its task {task} in a pack of {place}, got none: the pack was made anew or moved since the run began. "
            "Put it back, or start a run of another task.",
        )


class RunNotFound(SidecarError):
    """No run has this id."""

    def __init__(self, run: str) -> None:
        super().__init__(f"run: expected the id of a run, got {run[:80]!r}. Start one first with `envfarm start TASK`.")


class RunRefused(SidecarError):
    """The request does not fit the run."""


class FarmFailed(SidecarError):
    """The control plane could not be asked, or refused."""
