"""The only place where synth touches the disk."""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import IO, BinaryIO

REASON = "reason.txt"
WORKING = ".making-"
ATTEMPTS = 5
CHUNK = 1 << 16


def write_folder(files: Mapping[str, bytes], target: Path) -> None:
    """Makes `target` hold exactly these files: written beside it, then put in its place at once.

    Args:
        files: Content by name inside the folder, `worlds/0.jsonl`.
    """
    try:
        place(stage(files, target), target)
    finally:
        shutil.rmtree(_working(target), ignore_errors=True)


def stage(files: Mapping[str, bytes], target: Path) -> Path:
    """A folder beside `target` that holds these files."""
    target.parent.mkdir(parents=True, exist_ok=True)
    working = _working(target)
    shutil.rmtree(working, ignore_errors=True)
    working.mkdir()
    add_files(files, working)
    return working


def _working(target: Path) -> Path:
    return target.parent / f"{WORKING}{target.name}-{os.getpid()}"


def add_files(files: Mapping[str, bytes], folder: Path) -> None:
    """Writes files into a folder that is there."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """An empty file, to be written and read again until the end of the block."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w+b") as file:
        yield file


def first_difference(one: Path, other: Path) -> int | None:
    """The first line, from 1, in which two files differ; None if they are the same. Neither is held whole."""
    with one.open("rb") as ours, other.open("rb") as theirs:
        for number, (line, its) in enumerate(zip_longest(ours, theirs), 1):
            if line != its:
                return number
    return None


def count_lines(path: Path) -> int:
    """How many lines a file has; 0 if it cannot be read."""
    try:
        with path.open("rb") as file:
            return sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(CHUNK), b""))
    except OSError:
        return 0


def place(working: Path, target: Path) -> None:
    """Puts a folder in the place of `target`; a reader sees the old one or the new one."""
    old = target.parent / f"{WORKING}{target.name}-{os.getpid()}-old"
    for attempt in range(ATTEMPTS):
        shutil.rmtree(old, ignore_errors=True)
        if target.exists():
            target.rename(old)
        try:
            working.rename(target)
            break
        except OSError:
            # Another process put its own folder there in between.
            if attempt == ATTEMPTS - 1:
                raise
    shutil.rmtree(old, ignore_errors=True)


Waits = Callable[[str], None]
"""Told who is waited for (`process 17`) before the wait begins."""


def unsaid(holder: str) -> None:
    """Nobody is told."""


@contextmanager
def alone(folder: Path, waits: Waits = unsaid) -> Iterator[None]:
    """Waits until no other process builds into `folder`; what builds that were killed, or this one when it is cut off, left behind is removed."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("a+", encoding="ascii") as file:
        _wait_for(file, waits)
        _drop_working(folder)
        try:
            yield
        finally:
            _drop_working(folder)


def _drop_working(folder: Path) -> None:
    """Removes folders in the making, which are nobody's while the lock is held and nothing is made."""
    for left in sorted(folder.glob(f"{WORKING}*")):
        shutil.rmtree(left, ignore_errors=True)


def is_taken(folder: Path) -> bool:
    """Whether another process builds into `folder` now."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("a+", encoding="ascii") as file:
        return not _take(file, wait=False)


@contextmanager
def alone_at(target: Path, waits: Waits = unsaid) -> Iterator[None]:
    """Waits until no other process makes `target`; what was left behind of it by one that was killed is removed."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with (target.parent / f".{target.name}.lock").open("a+", encoding="ascii") as file:
        _wait_for(file, waits)
        for left in sorted(target.parent.glob(f"{WORKING}{target.name}-*")):
            shutil.rmtree(left, ignore_errors=True)
        yield


def _wait_for(file: IO[str], waits: Waits) -> None:
    """Takes a lock that ends when the file is closed, and notes in it who has it."""
    if not _take(file, wait=False):
        file.seek(0)
        holder = file.read(20).strip()
        waits(f"process {holder}" if holder.isdigit() else "another process")
        _take(file, wait=True)
    file.truncate(0)
    file.write(f"{os.getpid()}\n")
    file.flush()


def _take(file: IO[str], *, wait: bool) -> bool:
    """Whether the lock was taken."""
    try:
        if sys.platform == "win32":
            import msvcrt  # noqa: PLC0415 there on that platform only

            file.seek(100)
            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        else:
            import fcntl  # noqa: PLC0415 there on other platforms only

            fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        if wait:
            raise
        return False
    return True


def check_rights(folder: Path) -> None:
    """Makes the folder; fails at once, not after long work, where nothing may be written to it."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder):
        pass


def remove_folder(folder: Path) -> None:
    """Removes a folder, if it is there."""
    shutil.rmtree(folder, ignore_errors=True)


def file_names(folder: Path) -> tuple[str, ...]:
    """The name of every file below a folder inside it, in order; caches of Python are left out."""
    return tuple(path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts)


def read_folder(folder: Path) -> dict[str, bytes]:
    """Every file below a folder by its name inside it, in order; caches of Python are left out."""
    return {name: (folder / name).read_bytes() for name in file_names(folder)}


def read_file(path: Path) -> bytes | None:
    """The bytes of a file; None if it cannot be read."""
    try:
        return path.read_bytes()
    except OSError:
        return None


def seed_files(folder: Path) -> tuple[Path, ...]:
    """The seeds in a folder, by name."""
    return tuple(sorted(folder.glob("*.yaml")))


def packages(folder: Path) -> tuple[Path, ...]:
    """The packages in a folder, by name; those that are being made are left out."""
    return tuple(path.parent for path in sorted(folder.glob("[!.]*/env.toml")))


def read_head(path: Path, most: int) -> bytes:
    """The first bytes of a file.

    Args:
        most: How many at most.
    """
    with path.open("rb") as opened:
        return opened.read(most)


def append_text(path: Path, text: str) -> None:
    """Adds to a text file, made with its folder if it is not there; UTF-8."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8", newline="\n") as opened:
        opened.write(text)


def write_text(path: Path, text: str) -> None:
    """Replace a text file, made with its folder if it is not there; UTF-8, lines end with a newline alone."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
