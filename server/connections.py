"""Connections that ask for nothing: heads that never end are cut off, and so are requests that do not arrive."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_BYTES = 64 * 1024
"""Room for the request line and all headers."""
ARRIVAL_SECONDS = 20.0
"""In so many seconds a request has arrived, head and body, or its connection is closed."""
LOOK_SECONDS = 5.0


class BoundedProtocol(HttpToolsProtocol):
    """uvicorn's protocol, which by itself takes heads of any length."""

    _head = 0

    def data_received(self, data: bytes) -> None:
        """Counts what comes while no request begins: the head of the next one."""
        cycle = self.cycle
        body = cycle is not None and cycle.more_body
        super().data_received(data)
        if self.cycle is cycle and not body:
            self._head += len(data)
            if self._head > HEAD_BYTES and not self.transport.is_closing():
                self.send_400_response("Request head too large.")
        else:
            self._head = 0

    def connection_lost(self, exc: Exception | None) -> None:
        """Lets go of a connection that was cut off: its timer for the next request would hold it, and what came over it, for more than a minute."""
        super().connection_lost(exc)
        self._unset_keepalive_if_required()


class Arrivals:
    """Looks over open connections from time to time; a request costs nothing for it.

    Args:
        connections: Of one server, kept up to date by it.
        patience: Seconds.
    """

    def __init__(self, connections: Iterable[Any], patience: float = ARRIVAL_SECONDS) -> None:
        self._connections = connections
        self._patience = patience
        self._since: dict[Any, tuple[Any, float]] = {}

    def look(self, now: float) -> int:
        """Closes connections on which the same request has been arriving for too long; gives how many.

        Args:
            now: Seconds on a clock that never goes back.
        """
        late, waiting = [], {}
        for one in list(self._connections):
            if not _arriving(one):
                continue
            cycle, since = self._since.get(one, (one.cycle, now))
            waiting[one] = (one.cycle, since if cycle is one.cycle else now)
            if now - waiting[one][1] >= self._patience:
                late.append(one)
        self._since = waiting
        for one in late:
            one.transport.close()
        return len(late)


@asynccontextmanager
async def watched(connections: Iterable[Any]) -> AsyncIterator[None]:
    """Looks over these connections while the block lasts."""
    arrivals = Arrivals(connections)
    loop = asyncio.get_running_loop()

    async def watch() -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            arrivals.look(loop.time())

    task = asyncio.create_task(watch())
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


def _arriving(protocol: Any) -> bool:
    """Whether a request is on its way: nothing has come yet, its body is not whole, or its head is not."""
    cycle = protocol.cycle
    if cycle is None:
        return True
    if cycle.response_complete:
        return protocol.timeout_keep_alive_task is None
    return bool(cycle.more_body) and not cycle.response_started
