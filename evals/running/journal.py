"""The folder of one evaluation: what is finished stays finished, whatever ends the process."""

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from pydantic import ValidationError

from evals.errors import EvalError
from evals.running.attempt import Attempt
from evals.running.manifest import NAME, Manifest, read_manifest, refuse_other

ATTEMPTS = "attempts.jsonl"
RUNS = "runs"


class Journal:
    """Attempts of one evaluation, in its folder.

    Attributes:
        attempts: All that are finished, in the order in which they ended.
    """

    def __init__(self, folder: Path, file: IO[bytes], attempts: list[Attempt]) -> None:
        self.folder, self.attempts = folder, attempts
        self._file = file

    def keep(self, attempt: Attempt, told: dict[str, Any]) -> None:
        """Keeps one finished attempt with the file of its run; afterwards it is never made again."""
        write_durably(self.folder / RUNS / f"{attempt.run}.json", json.dumps(told, ensure_ascii=False, indent=1, sort_keys=True) + "\n")
        self._file.write(json.dumps(attempt.line(), ensure_ascii=False, sort_keys=True).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self.attempts.append(attempt)

    def of(self, task: str, epoch: int) -> list[Attempt]:
        """Attempts at a task in one epoch, in order."""
        return [one for one in self.attempts if (one.task, one.epoch) == (task, epoch)]


@contextlib.contextmanager
def open_journal(folder: Path, wanted: Manifest, *, resume: bool) -> Iterator[Journal]:
    """The journal of a new evaluation, or of one that goes on.

    Nobody else may read the folder: runs tell gold.

    Raises:
        EvalError: Another process writes there, something else is there, or what began there is not what is wanted.
    """
    (folder / RUNS).mkdir(parents=True, exist_ok=True, mode=0o700)
    folder.chmod(0o700)
    with (folder / ATTEMPTS).open("ab+") as file:
        _lock(file, folder)
        begun = read_manifest(folder)
        if begun is None and file.tell():
            raise EvalError(f"{folder}: expected {NAME} beside {ATTEMPTS}, got none. Choose another --out.")
        if begun is not None:
            if not resume:
                raise EvalError(
                    f"{folder}: expected a folder without an evaluation, got one of {begun.agent}. Pass --resume to go on with it, or another --out."
                )
            refuse_other(folder, begun, wanted)
        else:
            write_durably(folder / NAME, wanted.text())
        attempts = _read(file, folder)
        _drop_others(folder / RUNS, {one.run for one in attempts})
        yield Journal(folder, file, attempts)


def read_attempts(folder: Path) -> list[Attempt]:
    """The finished attempts of an evaluation.

    Raises:
        EvalError: There are none to be read.
    """
    try:
        with (folder / ATTEMPTS).open("rb") as file:
            return _lines(file.read(), folder)[0]
    except OSError as error:
        raise EvalError(f"{folder}: expected an evaluation, got {type(error).__name__}. Name the folder that `envfarm eval --out` wrote.") from error


def write_durably(path: Path, text: str) -> None:
    """Replaces a file at once, on disk when this returns."""
    beside = path.with_name(f"{path.name}.part")
    with beside.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)


def _lock(file: IO[bytes], folder: Path) -> None:
    """Held until the file is closed, so by a process that was killed no longer."""
    try:
        import fcntl  # noqa: PLC0415 (not on every system)
    except ImportError:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise EvalError(
            f"{folder}: expected a folder that no other evaluation writes, got one in use. Wait for it, or choose another --out."
        ) from error


def _read(file: IO[bytes], folder: Path) -> list[Attempt]:
    """The whole lines; half a last one, as a kill leaves it, is cut off."""
    file.seek(0)
    attempts, whole = _lines(file.read(), folder)
    file.truncate(whole)
    file.seek(0, os.SEEK_END)
    return attempts


def _lines(data: bytes, folder: Path) -> tuple[list[Attempt], int]:
    whole = data.rfind(b"\n") + 1
    found = []
    for number, line in enumerate(data[:whole].splitlines(), start=1):
        try:
            found.append(Attempt.model_validate_json(line))
        except ValidationError as error:
            sentence = f"{folder / ATTEMPTS}: expected an attempt in line {number}, got {line[:40]!r}. Restore the file, or choose another --out."
            raise EvalError(sentence) from error
    return found, whole


def _drop_others(folder: Path, known: set[str]) -> None:
    """Files of runs that were not finished when the process was killed."""
    for path in sorted(folder.iterdir()):
        if path.stem not in known or path.suffix != ".json":
            path.unlink()
