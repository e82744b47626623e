"""The only place where synth touches the disk."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

REASON = "reason.txt"
WORKING = ".making-"


def write_folder(files: Mapping[str, bytes], target: Path) -> None:
    """Makes `target` hold exactly these files: written beside it, then put in its place at once.

    Args:
        files: Content by name inside the folder, `worlds/0.jsonl`.
    """
    working = stage(files, target)
    place(working, target)


def stage(files: Mapping[str, bytes], target: Path) -> Path:
    """A folder beside `target` that holds these files."""
    target.parent.mkdir(parents=True, exist_ok=True)
    working = target.parent / f"{WORKING}{target.name}-{os.getpid()}"
    shutil.rmtree(working, ignore_errors=True)
    for name, content in files.items():
        path = working / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return working


def place(working: Path, target: Path) -> None:
    """Puts a folder in the place of `target`; a reader sees the old one or the new one."""
    old = target.parent / f"{WORKING}{target.name}-{os.getpid()}-old"
    shutil.rmtree(old, ignore_errors=True)
    if target.exists():
        target.rename(old)
    working.rename(target)
    shutil.rmtree(old, ignore_errors=True)


def remove_folder(folder: Path) -> None:
    """Removes a folder, if it is there."""
    shutil.rmtree(folder, ignore_errors=True)


def read_folder(folder: Path) -> dict[str, bytes]:
    """Every file below a folder by its name inside it, in order; caches of Python are left out."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and "__pycache__" not in path.parts:
            found[name] = path.read_bytes()
    return found


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
    return tuple(path.parent for path in sorted(folder.glob("*/env.toml")) if not path.parent.name.startswith(WORKING))


def read_head(path: Path, most: int) -> bytes:
    """The first bytes of a file.

    Args:
        most: How many at most.
    """
    with path.open("rb") as opened:
        return opened.read(most)


def write_text(path: Path, text: str) -> None:
    """Replace a text file; UTF-8, lines end with a newline alone."""
    path.write_text(text, encoding="utf-8", newline="\n")
