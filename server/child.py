"""Runs a module as `python -m MODULE` would, but ends when stdin does: the pipe of a farm that started it, however the farm ended.

Usage: python -m server.child MODULE
"""

import os
import runpy
import signal
import sys
import threading

FAREWELL = 5.0
"""Seconds for an orderly end."""


def _end_with_stdin() -> None:
    try:
        while os.read(0, 4096):
            pass
    except OSError:
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    threading.Event().wait(FAREWELL)
    os._exit(1)


if __name__ == "__main__":
    threading.Thread(target=_end_with_stdin, name="parent", daemon=True).start()
    sys.argv = sys.argv[1:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
