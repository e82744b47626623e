"""Server and client processes of a run."""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A server that runs."""

    name: str
    pid: int
    port: int


def _variables(**more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ENVFARM_")}  # noqa: TID251 passed on to children as it is
    return {**kept, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1", **more}


@contextmanager
def running(command: Sequence[str], **more: str) -> Iterator[subprocess.Popen[str]]:
    """A process with pipes, from its start until the block is left."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=_variables(**more))
    try:
        yield process
    finally:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)
        process.kill()
        process.wait()


def first_line(process: subprocess.Popen[str], what: str) -> str:
    """The next line of its output."""
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        raise RuntimeError(f"bench: expected {what} to answer, got the end of its output. Look at what it wrote above.")
    return line


@contextmanager
def farm(home: Path, store: Path, sync: str) -> Iterator[Served]:
    """`envfarm up` over the environments of `home`, with records of its own."""
    place = store / sync
    place.mkdir()
    (place / "environments").symlink_to(home / "environments")
    command = [sys.executable, "-m", "server.cli.main", "up", "--json", "--no-build", "--no-sidecar", "--port", "0", "--control-port", "0"]
    with running(command, ENVFARM_HOME=str(place), ENVFARM_SYNC=sync) as process:
        ready = json.loads(first_line(process, "envfarm up"))
        yield Served(name=f"farm, sync {sync}", pid=process.pid, port=int(ready["agent_url"].rpartition(":")[2]))


@contextmanager
def peer(kind: str, database: Path) -> Iterator[Served]:
    """A server of `bench.peers`."""
    with running([sys.executable, "-m", "bench.peers", kind, str(database)]) as process:
        yield Served(name=kind, pid=process.pid, port=int(first_line(process, kind)))


class Client:
    """A client process."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def play(self, port: int, callers: Sequence[Sequence[bytes]]) -> None:
        """Sends the requests of all callers; returns when the last is answered."""
        assert self._process.stdin is not None
        job = {"port": port, "callers": [[one.decode("latin-1") for one in requests] for requests in callers]}
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        first_line(self._process, "the client")


@contextmanager
def client() -> Iterator[Client]:
    """The client process."""
    with running([sys.executable, "-m", "bench.client"]) as process:
        yield Client(process)
