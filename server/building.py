"""Whether something is being built in a home, and by which process, so that what is not there yet is not called unknown."""

import contextlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from registry.home import Home

try:
    import fcntl
except ImportError:  # not on every system: there nobody is told
    fcntl = None  # type: ignore[assignment]

NOTE = "building"


@contextmanager
def building(home: Home) -> Iterator[None]:
    """Notes that this process builds in the home, for as long as the block, or the process, lasts."""
    if fcntl is None:
        yield
        return
    home.root.mkdir(parents=True, exist_ok=True)
    with (home.root / NOTE).open("a+", encoding="ascii") as file:
        # Shared: several may build in one home, each waits for what the other is at.
        fcntl.flock(file, fcntl.LOCK_SH)
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


def builder(home: Home) -> int:
    """The process that builds in the home, one of them if there are several; 0 if there is none."""
    place = home.root / NOTE
    if fcntl is None:
        return 0
    with contextlib.suppress(OSError, ValueError), place.open(encoding="ascii") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return int(file.read())
    return 0


def advice(home: Home) -> str:
    """What to do about something that is not built in the home."""
    process = builder(home)
    if not process:
        return "Run `envfarm build` first."
    return f"It is being built by process {process}, or will be: what is made shows in `envfarm list` and `envfarm tasks list`."


def absent(what: str, place: Path, home: Home) -> str:
    """The sentence about `what` that was looked for in `place` in vain."""
    return f"{place}: expected {what}, got none{' yet' if builder(home) else ''}. {advice(home)}"
