"""What a program cannot see: a mount namespace of its own, in which given places are empty."""

import ctypes
import os
import stat
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

NEW_MOUNTS, NEW_USER = 0x0002_0000, 0x1000_0000
"""Of unshare."""
READ_ONLY, NO_SUID, NO_DEVICES, NO_PROGRAMS, BIND, ALL_BELOW, PRIVATE = 1, 2, 4, 8, 4096, 16384, 1 << 18
"""Of mount."""
PROBE = """
import os, sys
def seen(place):
    try:
        return bool(os.listdir(place)) if os.path.isdir(place) else os.path.getsize(place) > 0
    except OSError:
        return False
sys.exit(any(map(seen, sys.argv[1:])))
"""
PROBE_SECONDS = 30


def outermost(places: Iterable[Path]) -> tuple[Path, ...]:
    """The places without those that lie within another of them, links followed, in order."""
    found: list[Path] = []
    for place in sorted({one.resolve() for one in places}):
        if not any(place.is_relative_to(one) for one in found):
            found.append(place)
    return tuple(found)


def can_hide(places: Sequence[Path]) -> bool:
    """Whether a child of this process can be kept from seeing them: found out with one that tries."""
    if sys.platform != "linux":
        return False
    words = [sys.executable, "-I", "-S", "-c", PROBE, *map(str, places)]
    try:
        return subprocess.run(words, preexec_fn=lambda: hide(places), capture_output=True, timeout=PROBE_SECONDS).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False


def hide(places: Sequence[Path]) -> None:
    """Puts this process where the places that exist are empty; to be called in a child, before it gives up its rights.

    Who is not root first becomes the only user of a namespace of users. What is mounted here cannot be taken away from within
    another such namespace, as Linux locks mounts that come from one with more rights.

    Source: https://man7.org/linux/man-pages/man7/mount_namespaces.7.html

    Raises:
        OSError: The system does not allow it.
    """
    library = ctypes.CDLL(None, use_errno=True)
    _enter(library)
    _done(library.mount(None, b"/", None, ALL_BELOW | PRIVATE, None))
    for place in places:
        if place.is_dir():
            flags = READ_ONLY | NO_SUID | NO_DEVICES | NO_PROGRAMS
            _done(library.mount(b"tmpfs", os.fsencode(place), b"tmpfs", flags, b"mode=0,size=4k"))
        elif place.exists():
            _done(library.mount(b"/dev/null", os.fsencode(place), None, BIND, None))


def open_to_others(place: Path) -> bool:
    """Whether a user without any right of his own can read something there."""
    if not place.exists() or not all(one.stat().st_mode & stat.S_IXOTH for one in place.parents):
        return False
    return bool(place.stat().st_mode & (stat.S_IXOTH | stat.S_IROTH if place.is_dir() else stat.S_IROTH))


def _enter(library: ctypes.CDLL) -> None:
    if os.geteuid() == 0:
        _done(library.unshare(NEW_MOUNTS))
        return
    user, group = os.geteuid(), os.getegid()
    _done(library.unshare(NEW_USER | NEW_MOUNTS))
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        Path("/proc/self", name).write_text(text)


def _done(returned: int) -> None:
    if returned != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
