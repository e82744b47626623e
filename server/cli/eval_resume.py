"""What a resumed evaluation takes from where it began: every option that is not given again."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from server.errors import Interrupted, WrongUsage

if TYPE_CHECKING:
    from evals.running.manifest import Manifest

FILTERS = ("environments", "tasks", "split", "levels", "kinds", "limit")


def begun_in(folder: Path | None, *, resume: bool, agent: str) -> "Manifest | None":
    """The evaluation to go on with; None where a new one begins.

    Raises:
        WrongUsage: It is not said which, or nothing began there and no agent is named to begin with.
    """
    from evals.running.manifest import read_manifest

    if resume and folder is None:
        raise WrongUsage("--resume: expected --out with the folder to go on with, got none. Name it.")
    begun = read_manifest(folder) if resume and folder is not None else None
    if not agent and begun is None:
        if resume:
            raise WrongUsage(f"--resume: expected an evaluation in {folder}, got none. Name another --out, or an --agent to begin one.")
        raise WrongUsage("--agent: expected what to evaluate, got nothing. Give oracle, command:PROGRAM, http:URL or model:PROVIDER/NAME.")
    return begun


def completed(options: Mapping[str, Any], given: frozenset[str], begun: "Manifest | None") -> dict[str, Any]:
    """The options, those that were not given as the evaluation began with them.

    Args:
        options: By the names of the command's parameters.
        given: Names of those that stood on the command line.
        begun: What to go on with.
    """
    if begun is None:
        return dict(options)
    called = begun.invocation
    then: dict[str, Any] = {
        "agent": begun.agent,
        "epochs": begun.epochs,
        "max_calls": begun.limits.max_calls,
        "timeout": begun.limits.timeout,
        "noise": begun.noise.profile,
        "noise_seed": begun.noise.seed,
        "persona": begun.persona,
        "seed": begun.seed,
        "passed": list(called.passed),
        "sandbox": called.sandbox,
        "baselines": called.baselines,
        "concurrency": called.concurrency,
    }
    if not given & set(FILTERS):
        then["tasks"] = list(begun.tasks)
    return {**options, **{name: value for name, value in then.items() if name not in given}}


def interrupted(folder: Path) -> Interrupted:
    """What Ctrl-C left in the folder of an evaluation, and how to go on."""
    from evals.running.journal import settled_in

    settled = settled_in(folder)
    if settled is None:
        return Interrupted("stopped before the evaluation began; run the same command again.")
    return Interrupted(f"stopped at {settled[0]} of {settled[1]}; go on with: envfarm eval --resume --out {shlex.quote(str(folder))}")
