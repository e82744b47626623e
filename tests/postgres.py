"""A PostgreSQL server of its own for tests, where its programs are installed; never root, never the machine's own server."""

import contextlib
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from server.listen import bind

PROGRAMS = ("initdb", "pg_ctl", "postgres")
OPTIONS = "-c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=50 -c shared_buffers=16MB -c log_min_messages=fatal"


def program(name: str) -> str | None:
    found = shutil.which(name)
    places = [*sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}")), *sorted(Path("/usr").glob(f"pgsql*/bin/{name}"))]
    return found or (str(places[-1]) if places else None)


def missing() -> str:
    """Why there is no server to test on, or the empty string."""
    gone = [name for name in PROGRAMS if program(name) is None]
    if gone:
        return f"{', '.join(gone)} of PostgreSQL {'is' if len(gone) == 1 else 'are'} not installed"
    try:
        import alembic  # noqa: F401
        import psycopg  # noqa: F401
    except ImportError as error:
        return f"the extra postgres is not installed: {error}"
    return ""


class Server:
    """One server; `database()` makes a new database and gives its URL."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = itertools.count(1)
        with bind("127.0.0.1", 0, "--port") as free:
            self.port = int(free.getsockname()[1])
        if os.getuid() == 0:
            self._user = next((one.pw_name for one in pwd.getpwall() if one.pw_name in ("postgres", "nobody")), "nobody")
            shutil.chown(folder, self._user)
        else:
            self._user = ""
        self._run("initdb", "--no-sync", "--username=farm", "--auth=trust", "--encoding=UTF8", "--locale=C", "-D", str(folder / "data"))

    def start(self) -> None:
        self._run("pg_ctl", "-w", "-D", self._data, "-l", str(self._folder / "log"), "-o", f"{OPTIONS} -p {self.port} -k {self._folder}", "start")

    def stop(self, how: str = "fast") -> None:
        self._run("pg_ctl", "-w", "-D", self._data, "-m", how, "stop")

    def kill(self) -> None:
        """Signal 9 to all of its processes; what they had not written is lost."""
        postmaster = int((self._folder / "data/postmaster.pid").read_text().split()[0])
        pids = [postmaster, *children_of(postmaster)]
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        while [pid for pid in pids if runs(pid)]:
            os.sched_yield()
        # A first process that does not reap leaves a number that looks alive; the next start would refuse.
        for lock in (self._folder / "data/postmaster.pid", self._folder / f".s.PGSQL.{self.port}.lock"):
            lock.unlink(missing_ok=True)

    def database(self) -> str:
        import psycopg

        name = f"farm{next(self._numbers)}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return self.url(name)

    def url(self, database: str) -> str:
        return f"postgresql://farm@127.0.0.1:{self.port}/{database}"

    @property
    def _data(self) -> str:
        return str(self._folder / "data")

    def _run(self, name: str, *words: str) -> None:
        path = program(name)
        assert path is not None
        errors = (self._folder / "err").open("w")
        done = subprocess.run(
            [path, *words],
            user=self._user or None,
            cwd=self._folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            env={"PATH": os.defpath, "LC_ALL": "C"},
            timeout=300,
            check=False,
        )
        errors.close()
        assert done.returncode == 0, (self._folder / "err").read_text() + (self._folder / "log").read_text()[-2000:]


def children_of(parent: int) -> list[int]:
    """Numbers of the processes that this one started."""
    found = []
    for place in Path("/proc").glob("[0-9]*/status"):
        with contextlib.suppress(OSError):
            if f"\nPPid:\t{parent}\n" in place.read_text():
                found.append(int(place.parent.name))
    return found


def runs(pid: int) -> bool:
    """Whether there is such a process that has not ended."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


@contextmanager
def postgres_server() -> Iterator[Server]:
    """A server, from its first start until the block is left; its files lie in a folder that is removed."""
    with tempfile.TemporaryDirectory(prefix="envfarm-postgres-") as folder:
        server = Server(Path(folder))
        server.start()
        try:
            yield server
        finally:
            server.stop("immediate")
