"""What an evaluation is a function of: manifest.json, written before the first run."""

import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from evals.errors import EvalError

FORMAT = 1
NAME = "manifest.json"
SHOWN = 80


class Noise(BaseModel):
    """The noise profile of all episodes, and the seed of what it does."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    profile: str = "none"
    seed: int = 0


class RunLimits(BaseModel):
    """Limits of each run; `max_calls` 0 leaves those of the tasks."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    max_calls: int = 0
    timeout: float = 600.0


class Invocation(BaseModel):
    """How an evaluation was called beside what pins it: taken from here when it is resumed, and not held against who resumes it.

    Attributes:
        passed: Names of variables that programs get.
        concurrency: 0 for the usual.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    passed: tuple[str, ...] = ()
    sandbox: bool = True
    baselines: bool = False
    concurrency: int = 0


class Manifest(BaseModel):
    """An evaluation that has begun. Two with equal manifests come to the same figures, as far as the agent does the same.

    `persona` is that of the users of multi-turn tasks, or `mix`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: int = FORMAT
    agent: str
    headline: tuple[str, ...] = ()
    environments: dict[str, str]
    packs: dict[str, str]
    generator: str
    envfarm: str
    tasks: tuple[str, ...]
    epochs: int
    noise: Noise = Noise()
    persona: str = "plain"
    limits: RunLimits = RunLimits()
    seed: int = 0
    invocation: Invocation = Invocation()

    def text(self) -> str:
        """The bytes of the file."""
        return json.dumps(self.model_dump(mode="json"), ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def read_manifest(folder: Path) -> Manifest | None:
    """The manifest of an evaluation; None where none has begun.

    Raises:
        EvalError: There is one that cannot be read.
    """
    path = folder / NAME
    try:
        return Manifest.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        raise EvalError(f"{path}: expected the manifest of an evaluation, got {str(error).splitlines()[0]}. Choose another --out.") from error


def refuse_other(folder: Path, begun: Manifest, wanted: Manifest, filters: Sequence[str] = ()) -> None:
    """Makes sure that an evaluation is resumed as it began.

    Args:
        filters: Options that chose the tasks of what is wanted.

    Raises:
        EvalError: Something differs; the sentence names the first such thing, as a person gives it.
    """
    was, now = (one.model_dump(mode="json", exclude={"invocation"}) for one in (begun, wanted))
    alone = f"`envfarm eval --resume --out {shlex.quote(str(folder))}` goes on with all as it began"
    if was["tasks"] != now["tasks"]:  # first: with other tasks, environments and packs differ too
        by = " and ".join(filters) or "other filters"
        same = len({*begun.tasks} & {*wanted.tasks})
        raise EvalError(
            f"{folder}: expected the {len(begun.tasks)} tasks that this evaluation began with, got {len(wanted.tasks)} by {by}, "
            f"{same} of them the same. Leave {by} out: {alone}."
        )
    for name, option in OPTIONS.items():
        before, after = _member(was, name), _member(now, name)
        if before != after:
            raise EvalError(
                f"{folder}: expected {option} {_short(before)} as this evaluation began, got {_short(after)}. Leave {option} out: {alone}."
            )
    for name in was:
        if was[name] != now[name]:
            before, after = _apart(was[name], now[name])
            said = UNASKED.get(name, name)
            raise EvalError(f"{folder}: expected {said} {before} as this evaluation began, got {after}. Choose another --out, which begins anew.")


OPTIONS = {
    **{"agent": "--agent", "epochs": "--epochs", "noise.profile": "--noise", "noise.seed": "--noise-seed", "persona": "--persona"},
    **{"limits.max_calls": "--max-calls", "limits.timeout": "--timeout", "seed": "--seed"},
}
"""What a manifest holds of options, by its place."""
UNASKED = {"environments": "the environment", "packs": "the pack", "envfarm": "envfarm", "headline": "what agents can reach"}
"""What else it holds, in words."""


def _member(told: Mapping[str, Any], place: str) -> Any:
    for name in place.split("."):
        told = told[name]
    return told


def _apart(was: Any, now: Any) -> tuple[str, str]:
    """The two values, or, of objects, the first members that differ."""
    if isinstance(was, Mapping) and isinstance(now, Mapping):
        name = next(name for name in sorted({*was, *now}) if was.get(name) != now.get(name))
        return f"{name} with digest {_short(was.get(name))}", _short(now.get(name))
    if isinstance(was, list) and isinstance(now, list):
        was, now = (f"({', '.join(one) or 'nothing remarked'})" for one in (was, now))
    return _short(was), _short(now)


def _short(value: Any) -> str:
    text = "nothing" if value is None else str(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
