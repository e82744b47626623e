"""Group commit: writes of many episodes in one transaction, each told when it is durable."""

import asyncio
import logging
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import apsw

from registry.errors import StoreError
from registry.package.change import Stored

_log = logging.getLogger(__name__)

Value = Stored | bytes
Statement = tuple[str, Sequence[Value]]
_Waiting = tuple[Sequence[Statement], "asyncio.Future[None] | None"]


class GroupCommit:
    """Collects writes during one turn of the event loop and commits them together.

    Args:
        database: Only this object writes to it.
        threaded: Commit in a thread, for commits that wait for the disk.
    """

    def __init__(self, database: apsw.Connection, *, threaded: bool) -> None:
        self._database = database
        self._loop = asyncio.get_running_loop()
        self._executor = ThreadPoolExecutor(1, "envfarm-store") if threaded else None
        self._waiting: list[_Waiting] = []
        self._scheduled = False
        self._running: asyncio.Future[None] | None = None

    def write(self, statements: Sequence[Statement]) -> "asyncio.Future[None]":
        """A future that is done when the statements are durable, or failed with StoreError."""
        ticket: asyncio.Future[None] = self._loop.create_future()
        self._add((statements, ticket))
        return ticket

    def write_later(self, statements: Sequence[Statement]) -> None:
        """Writes with the next group; nobody waits for it."""
        self._add((statements, None))

    async def drain(self) -> None:
        """Returns when everything handed over before is durable (or failed)."""
        while self._waiting or self._running is not None:
            if self._running is not None:
                await asyncio.wait([self._running])
            else:
                self._flush()

    async def close(self) -> None:
        """Drains, then ends the thread."""
        await self.drain()
        if self._executor is not None:
            self._executor.shutdown(wait=True)

    def _add(self, one: _Waiting) -> None:
        self._waiting.append(one)
        if not self._scheduled and self._running is None:
            self._scheduled = True
            self._loop.call_soon(self._flush)

    def _flush(self) -> None:
        self._scheduled = False
        if not self._waiting or self._running is not None:
            return
        group, self._waiting = self._waiting, []
        if self._executor is None:
            _settle(group, self._commit(group))
            return
        commit = self._loop.run_in_executor(self._executor, self._commit, group)
        self._running = self._loop.create_future()
        commit.add_done_callback(lambda done: self._committed(group, done.result()))

    def _committed(self, group: list[_Waiting], failure: apsw.Error | None) -> None:
        running, self._running = self._running, None
        _settle(group, failure)
        if running is not None:
            running.set_result(None)
        self._flush()

    def _commit(self, group: list[_Waiting]) -> apsw.Error | None:
        execute = self._database.execute
        try:
            execute("BEGIN IMMEDIATE")
            for statements, _ in group:
                for sql, values in statements:
                    execute(sql, values)
            execute("COMMIT")
        except apsw.Error as error:
            _log.exception("records could not be written")
            if self._database.in_transaction:
                execute("ROLLBACK")
            return error
        return None


def _settle(group: list[_Waiting], failure: apsw.Error | None) -> None:
    for _, ticket in group:
        if ticket is None or ticket.done():
            continue
        if failure is None:
            ticket.set_result(None)
        else:
            ticket.set_exception(
                StoreError(f"store: expected to write a record, got {type(failure).__name__}: {failure}. Check disk space and rights.")
            )
