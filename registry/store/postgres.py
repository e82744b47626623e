"""Records on a PostgreSQL server."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Any, cast

import psycopg
from psycopg import AsyncConnection

from registry.errors import EpisodeCorrupt, StoreError, StoreLocked
from registry.record import Written, parent_of
from registry.store.migrate import migrate
from registry.store.pending import Pending, Settled, Statement, settle
from registry.store.postgres_url import LOCK, conninfo
from registry.store.protocol import Kept, NewEpisode, StoredEpisode, StoredStatus

_log = logging.getLogger(__name__)

CONNECT_SECONDS = 5
NOTES_AFTER = 0.25
NOW = "extract(epoch from now())::bigint"

_CREATE = (
    "INSERT INTO episodes (id, key, spec, scenario, status, answered, state_seq, state_digest, made, used) "  # noqa: S608 (a constant)
    f"VALUES (%s, %s, %s, %s, %s, %s, %s, %s, {NOW}, {NOW})"
)
_APPEND = "INSERT INTO records (episode, seq, body) VALUES (%s, %s, %s)"
_COPY = "INSERT INTO records (episode, seq, body) SELECT %s, seq, body FROM records WHERE episode = %s AND seq <= %s"
_STATUS = "UPDATE episodes SET status = %s, reason = %s WHERE id = %s"
_UNANSWERED = (
    "UPDATE episodes SET interrupted = true WHERE NOT interrupted AND EXISTS "
    "(SELECT 1 FROM records WHERE episode = episodes.id AND seq > episodes.answered)"
)
_FIND = "SELECT id, key, spec, scenario, status, reason, interrupted, answered, state_seq, state_digest FROM episodes WHERE key = %s"
_KEPT = f"SELECT id, key, status, {NOW} - used, {NOW} - made FROM episodes ORDER BY id"  # noqa: S608 (a constant)


class PostgresStore:
    """Implements `registry.store.protocol.RecordStore` on a server. One farm at a time works on a database, or one worker on its schema.

    A commit is durable as the server is set up to make it (`synchronous_commit`). When the server goes away, calls fail with StoreError until
    it is back; a call whose commit was under way may have been kept: the episode is then rebuilt with it.

    Args:
        url: `postgresql://host/database, with user and password before the host`.
        worker: Number of the worker whose records these are; 0: of a farm without workers.
    """

    def __init__(self, url: str, worker: int = 0) -> None:
        self._url = url
        self._worker = worker
        self._writer: AsyncConnection[Any] | None = None
        self._reader: AsyncConnection[Any] | None = None
        self._reading = asyncio.Lock()
        self._waiting: list[Pending] = []
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self._answered: dict[int, int] = {}
        self._states: dict[int, tuple[int, str]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._trouble = ""

    async def open(self) -> None:
        """Takes the lock, brings the tables to the newest format, marks what a crash left in doubt."""
        try:
            self._writer = await self._connect(lock=True)
            await asyncio.to_thread(migrate, self._url, worker=self._worker)
            await self._writer.execute(_UNANSWERED)
            found = await (await self._writer.execute("SELECT coalesce(max(id), 0) FROM episodes")).fetchone()
        except StoreError:
            await self._close(self._writer)
            raise
        except Exception as error:
            # The migration tool has errors of its own; whatever it was, the records cannot be used.
            await self._close(self._writer)
            raise StoreError(f"ENVFARM_STORE: expected a PostgreSQL database, got {type(error).__name__}: {_first_line(error)}.") from error
        self._next = int(cast("tuple[int]", found)[0]) + 1
        self._idle.set()
        self._work = asyncio.create_task(self._write_groups())

    async def close(self) -> None:
        """Writes notes and everything pending."""
        if self._timer is not None:
            self._timer.cancel()
        self._write_notes()
        await self._idle.wait()
        self._work.cancel()
        await asyncio.wait([self._work])
        await self._close(self._writer)
        await self._close(self._reader)

    def create(self, new: NewEpisode) -> "tuple[int, asyncio.Future[None]]":
        """Keeps a new episode; gives its number."""
        number = self._next
        self._next += 1
        scenario = ""
        statements: list[Statement] = []
        if new.scenario is not None:
            scenario = new.scenario[0]
            statements.append(("INSERT INTO scenarios (digest, body) VALUES (%s, %s) ON CONFLICT DO NOTHING", new.scenario))
        last = new.records[-1].seq if new.records else 0
        if new.copied is not None:
            source, last = new.copied
            statements.append((_COPY, (number, source, last)))
        state_seq = -1 if new.records else last
        row = (number, new.key, new.spec, scenario, new.status, last, state_seq, new.state_digest)
        made: list[Statement] = [*statements, (_CREATE, row), *((_APPEND, (number, one.seq, one.body)) for one in new.records)]
        return number, self._write(made)

    def append(self, episode: int, record: Written, status: StoredStatus | None, reason: str, settled: Settled) -> "asyncio.Future[None]":
        """Adds a record, and with it a new status if one is given."""
        row: Statement = (_APPEND, (episode, record.seq, record.body))
        return self._write((row,) if status is None else (row, (_STATUS, (status, reason, episode))), settled)

    def mark(self, episode: int, status: StoredStatus, reason: str = "") -> "asyncio.Future[None]":
        """Changes the status."""
        return self._write(((_STATUS, (status, reason, episode)),))

    def rename(self, episode: int, key: str) -> "asyncio.Future[None]":
        """Gives an episode another key."""
        return self._write((("UPDATE episodes SET key = %s WHERE id = %s", (key, episode)),))

    def delete(self, episodes: Sequence[int]) -> "asyncio.Future[None]":
        """Forgets episodes with their records, and initial rows that no episode starts from any more."""
        for episode in episodes:
            self._answered.pop(episode, None)
            self._states.pop(episode, None)
        numbers = list(episodes)
        return self._write(
            (
                ("DELETE FROM records WHERE episode = ANY(%s)", (numbers,)),
                ("DELETE FROM episodes WHERE id = ANY(%s)", (numbers,)),
                ("DELETE FROM scenarios WHERE digest NOT IN (SELECT scenario FROM episodes)", ()),
            )
        )

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
        rows = await self._read(_FIND, key)
        if not rows:
            return None
        names = ("id", "key", "spec", "scenario", "status", "reason", "interrupted", "answered", "state_seq", "state_digest")
        told: dict[str, Any] = dict(zip(names, rows[0], strict=True))
        told["spec"] = bytes(told["spec"])
        if told["id"] in self._states:
            told["state_seq"], told["state_digest"] = self._states[told["id"]]
        return StoredEpisode(**told)

    async def records(self, episode: int) -> tuple[bytes, ...]:
        """Bodies of all records in order."""
        return tuple(bytes(body) for (body,) in await self._read("SELECT body FROM records WHERE episode = %s ORDER BY seq", episode))

    async def branch(self, episode: int) -> tuple[bytes, ...]:
        """Bodies of the last record and its ancestors, oldest first."""
        found = await self._read("SELECT seq, body FROM records WHERE episode = %s ORDER BY seq", episode)
        bodies = {int(seq): bytes(body) for seq, body in found}
        path: list[bytes] = []
        at = int(found[-1][0]) if found else 0
        while at in bodies:
            path.append(bodies[at])
            parent = parent_of(bodies[at])
            if not 0 <= parent < at:
                raise EpisodeCorrupt(f"log: expected a record before record {at} as its parent, got {parent}. The records were changed.")
            at = parent
        return tuple(reversed(path))

    async def scenario(self, digest: str) -> bytes:
        """JSON of the initial rows kept under that digest."""
        rows = await self._read("SELECT body FROM scenarios WHERE digest = %s", digest)
        if not rows:
            raise StoreError(f"records: expected scenario {digest}, got none. The records are not whole: restore them from a copy.")
        return bytes(rows[0][0])

    async def open_episodes(self) -> int:
        """How many episodes are open."""
        return int((await self._read("SELECT count(*) FROM episodes WHERE status = 'open'"))[0][0])

    async def keys(self) -> tuple[str, ...]:
        """Keys of all episodes, oldest first."""
        return tuple(str(key) for (key,) in await self._read("SELECT key FROM episodes ORDER BY id"))

    async def kept(self) -> tuple[Kept, ...]:
        """All episodes, oldest first."""
        rows = await self._read(_KEPT)
        return tuple(Kept(id=id, key=key, status=status, idle=max(0, idle), age=max(0, age)) for id, key, status, idle, age in rows)

    def trouble(self) -> str:
        """Why nothing can be written at the moment, or an empty text."""
        return self._trouble

    async def _connect(self, *, lock: bool) -> AsyncConnection[Any]:
        try:
            made = await AsyncConnection.connect(conninfo(self._url, self._worker), autocommit=True, connect_timeout=CONNECT_SECONDS)
        except psycopg.Error as error:
            raise StoreError(f"ENVFARM_STORE: expected a PostgreSQL server, got {type(error).__name__}: {_first_line(error)}.") from error
        if lock:
            taken = await (await made.execute("SELECT pg_try_advisory_lock(%s)", (LOCK + self._worker,))).fetchone()
            if not cast("tuple[bool]", taken)[0]:
                await made.close()
                raise StoreLocked("ENVFARM_STORE: expected a database that nobody writes, got one in use by another farm. Stop it, or use another.")
        return made

    async def _close(self, connection: AsyncConnection[Any] | None) -> None:
        if connection is not None:
            await connection.close()

    async def _read(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """Rows; tries once more on a new connection when the old one was lost."""
        async with self._reading:
            for attempt in (1, 2):
                try:
                    if self._reader is None or self._reader.closed:
                        self._reader = await self._connect(lock=False)
                    return await (await self._reader.execute(cast("Any", sql), values)).fetchall()
                except psycopg.Error as error:
                    await self._close(self._reader)
                    self._reader = None
                    if attempt == 2 or not isinstance(error, psycopg.OperationalError):
                        raise StoreError(f"records: expected to read, got {type(error).__name__}: {_first_line(error)}.") from error
        raise AssertionError

    def _write(self, statements: Sequence[Statement], settled: Settled | None = None) -> "asyncio.Future[None]":
        ticket: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._add((statements, ticket, settled))
        return ticket

    def _add(self, one: Pending) -> None:
        self._waiting.append(one)
        self._idle.clear()
        self._wake.set()

    async def _write_groups(self) -> None:
        """Writes of many episodes in one transaction, while there are any."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            group, self._waiting = self._waiting, []
            if group:
                error = await self._commit([statement for statements, _, _ in group for statement in statements])
                self._trouble = str(error) if error else ""
                settle(group, error)
            if not self._waiting:
                self._idle.set()

    async def _commit(self, statements: Sequence[Statement]) -> StoreError | None:
        try:
            if self._writer is not None and _left(self._writer):
                await self._close(self._writer)
                self._writer = None
            if self._writer is None or self._writer.closed:
                self._writer = await self._connect(lock=True)
            async with self._writer.pipeline(), self._writer.transaction():
                for sql, values in statements:
                    await self._writer.execute(cast("Any", sql), values)
        except StoreError as error:
            return error
        except psycopg.Error as error:
            _log.warning("records could not be written: %s", _first_line(error))
            if isinstance(error, psycopg.OperationalError):
                await self._close(self._writer)
                self._writer = None
            return StoreError(f"store: expected to write a record, got {type(error).__name__}: {_first_line(error)}. Look at the database server.")
        return None

    def _plan_notes(self) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(NOTES_AFTER, self._write_notes)

    def _write_notes(self) -> None:
        self._timer = None
        answered, self._answered = self._answered, {}
        states, self._states = self._states, {}
        notes: list[Statement] = [
            (f"UPDATE episodes SET answered = %s, used = {NOW} WHERE id = %s", (seq, episode))  # noqa: S608 (a constant)
            for episode, seq in answered.items()
        ]
        notes += [("UPDATE episodes SET state_seq = %s, state_digest = %s WHERE id = %s", (*state, episode)) for episode, state in states.items()]
        if notes:
            self._add((notes, None, None))


def _left(connection: AsyncConnection[Any]) -> bool:
    """Whether the server ended the connection while it was idle: nothing was sent, so that a new one may carry the write without doubt."""
    try:
        for _ in range(2):  # the words with which a server leaves, then the end
            connection.pgconn.consume_input()
    except psycopg.OperationalError:
        return True
    return connection.closed


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0][:200]
