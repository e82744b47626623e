"""Serves both protocol eras on one stream pair, message by message.

The SDK settles on the era of the first request. Some clients send `server/discover` and, when the answer is slow, an older `initialize` right
behind it; here each of the two finds its own loop.
"""

from typing import Any

import anyio
from anyio.abc import TaskGroup
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp import types
from mcp.server import Server
from mcp.shared.message import SessionMessage

from server.agent.era import is_modern

Frame = SessionMessage | Exception


class BothEras:
    """One connection.

    Args:
        server: Serves the messages.
        write: Where answers go.
        drain: Seconds that requests get to be answered after the input has ended.
    """

    def __init__(self, server: Server[Any], write: Any, *, drain: float) -> None:
        self._server = server
        self._write = write
        self._drain = drain
        self._pending: set[str | int] = set()
        self._idle = anyio.Event()
        self._ended = False
        self._eras: dict[bool, MemoryObjectSendStream[Frame]] = {}
        self._streams: list[MemoryObjectSendStream[Any] | MemoryObjectReceiveStream[Any]] = []

    async def run(self, read: Any) -> None:
        """Serves until `read` ends and what was read is answered."""
        try:
            async with anyio.create_task_group() as tasks:
                for modern in (False, True):
                    self._start(tasks, modern=modern)
                try:
                    async for frame in read:
                        await self._route(frame)
                except (anyio.ClosedResourceError, anyio.BrokenResourceError):
                    pass
                await self._settle()
                tasks.cancel_scope.cancel()
        finally:
            self._close()
            with anyio.CancelScope(shield=True):
                await read.aclose()
                await self._write.aclose()

    def _start(self, tasks: TaskGroup, *, modern: bool) -> None:
        self._eras[modern], inner_read = anyio.create_memory_object_stream[Frame](0)
        inner_write, answers = anyio.create_memory_object_stream[SessionMessage](0)
        self._streams += [self._eras[modern], inner_read, inner_write, answers]
        options = self._server.create_initialization_options()

        async def serve() -> None:
            await self._server.run(inner_read, inner_write, options)

        tasks.start_soon(serve)
        tasks.start_soon(self._forward, answers)

    async def _route(self, frame: Frame) -> None:
        message = frame.message if isinstance(frame, SessionMessage) else None
        if isinstance(message, types.JSONRPCRequest):
            self._pending.add(message.id)
            await self._eras[is_modern(message.method, message.params)].send(frame)
        elif isinstance(message, types.JSONRPCNotification):
            if message.method == "notifications/cancelled":
                self._answered((message.params or {}).get("requestId"))
            await self._eras[False].send(frame)
            await self._eras[True].send(frame)
        elif message is not None:
            await self._eras[False].send(frame)

    async def _forward(self, answers: MemoryObjectReceiveStream[SessionMessage]) -> None:
        async with answers:
            async for item in answers:
                try:
                    await self._write.send(item)
                except (anyio.ClosedResourceError, anyio.BrokenResourceError):
                    return
                if isinstance(item.message, types.JSONRPCResponse | types.JSONRPCError):
                    self._answered(item.message.id)

    def _answered(self, request: Any) -> None:
        self._pending.discard(request)
        if self._ended and not self._pending:
            self._idle.set()

    async def _settle(self) -> None:
        self._ended = True
        if self._pending:
            with anyio.move_on_after(self._drain):
                await self._idle.wait()

    def _close(self) -> None:
        """Closes what a loop that was cancelled before its first turn would leave open."""
        for stream in self._streams:
            stream.close()
