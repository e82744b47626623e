"""A lock file, so that two processes never write one store."""

import contextlib
import os
import sys
from pathlib import Path
from typing import IO

from registry.errors import StoreLocked


def take_lock(folder: Path, name: str = "lock") -> IO[str]:
    """The open lock file `name` of a store's folder; closing it (or the end of the process) gives the lock back.

    Raises:
        StoreLocked: Another process holds it.
    """
    file = (folder / name).open("a+", encoding="ascii")
    try:
        _lock(file)
    except OSError:
        file.seek(0)
        holder = file.read(20).strip()
        file.close()
        who = f"process {holder}" if holder.isdigit() else "another process"
        raise StoreLocked(
            f"{folder}: expected a store that nobody writes, got one in use by {who}. Stop it, or set ENVFARM_HOME elsewhere."
        ) from None
    file.truncate(0)
    file.write(f"{os.getpid()}\n")
    file.flush()
    return file


def _lock(file: IO[str]) -> None:
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 there on that platform only

        file.seek(100)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl  # noqa: PLC0415 there on other platforms only

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def give_back(file: IO[str]) -> None:
    """Ends the lock."""
    with contextlib.suppress(OSError):
        file.close()
