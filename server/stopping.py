"""How a process that serves is told to stop, and ends in time."""

import asyncio
import atexit
import contextlib
import os
import signal
import sys
import threading
from typing import NoReturn


def stop_on_signals(seconds: float | None = None) -> asyncio.Event:
    """An event that the first SIGINT or SIGTERM sets; a second one ends the process at once.

    Args:
        seconds: So long after the first one the process ends, whatever it does: every answer that it gave is kept already.
    """
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()

    def hear(number: int) -> None:
        if stop.is_set():
            os._exit(128 + number)
        stop.set()
        if seconds is not None:
            last = threading.Timer(seconds, _end)
            last.daemon = True
            last.start()

    for one in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(one, hear, int(one))
        except NotImplementedError:  # Windows' loop has none
            signal.signal(one, lambda number, frame: loop.call_soon_threadsafe(hear, number))
    return stop


def _end() -> None:
    os.write(2, b"envfarm: stopped without waiting any longer for what was still open\n")
    os._exit(0)


def end_process(code: int) -> NoReturn:
    """Ends this process, in which everything is closed: the interpreter's own end takes a second of CPU, and on a busy machine many.

    What others want to do at its end is done; if that takes too long, the deadline of `stop_on_signals` still holds.
    """
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)
