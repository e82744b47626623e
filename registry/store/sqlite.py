"""Records in one SQLite file."""

import asyncio
import logging
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Literal, cast

import apsw

from registry.errors import EpisodeCorrupt, StoreError
from registry.record import Written, parent_of
from registry.store.group import GroupCommit
from registry.store.lock import give_back, take_lock
from registry.store.pending import Settled, Statement
from registry.store.protocol import Kept, NewEpisode, StoredEpisode, StoredStatus

_log = logging.getLogger(__name__)

FORMAT = 2
CHANGED = "The records were changed or damaged."
NOTES_AFTER = 0.25
"""Seconds after which notes are written: they only narrow what a crash leaves in doubt."""
CHECKPOINT_PAGES = 2000

_SCHEMA = """
CREATE TABLE episodes (
  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, spec BLOB NOT NULL, scenario TEXT NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL DEFAULT '',
  interrupted INTEGER NOT NULL DEFAULT 0, answered INTEGER NOT NULL, state_seq INTEGER NOT NULL, state_digest TEXT NOT NULL,
  made INTEGER NOT NULL DEFAULT 0, used INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE records (at INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT;
CREATE TABLE scenarios (digest TEXT NOT NULL PRIMARY KEY, body BLOB NOT NULL) STRICT;
"""
_FROM = {
    1: """
ALTER TABLE episodes ADD COLUMN made INTEGER NOT NULL DEFAULT 0;
ALTER TABLE episodes ADD COLUMN used INTEGER NOT NULL DEFAULT 0;
UPDATE episodes SET made = unixepoch(), used = unixepoch();
"""
}
"""What brings a file of an earlier format to the next one."""
RECORDS = 1 << 24
"""Most records of an episode. A record lies at episode * RECORDS + seq: an episode's records lie side by side, and one integer finds them."""
_UNANSWERED = f"""
UPDATE episodes SET interrupted = 1 WHERE interrupted = 0 AND EXISTS
(SELECT 1 FROM records WHERE at > episodes.id * {RECORDS} + episodes.answered AND at < (episodes.id + 1) * {RECORDS})
"""  # noqa: S608 a constant
_CREATE = (
    "INSERT INTO episodes (id, key, spec, scenario, status, answered, state_seq, state_digest, made, used) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, unixepoch(), unixepoch())"
)
_APPEND = "INSERT INTO records (at, body) VALUES (?, ?)"
_COPY = "INSERT INTO records (at, body) SELECT at + ?, body FROM records WHERE at > ? AND at <= ?"
_BACKWARDS = "SELECT at, body FROM records WHERE at > ? AND at <= ? ORDER BY at DESC"
_RECORDS = "SELECT body FROM records WHERE at > ? AND at < ? ORDER BY at"
_KEPT = "SELECT id, key, status, unixepoch() - used, unixepoch() - made FROM episodes ORDER BY id"
_ANSWERED = "UPDATE episodes SET answered = ?, used = unixepoch() WHERE id = ?"
_STATUS = "UPDATE episodes SET status = ?, reason = ? WHERE id = ?"
_FIND = "SELECT id, key, spec, scenario, status, reason, interrupted, answered, state_seq, state_digest FROM episodes WHERE key = ?"


