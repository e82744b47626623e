"""The process's own stdin and stdout as a wire: one JSON-RPC message a line, nothing else.

`claim()` runs before anything is imported that might print: it keeps a private copy of stdout and points file descriptor 1 at stderr, so that
whatever prints later, in this process or a child, cannot reach the wire.
"""

import os
import select
import sys
import threading
from collections.abc import Callable

PIPE_ROOM = 4096
"""Bytes that a pipe takes at once when it says it can be written to."""

_claimed: list[int] = []


def claim() -> int:
    """Keeps stdout for the wire; later calls give the same descriptor."""
    if not _claimed:
        sys.stdout.flush()
        _claimed.append(os.dup(1))
        os.dup2(2, 1)
    return _claimed[0]


def write_line(fd: int, line: bytes) -> None:
    """Writes all of `line` and a newline; blocks while the reader is slow.

    Raises:
        OSError: nobody reads any more.
    """
    rest = memoryview(line + b"\n")
    while rest:
        rest = rest[os.write(fd, rest) :]


def takes_now(fd: int, size: int) -> bool:
    """Whether `size` bytes can be written without waiting."""
    if sys.platform == "win32" or size >= PIPE_ROOM:
        return False
    return bool(select.select([], [fd], [], 0)[1])


def read_lines(fd: int, each: Callable[[bytes], None], ended: Callable[[], object]) -> threading.Thread:
    """Starts a daemon thread that gives each line of `fd` to `each`, in order, and calls `ended` at the end of the input."""

    def work() -> None:
        with os.fdopen(fd, "rb", closefd=False) as lines:
            try:
                for line in lines:
                    if line.strip():
                        each(line)
            except (OSError, ValueError, RuntimeError):  # the loop has gone, or the descriptor: both are the end
                pass
            finally:
                ended()

    thread = threading.Thread(target=work, name="stdin", daemon=True)
    thread.start()
    return thread
