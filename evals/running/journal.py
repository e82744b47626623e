"""The folder of one evaluation: what is finished stays finished, whatever ends the process."""

import asyncio
import contextlib
import json
import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any

import orjson
from pydantic import ValidationError

from evals.errors import EvalError
from evals.running.attempt import Attempt
from evals.running.manifest import NAME, Manifest, read_manifest, refuse_other

ATTEMPTS = "attempts.jsonl"
RUNS = "runs"
WRITERS = 8
"""Attempts that are written to disk at a time: file systems write what waits together."""


class Journal:
    """Attempts of one evaluation, in its folder.

    Attributes:
        attempts: All that are finished, in the order in which they ended.
    """

    def __init__(self, folder: Path, file: IO[bytes], attempts: list[Attempt], threads: Executor) -> None:
        self.folder, self.attempts = folder, attempts
        self._file, self._threads = file, threads
        self._writing = threading.Lock()

    async def keep(self, attempt: Attempt, told: dict[str, Any]) -> None:
        """Keeps one finished attempt with the file of its run; afterwards it is never made again.

        Other runs go on while the disk writes; those that end meanwhile are written with it.
        """
        await asyncio.get_running_loop().run_in_executor(self._threads, self._keep, attempt, told)
        self.attempts.append(attempt)

    def _keep(self, attempt: Attempt, told: dict[str, Any]) -> None:
        write_durably(self.folder / RUNS / f"{attempt.run}.json", _indented(told))
        line = json.dumps(attempt.line(), ensure_ascii=False, sort_keys=True).encode() + b"\n"
        with self._writing:
            self._file.write(line)
            self._file.flush()
        os.fsync(self._file.fileno())

    def of(self, task: str, epoch: int) -> list[Attempt]:
        """Attempts at a task in one epoch, in order."""
        return [one for one in self.attempts if (one.task, one.epoch) == (task, epoch)]


@contextlib.contextmanager
def open_journal(folder: Path, wanted: Manifest, *, resume: bool, filters: Sequence[str] = ()) -> Iterator[Journal]:
    """The journal of a new evaluation, or of one that goes on.

    Nobody else may read the folder: runs tell gold.

    Args:
        filters: Options that chose the tasks of what is wanted.

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
            refuse_other(folder, begun, wanted, filters)
        else:
            write_durably(folder / NAME, wanted.text().encode())
        attempts = _read(file, folder)
        _drop_others(folder / RUNS, {one.run for one in attempts})
        with ThreadPoolExecutor(WRITERS, "envfarm-journal") as threads:
            yield Journal(folder, file, attempts, threads)


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


def settled_in(folder: Path) -> tuple[int, int] | None:
    """How many runs of an evaluation are settled, and of how many; None where none began."""
    begun = read_manifest(folder)
    if begun is None:
        return None
    return sum(one.settled for one in read_attempts(folder)), len(begun.tasks) * begun.epochs


def write_durably(path: Path, content: bytes) -> None:
    """Replaces a file at once, on disk when this returns."""
    beside = path.with_name(f"{path.name}.part")
    with beside.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)


def _indented(told: dict[str, Any]) -> bytes:
    try:
        # Not sorted: the keys of a result stand as the agent got them.
        return orjson.dumps(told, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    except TypeError:  # what an agent told of itself may hold numbers beyond 64 bits
        return (json.dumps(told, ensure_ascii=False, indent=2) + "\n").encode()


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
