"""What an evaluation is a function of: manifest.json, written before the first run."""

import json
from collections.abc import Mapping
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


def refuse_other(folder: Path, begun: Manifest, wanted: Manifest) -> None:
    """Makes sure that an evaluation is resumed as it began.

    Raises:
        EvalError: Something differs; the sentence names the first such thing.
    """
    for name, was in begun.model_dump(mode="json", exclude={"invocation"}).items():
        now = wanted.model_dump(mode="json")[name]
        if was != now:
            was, now = _apart(was, now)
            raise EvalError(
                f"{folder / NAME}: expected {name} {was} as this evaluation began, got {now}. Resume it with the same, or choose another --out."
            )


def _apart(was: Any, now: Any) -> tuple[str, str]:
    """The two values, or, of objects and lists, the first members that differ."""
    if isinstance(was, Mapping) and isinstance(now, Mapping):
        name = next(name for name in sorted({*was, *now}) if was.get(name) != now.get(name))
        return f"{name} {_short(was.get(name))}", _short(now.get(name))
    if isinstance(was, list) and isinstance(now, list):
        if len(was) != len(now):
            return f"({len(was)} of them)", str(len(now))
        was, now = next(pair for pair in zip(was, now, strict=True) if pair[0] != pair[1])
    return _short(was), _short(now)


def _short(value: Any) -> str:
    text = "nothing" if value is None else str(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