class SqliteStore:
    """Implements `registry.store.protocol.RecordStore` in `folder`/records.sqlite.

    Args:
        folder: Made if it is missing, for this user alone.
        sync: `normal` survives kill -9, `full` survives power loss too.
        locks: Files of the folder that are locked while it is open.
    """

    def __init__(self, folder: Path, *, sync: Literal["normal", "full"] = "normal", locks: Sequence[str] = ("lock",)) -> None:
        self._folder = folder
        self._lock_names = tuple(locks)
        self._sync = sync
        self._answered: dict[int, int] = {}
        self._states: dict[int, tuple[int, str]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._checkpointing = False
        self._bulk: asyncio.Future[None] | None = None
        self._wal_pages = 0

    async def open(self) -> None:
        """Takes the lock, opens the file, marks what a crash left in doubt."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._locks: list[IO[str]] = []
        try:
            for name in self._lock_names:
                self._locks.append(take_lock(self._folder, name))
            self._database = self._connect()
            self._next = int(next(self._database.execute("SELECT coalesce(max(id), 0) FROM episodes"))[0]) + 1
            self._database.execute(_UNANSWERED)
            self._reader = apsw.Connection(str(self._path), flags=apsw.SQLITE_OPEN_READONLY)
            self._mover = apsw.Connection(str(self._path))
            # A connection that has not read yet does not know that there is a write-ahead log to move.
            self._mover.execute("SELECT 1 FROM sqlite_schema").fetchall()
        except apsw.Error as error:
            self._give_back()
            raise StoreError(
                f"{self._path}: expected records of format {FORMAT}, got {type(error).__name__}: {error}. Move the file away."
            ) from error
        except StoreError:
            self._give_back()
            raise
        self._group = GroupCommit(self._database, threaded=self._sync == "full")
        self._checkpointer = ThreadPoolExecutor(1, "envfarm-checkpoint")

    async def close(self) -> None:
        """Writes notes and everything pending; the file is whole and unlocked afterwards."""
        await self._group.drain()
        if self._timer is not None:
            self._timer.cancel()
        self._write_notes()
        if self._bulk is not None:
            await asyncio.wait([self._bulk])
        self._checkpointer.shutdown(wait=True)
        await self._group.close()
        self._mover.close()
        self._reader.close()
        self._database.close()
        self._give_back()

    def create(self, new: NewEpisode) -> "tuple[int, asyncio.Future[None]]":
        """Keeps a new episode; gives its number."""
        number = self._next
        self._next += 1
        scenario = ""
        statements: list[Statement] = []
        if new.scenario is not None:
            scenario = new.scenario[0]
            statements.append(("INSERT OR IGNORE INTO scenarios (digest, body) VALUES (?, ?)", new.scenario))
        last = new.records[-1].seq if new.records else 0
        if new.copied is not None:
            source, last = new.copied
            base = source * RECORDS
            statements.append((_COPY, ((number - source) * RECORDS, base, base + last)))
        state_seq = -1 if new.records else last
        row = (number, new.key, new.spec, scenario, new.status, last, state_seq, new.state_digest)
        made: list[Statement] = [*statements, (_CREATE, row), *((_APPEND, (number * RECORDS + one.seq, one.body)) for one in new.records)]
        return number, self._group.write(made)

    def append(self, episode: int, record: Written, status: StoredStatus | None, reason: str, settled: Settled) -> "asyncio.Future[None]":
        """Adds a record, and with it a new status if one is given."""
        row: Statement = (_APPEND, (episode * RECORDS + record.seq, record.body))
        if self._wal_pages >= CHECKPOINT_PAGES and not self._checkpointing:
            self._plan_checkpoint()
        return self._group.write((row,) if status is None else (row, (_STATUS, (status, reason, episode))), settled)

    def mark(self, episode: int, status: StoredStatus, reason: str = "") -> "asyncio.Future[None]":
        """Changes the status."""
        return self._group.write(((_STATUS, (status, reason, episode)),))

    def rename(self, episode: int, key: str) -> "asyncio.Future[None]":
        """Gives an episode another key."""
        return self._group.write((("UPDATE episodes SET key = ? WHERE id = ?", (key, episode)),))

    def note_answered(self, episode: int, seq: int) -> None:
        """The call of this record was answered."""
        self._answered[episode] = seq
        self._plan_notes()

    def note_state(self, episode: int, seq: int, digest: str) -> None:
        """The state after this record has this digest."""
        self._states[episode] = (seq, digest)
        self._plan_notes()

    async def find(self, key: str) -> StoredEpisode | None:
        """The episode of that key."""
        rows = self._read(_FIND, key)
        if not rows:
            return None
        number, key, spec, scenario, status, reason, interrupted, answered, state_seq, digest = cast(
            "tuple[int, str, bytes, str, StoredStatus, str, int, int, int, str]", rows[0]
        )
        state_seq, digest = self._states.get(number, (state_seq, digest))
        return StoredEpisode(
            id=number,
            key=key,
            spec=spec,
            scenario=scenario,
            status=status,
            reason=reason,
            interrupted=bool(interrupted),
            answered=answered,
            state_seq=state_seq,
            state_digest=digest,
        )

    async def records(self, episode: int) -> tuple[bytes, ...]:
        """Bodies of all records in order."""
        return tuple(cast("bytes", row[0]) for row in self._read(_RECORDS, episode * RECORDS, (episode + 1) * RECORDS))

    async def branch(self, episode: int) -> tuple[bytes, ...]:
        """Bodies of the last record and its ancestors, oldest first."""
        base, wanted = episode * RECORDS, RECORDS - 1
        path: list[bytes] = []
        while wanted:
            known = len(path)
            for at, body in self._each(_BACKWARDS, base, base + wanted):
                if path and at != base + wanted:
                    break  # records of a branch that was left lie between: look again from the parent
                path.append(cast("bytes", body))
                wanted = parent_of(path[-1])
                if not 0 <= wanted < cast("int", at) - base:
                    raise EpisodeCorrupt(f"log: expected a record before record {cast('int', at) - base} as its parent, got {wanted}. {CHANGED}")
            if len(path) == known:
                break
        return tuple(reversed(path))

    async def scenario(self, digest: str) -> bytes:
        """JSON of the initial rows kept under that digest."""
        rows = self._read("SELECT body FROM scenarios WHERE digest = ?", digest)
        if not rows:
            raise StoreError(f"{self._path}: expected scenario {digest}, got none. The records are not whole: restore them from a copy.")
        return cast("bytes", rows[0][0])

    async def open_episodes(self) -> int:
        """How many episodes are open."""
        return cast("int", self._read("SELECT count(*) FROM episodes WHERE status = 'open'")[0][0])

    async def keys(self) -> tuple[str, ...]:
        """Keys of all episodes, oldest first."""
        return tuple(str(row[0]) for row in self._read("SELECT key FROM episodes ORDER BY id"))

    async def kept(self) -> tuple[Kept, ...]:
        """All episodes, oldest first."""
        rows = cast("list[tuple[int, str, StoredStatus, int, int]]", self._read(_KEPT))
        return tuple(Kept(id=id, key=key, status=status, idle=max(0, idle), age=max(0, age)) for id, key, status, idle, age in rows)

    def delete(self, episodes: Sequence[int]) -> "asyncio.Future[None]":
        """Forgets episodes with their records, and initial rows that no episode starts from any more."""
        statements: list[Statement] = []
        for episode in episodes:
            self._answered.pop(episode, None)
            self._states.pop(episode, None)
            statements.append(("DELETE FROM records WHERE at > ? AND at < ?", (episode * RECORDS, (episode + 1) * RECORDS)))
            statements.append(("DELETE FROM episodes WHERE id = ?", (episode,)))
        statements.append(("DELETE FROM scenarios WHERE digest NOT IN (SELECT scenario FROM episodes)", ()))
        return self._group.write(statements)

    def trouble(self) -> str:
        """Why nothing can be written at the moment, or an empty text."""
        return self._group.trouble

    def _read(self, sql: str, *values: str | int) -> list[tuple[object, ...]]:
        return list(self._each(sql, *values))

    def _each(self, sql: str, *values: str | int) -> Iterator[tuple[object, ...]]:
        try:
            yield from self._reader.execute(sql, values)
        except apsw.Error as error:
            raise StoreError(f"{self._path}: expected to read records, got {type(error).__name__}: {error}. Check the disk.") from error

    def _give_back(self) -> None:
        for lock in self._locks:
            give_back(lock)

    @property
    def _path(self) -> Path:
        return self._folder / "records.sqlite"

    def _connect(self) -> apsw.Connection:
        database = apsw.Connection(str(self._path))
        database.execute("PRAGMA journal_mode=WAL")
        database.execute(f"PRAGMA synchronous={self._sync.upper()}")
        found = database.pragma("user_version")
        if found == 0:
            with database:
                database.execute(_SCHEMA)
                database.execute(f"PRAGMA user_version={FORMAT}")
        elif 0 < found < FORMAT:
            with database:
                for older in range(found, FORMAT):
                    database.execute(_FROM[older])
                database.execute(f"PRAGMA user_version={FORMAT}")
        elif found != FORMAT:
            database.close()
            raise StoreError(f"{self._path}: expected records of format {FORMAT}, got format {found}. Use the version of envfarm that wrote them.")
        database.set_wal_hook(self._note_wal)
        return database

    def _note_wal(self, database: apsw.Connection, name: str, pages: int) -> int:
        self._wal_pages = pages
        return apsw.SQLITE_OK

    def _plan_checkpoint(self) -> None:
        """Moves the write-ahead log into the file in a thread: the loop never waits for that.

        The bulk is moved while records are still written; then writing pauses for the few pages that came meanwhile, so that the log, being
        empty at that moment, starts over instead of growing on.
        """
        self._checkpointing = True
        self._bulk = asyncio.get_running_loop().run_in_executor(self._checkpointer, self._run_checkpoint)
        self._bulk.add_done_callback(lambda _: self._group.pause(self._end_checkpoint))

    def _run_checkpoint(self) -> None:
        try:
            self._mover.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        except apsw.Error:
            _log.exception("the write-ahead log could not be moved; it is tried again")

    def _end_checkpoint(self) -> None:
        self._run_checkpoint()
        self._wal_pages = 0
        self._checkpointing = False

    def _plan_notes(self) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(NOTES_AFTER, self._write_notes)

    def _write_notes(self) -> None:
        self._timer = None
        answered, self._answered = self._answered, {}
        states, self._states = self._states, {}
        notes: list[Statement] = [
            ("UPDATE episodes SET answered = ?, used = unixepoch() WHERE id = ?", (seq, episode)) for episode, seq in answered.items()
        ]
        notes += [("UPDATE episodes SET state_seq = ?, state_digest = ? WHERE id = ?", (*state, episode)) for episode, state in states.items()]
        if notes:
            self._group.write_later(notes)
