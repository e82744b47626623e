"""Group commit: writes of many episodes in one transaction, each told when it is durable."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import apsw

from registry.errors import StoreError
from registry.store.pending import Pending, Settled, Statement, settle

_log = logging.getLogger(__name__)


class GroupCommit:
    """Collects writes during one turn of the event loop and commits them together.

    While no turn has more than one, a write is committed at once: there is nothing to wait for.

    Args:
        database: Only this object writes to it.
        threaded: Commit in a thread, for commits that wait for the disk.
    """

    def __init__(self, database: apsw.Connection, *, threaded: bool) -> None:
        self._database = database
        self._loop = asyncio.get_running_loop()
        self._executor = ThreadPoolExecutor(1, "envfarm-store")
        self._threaded = threaded
        self._waiting: list[Pending] = []
        self._pauses: list[Callable[[], None]] = []
        self._scheduled = False
        self._lone = not threaded
        self._turn_taken = False
        self._running: asyncio.Future[None] | None = None
        self.trouble = ""

    def write(self, statements: Sequence[Statement], settled: Settled | None = None) -> "asyncio.Future[None]":
        """A future that is done when the statements are durable, or failed with StoreError.

        Args:
            statements: SQL and values.
            settled: Told the same, also when nobody waits for the future any more; before who waits goes on.
        """
        ticket: asyncio.Future[None] = self._loop.create_future()
        if self._lone and not (self._turn_taken or self._waiting or self._pauses) and self._running is None:
            self._turn_taken = True
            self._loop.call_soon(self._end_turn)
            settle([(statements, ticket, settled)], _failed(self._commit([(statements, ticket, settled)])))
            return ticket
        if self._turn_taken:
            self._lone = False
        self._add((statements, ticket, settled))
        return ticket

    def write_later(self, statements: Sequence[Statement]) -> None:
        """Writes with the next group; nobody waits for it."""
        self._add((statements, None, None))

    def pause(self, work: Callable[[], None]) -> None:
        """Runs `work` in the thread and writes nothing meanwhile; what comes is written afterwards."""
        self._pauses.append(work)
        self._flush()

    async def drain(self) -> None:
        """Returns when everything handed over before is durable (or failed)."""
        while self._waiting or self._pauses or self._running is not None:
            if self._running is not None:
                await asyncio.wait([self._running])
            else:
                self._flush()

    async def close(self) -> None:
        """Drains, then ends the thread."""
        await self.drain()
        self._executor.shutdown(wait=True)

    def _add(self, one: Pending) -> None:
        self._waiting.append(one)
        if not self._scheduled and self._running is None:
            self._scheduled = True
            self._loop.call_soon(self._flush)

    def _end_turn(self) -> None:
        self._turn_taken = False

    def _flush(self) -> None:
        self._scheduled = False
        if self._running is not None:
            return
        if self._pauses:
            self._run(self._pauses.pop(0), self._finish)
            return
        if not self._waiting:
            return
        group, self._waiting = self._waiting, []
        if not self._threaded:
            self._lone = len(group) == 1
            settle(group, _failed(self._commit(group)))
            return
        failures: list[apsw.Error | None] = []
        self._run(lambda: failures.append(self._commit(group)), lambda: self._committed(group, failures[0]))

    def _run(self, work: Callable[[], None], then: Callable[[], None]) -> None:
        self._running = self._loop.create_future()
        self._loop.run_in_executor(self._executor, work).add_done_callback(lambda _: then())

    def _committed(self, group: list[Pending], failure: apsw.Error | None) -> None:
        settle(group, _failed(failure))
        self._finish()

    def _finish(self) -> None:
        running, self._running = self._running, None
        if running is not None:
            running.set_result(None)
        self._flush()

    def _commit(self, group: list[Pending]) -> apsw.Error | None:
        execute = self._database.execute
        try:
            if len(group) == 1 and len(group[0][0]) == 1:
                execute(*group[0][0][0])
                self.trouble = ""
                return None
            execute("BEGIN IMMEDIATE")
            for statements, _, _ in group:
                for sql, values in statements:
                    execute(sql, values)
            execute("COMMIT")
            self.trouble = ""
        except apsw.Error as error:
            _log.exception("records could not be written")
            self.trouble = f"{type(error).__name__}: {error}"
            if self._database.in_transaction:
                execute("ROLLBACK")
            return error
        return None


def _failed(failure: apsw.Error | None) -> StoreError | None:
    if failure is None:
        return None
    return StoreError(f"store: expected to write a record, got {type(failure).__name__}: {failure}. Check disk space and rights.")
