"""Stdin and stdout of this process, joined to a farm's Streamable HTTP endpoint."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import anyio
import anyio.to_thread
import httpx

from server.agent.era import is_modern
from server.agent.parent import watch_parent
from server.agent.upstream import Message, Unreachable, Upstream, failure
from server.agent.wire import read_lines, write_line

CANCELLED = "notifications/cancelled"
CONNECT_SECONDS = 5.0
LOCAL = ("127.0.0.1", "localhost", "::1")


async def serve_bridge(url: str, *, out: int, source: int = 0, headers: Mapping[str, str] | None = None) -> None:
    """Carries messages until the input ends and what was read is answered.

    Requests go out one after the other, so that their order is kept; cancellations overtake.

    Args:
        url: Where the farm serves the episode.
        out: The private copy of stdout.
        source: The descriptor that is read.
        headers: Sent with each request.
    """
    local = httpx.URL(url).host in LOCAL
    timeout = httpx.Timeout(None, connect=CONNECT_SECONDS)
    async with httpx.AsyncClient(headers=dict(headers or {}), timeout=timeout, trust_env=not local, follow_redirects=False) as client:
        upstream = Upstream(url, client)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(watch_parent, tasks.cancel_scope)
            await _Carrier(upstream, out).run(source)
            tasks.cancel_scope.cancel()
        await upstream.close()


class _Carrier:
    """Reads, sends, writes."""

    def __init__(self, upstream: Upstream, out: int) -> None:
        self._upstream = upstream
        self._out = out
        self._queue: asyncio.Queue[Message | None] = asyncio.Queue()
        self._waiting: set[Any] = set()
        self._running: tuple[Message, anyio.CancelScope] | None = None
        self._lock = asyncio.Lock()

    async def run(self, source: int) -> None:
        loop = asyncio.get_running_loop()

        def each(line: bytes) -> None:
            asyncio.run_coroutine_threadsafe(self._take(line), loop).result()

        read_lines(source, each, lambda: loop.call_soon_threadsafe(self._queue.put_nowait, None))
        try:
            while (message := await self._queue.get()) is not None:
                number = _id(message)
                if number is not None and number not in self._waiting:
                    continue  # cancelled before its turn
                self._waiting.discard(number)
                with anyio.CancelScope() as scope:
                    self._running = (message, scope)
                    await self._carry(message)
                self._running = None
        except OSError:  # nobody reads our answers any more
            return

    async def _take(self, line: bytes) -> None:
        try:
            message: Any = json.loads(line)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            await self._write(b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error: expected one JSON object a line."}}')
        elif message.get("method") == CANCELLED:
            await self._cancel(message)
        elif "method" not in message:
            await self._carry(message)  # the answer to a question: a call that runs waits for it
        else:
            if (number := _id(message)) is not None:
                self._waiting.add(number)
            self._queue.put_nowait(message)

    async def _cancel(self, message: Message) -> None:
        """Over HTTP the newest protocol cancels by closing the connection, the older ones by a message."""
        params = message.get("params")
        number = params.get("requestId") if isinstance(params, dict) else None
        if isinstance(number, str | int) and number in self._waiting:
            self._waiting.discard(number)
            return
        if self._running is not None:
            running, scope = self._running
            params = running.get("params")
            if running.get("id") == number and isinstance(params, dict) and is_modern(str(running.get("method")), params):
                scope.cancel()
                return
        await self._carry(message)

    async def _carry(self, message: Message) -> None:
        try:
            async for answer in self._upstream.send(message):
                await self._write(answer)
        except Unreachable as error:
            if "id" in message and "method" in message:
                await self._write(failure(message, str(error)))

    async def _write(self, line: bytes) -> None:
        async with self._lock:
            with anyio.CancelScope(shield=True):  # a line is written whole
                await anyio.to_thread.run_sync(write_line, self._out, line)


def _id(message: Message) -> str | int | None:
    found = message.get("id")
    return found if isinstance(found, str | int) else None
