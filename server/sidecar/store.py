"""Runs with their reports, on disk."""

import json
from pathlib import Path
from typing import IO, Any, Literal

import apsw
from pydantic import BaseModel, ConfigDict

from registry.dispatch.user import PLAIN
from registry.package.noise import NoiseSpec
from registry.package.user import UserWanted
from registry.store.lock import give_back, take_lock
from server.sidecar.curriculum_store import CurriculumStore
from server.sidecar.errors import RunNotFound

Status = Literal["running", "scored"]
_SCHEMA = """
CREATE TABLE IF NOT EXISTS run (
    run TEXT NOT NULL PRIMARY KEY, number INTEGER NOT NULL UNIQUE, task TEXT NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL, report TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS run_task ON run (task);
"""


class Run(BaseModel):
    """One attempt at a task.

    `attempt` is 2 for the repetition of an INVALID run `again`. `state_digest` is that of the initial state. `key` opens the episode.
    `call_limit` may be below that of the task. `noise_seed` is what was asked for; that of `noise` depends on the task too.
    `origin` is `RUN@CALLS` where the run began as another one after so many calls (`RUN@` after all).
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    run: str
    task: str
    environment: str
    environment_digest: str
    state_digest: str
    key: str
    mcp_url: str
    sse_url: str
    instruction: str
    rewindable: bool = False
    call_limit: int = 200
    attempt: int = 1
    again: str = ""
    noise: NoiseSpec | None = None
    noise_seed: int | None = None
    user: UserWanted = PLAIN
    origin: str = ""


class RunStore:
    """Runs in one SQLite file; survives `kill -9` of the sidecar.

    Args:
        path: Of the file; its folder is made. `:memory:` keeps nothing.

    Raises:
        StoreLocked: Another sidecar has it.
    """

    def __init__(self, path: Path | Literal[":memory:"]) -> None:
        self._lock: IO[str] | None = None
        if isinstance(path, Path):
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._lock = take_lock(path.parent, f"{path.stem}.lock")
        self._database = apsw.Connection(str(path))
        self._database.set_busy_timeout(5_000)
        self._database.execute("PRAGMA journal_mode=WAL")
        self._database.execute("PRAGMA synchronous=NORMAL")
        self._database.execute(_SCHEMA)
        self.curricula = CurriculumStore(self._database)

    def add(self, run: Run) -> None:
        """Keeps a new run."""
        self._database.execute(
            "INSERT INTO run (run, number, task, key, body) SELECT ?, coalesce(max(number), 0) + 1, ?, ?, ? FROM run",
            (run.run, run.task, run.key, run.model_dump_json()),
        )

    def get(self, run: str) -> tuple[Run, dict[str, Any] | None]:
        """The run and its report, if it was scored.

        Raises:
            RunNotFound: There is none of that id.
        """
        found = self._database.execute("SELECT body, report FROM run WHERE run = ?", (run,)).fetchone()
        if found is None:
            raise RunNotFound(run)
        return _read(*found)

    def all(self, task: str = "") -> tuple[tuple[Run, dict[str, Any] | None], ...]:
        """All runs in the order in which they were started, or those of one task."""
        query = "SELECT body, report FROM run WHERE ? IN ('', task) ORDER BY number"
        rows = self._database.execute(query, (task,)).fetchall()
        return tuple(_read(*row) for row in rows)

    def keep_report(self, run: str, report: dict[str, Any]) -> None:
        """Keeps the run's report; the first one stays."""
        text = json.dumps(report, ensure_ascii=False, sort_keys=True)
        self._database.execute("UPDATE run SET report = ? WHERE run = ? AND report IS NULL", (text, run))

    def repeated(self, run: str) -> bool:
        """Whether a repetition of that run was started."""
        return any(one.again == run for one, _ in self.all(self.get(run)[0].task))

    def close(self) -> None:
        """Closes the file."""
        self._database.close()
        if self._lock is not None:
            give_back(self._lock)


def _read(body: Any, report: Any) -> tuple[Run, dict[str, Any] | None]:
    return Run.model_validate_json(body), json.loads(report) if report else None
