"""Reading of an evaluation's folder, which may hold the traces of a crash."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from evals.errors import EvalError
from evals.metrics.records import Attempt, Manifest, Run

_Shape = TypeVar("_Shape", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """One evaluation as it lies on disk; runs are read when they are asked for, because they may be large."""

    folder: Path
    manifest: Manifest
    attempts: tuple[Attempt, ...]

    def run(self, name: str) -> Run | None:
        """What happened in a run; None where nothing was kept (the attempt broke before it began)."""
        path = self.folder / "runs" / f"{name}.json"
        if Path(name).name != name or not path.is_file():
            return None
        return _shaped(Run, path, _loaded(path, path.read_bytes()))


def read_evaluation(folder: Path) -> Evaluation:
    """The evaluation in `folder`.

    Raises:
        EvalError: It is not there, or not of the format.
    """
    path = folder / "manifest.json"
    if not path.is_file():
        raise EvalError(f"{folder}: expected an evaluation (manifest.json, attempts.jsonl), got none. Give the folder that envfarm eval wrote.")
    manifest = _shaped(Manifest, path, _loaded(path, path.read_bytes()))
    return Evaluation(folder=folder, manifest=manifest, attempts=tuple(_attempts(folder / "attempts.jsonl")))


def _attempts(path: Path) -> Iterator[Attempt]:
    """All lines; a last one without its newline was being written when the machine stopped, and does not count."""
    if not path.is_file():
        return
    *lines, _ = path.read_bytes().split(b"\n")
    for number, line in enumerate(lines, start=1):
        if line.strip():
            where = f"{path}:{number}"
            yield _shaped(Attempt, where, _loaded(where, line))


def _loaded(where: object, data: bytes) -> Any:
    try:
        return json.loads(data)
    except ValueError as error:
        raise EvalError(f"{where}: expected JSON, got {error}. Run envfarm eval again with --resume.") from error


def _shaped(shape: type[_Shape], where: object, value: Any) -> _Shape:
    try:
        return shape.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise EvalError(f"{where}: expected the format of an evaluation, got {place}: {first['msg']}. Was it written by another version?") from error
