"""Users that programs run as: each episode gets one that nobody else has."""

import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from evals.errors import EvalError

FIRST, COUNT = 62_000, 1_000
"""Numbers of users that no distribution gives to people or services."""
LOCKS = Path("/run/envfarm-seats")
ROUNDS = 200
"""Looks for processes that are still there: each look ends what the one before it missed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """A user for one episode; `uid` -1 where we may not become another user. `mark` stands in the environment of its processes."""

    uid: int
    mark: bytes = b""


def may_switch() -> bool:
    """Whether programs can run as other users here."""
    return sys.platform == "linux" and os.geteuid() == 0


@contextlib.contextmanager
def taken() -> Iterator[int]:
    """The number of a user without processes and without a name, ours until the block ends, or this process does.

    What an evaluation that was killed left running as that user is ended first.

    Raises:
        EvalError: All are in use.
    """
    import fcntl  # noqa: PLC0415 (not on every system)
    import pwd  # noqa: PLC0415

    LOCKS.mkdir(mode=0o700, exist_ok=True)
    named = {one.pw_uid for one in pwd.getpwall()}
    for uid in range(FIRST, FIRST + COUNT):
        if uid in named:
            continue
        ours = (LOCKS / str(uid)).exists()
        if not ours and _of_user(uid):
            continue
        with (LOCKS / str(uid)).open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                continue
            # Whoever had it last may have been killed before it could end its program.
            end_all(Seat(uid=uid), -1)
            yield uid
            return
    raise EvalError(f"command: expected a free user between {FIRST} and {FIRST + COUNT}, got none. Lower --concurrency.")


def end_all(seat: Seat, leader: int) -> None:
    """Ends every process of an episode: those of its user, or without one those of its session, its family, and those with its mark.

    Args:
        seat: Of the episode.
        leader: Process id of the program, which began a session of its own.
    """
    for _ in range(ROUNDS):
        found = _of_user(seat.uid) if seat.uid >= 0 else _of_episode(seat.mark, leader)
        if not found:
            return
        for process in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)


def _of_user(uid: int) -> list[int]:
    return [process for process, told in _processes() if told["Uid"].split()[0] == str(uid)]


def _of_episode(mark: bytes, leader: int) -> list[int]:
    alive = dict(_processes())
    family = {leader}
    for _ in alive:
        more = {process for process, told in alive.items() if int(told["PPid"]) in family} - family
        if not more:
            break
        family |= more
    return [process for process in alive if process != os.getpid() and (process in family or _session(process) == leader or _marked(process, mark))]


def _session(process: int) -> int:
    try:
        return os.getsid(process)
    except OSError:
        return -1


def _marked(process: int, mark: bytes) -> bool:
    try:
        return bool(mark) and mark in Path(f"/proc/{process}/environ").read_bytes()
    except OSError:
        return False


def _processes() -> Iterator[tuple[int, dict[str, str]]]:
    """Living processes with what /proc says of them; none where there is no /proc."""
    for path in Path("/proc").glob("[0-9]*/status"):
        try:
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            continue
        told = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
        if not told.get("State", "Z").startswith(("Z", "X")):
            yield int(path.parent.name), told
