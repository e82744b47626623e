"""One program as a process of its own user, with bounded output, ended with all its children."""

import asyncio
import contextlib
import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evals.agents.hiding import hide
from evals.agents.seats import Seat, end_all
from evals.errors import EvalError

KEPT_BYTES = 64 * 1024
"""Of each of stdout and stderr, the last ones."""
FILE_BYTES = 1 << 30
PROCESSES = 2_048
NO_NEW_PRIVILEGES, DEATH_SIGNAL = 38, 1
"""Of prctl."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a program ended: its exit code (negative: the signal), the last of what it said."""

    code: int
    said: str
    complained: str


async def run_program(words: Sequence[str], folder: Path, variables: Mapping[str, str], seat: Seat, hidden: Sequence[Path] = ()) -> Ended:
    """Runs a program to its end, or until this is cancelled; nothing of it runs afterwards.

    Args:
        words: Program and arguments.
        folder: Where it works.
        variables: All environment variables that it gets.
        seat: The user that it runs as.
        hidden: Places that are empty for it.

    Raises:
        EvalError: It cannot be started.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            *words,
            cwd=folder,
            env=dict(variables),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            preexec_fn=_becoming(seat.uid, hidden),
        )
    except subprocess.SubprocessError as error:
        raise EvalError(f"command: expected a program that can be kept apart, got a system that refuses it ({error}). Pass --no-sandbox.") from error
    except OSError as error:
        raise EvalError(f"command: expected a program that can be started, got {words[0]} ({error.strerror}). Mend --agent.") from error
    assert process.stdout is not None
    assert process.stderr is not None
    readers = [asyncio.create_task(_tail(process.stdout)), asyncio.create_task(_tail(process.stderr))]
    try:
        code = await process.wait()
    finally:
        # Off the loop: a program that forks all the time takes several looks.
        await asyncio.shield(asyncio.to_thread(end_all, seat, process.pid))
        with contextlib.suppress(ProcessLookupError):
            process.kill()
    said, complained = await asyncio.gather(*readers)
    return Ended(code=code, said=said, complained=complained)


def _becoming(uid: int, hidden: Sequence[Path]) -> Callable[[], None]:
    """What the child does before it becomes the program."""
    library = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None

    def become() -> None:
        os.setsid()
        os.umask(0o077)
        if hidden:
            hide(hidden)
        if sys.platform != "win32":
            import resource  # noqa: PLC0415 (not on every system)

            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))
            if uid >= 0:
                resource.setrlimit(resource.RLIMIT_NPROC, (PROCESSES, PROCESSES))
        if uid >= 0:
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
        if library is not None:
            library.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
            library.prctl(DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)

    return become


async def _tail(stream: asyncio.StreamReader) -> str:
    """The last bytes that come, as text."""
    kept = b""
    while piece := await stream.read(1 << 16):
        kept = (kept + piece)[-KEPT_BYTES:]
    return kept.decode("utf-8", errors="replace")
