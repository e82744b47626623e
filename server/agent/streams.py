"""Event streams that are open: counted, and ended in order when the farm stops."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import TracebackType
from typing import NamedTuple

import anyio
from starlette.types import Message, Receive, Send

from server.agent.replies import Watched

LAST_WORDS = 0.5
"""Seconds in which a stream ends by itself, and again for its last bytes."""


class Stream(NamedTuple):
    """What one stream works with instead of the server's own receive and send."""

    receive: Receive
    send: Watched


class Reading:
    """A block of the present task that can be left from outside; a scope of anyio does the same and costs as much as a whole tool call.

    Args:
        under_way: Where it is found while it lasts.
    """

    __slots__ = ("_left", "_task", "_under_way")

    def __init__(self, under_way: "set[Reading]") -> None:
        self._under_way = under_way
        self._left = False
        self._task = asyncio.current_task()

    def cancel(self) -> None:
        """Leaves the block."""
        self._left = True
        if self._task is not None:
            self._task.cancel()

    def __enter__(self) -> None:
        self._under_way.add(self)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> bool:
        self._under_way.discard(self)
        if not self._left or self._task is None or kind is not asyncio.CancelledError:
            return False
        return self._task.uncancel() == 0


class Streams:
    """All open streams.

    Args:
        most: How many may be open.

    Attributes:
        at_end: What else is told when they end.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._open = 0
        self._ended = anyio.Event()
        self._reading: set[Reading] = set()
        self.at_end: list[Callable[[], None]] = []

    def full(self) -> bool:
        """Whether no more may be opened."""
        return self._ended.is_set() or self._open >= self._most

    @property
    def ended(self) -> bool:
        """Whether no more are let in."""
        return self._ended.is_set()

    def __len__(self) -> int:
        """How many are open."""
        return self._open

    def end(self) -> None:
        """Ends all of them, and lets no more in; bodies that have not arrived are not waited for."""
        self._ended.set()
        for call in self.at_end:
            call()
        for one in self._reading:
            one.cancel()

    def reading(self) -> "Reading":
        """While a request's body is read: the block is left early when the farm stops meanwhile."""
        return Reading(self._reading)

    @asynccontextmanager
    async def one(self, receive: Receive, send: Send) -> AsyncIterator[Stream]:
        """One stream's lifetime: told to end, it sees its client leave; its response is finished all the same."""
        stream = Stream(self._until_end(receive), Watched(send))
        self._open += 1
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._press, tasks.cancel_scope)
                yield stream
                tasks.cancel_scope.cancel()
        finally:
            self._open -= 1
        with anyio.move_on_after(LAST_WORDS):
            await stream.send.finish()

    def _until_end(self, receive: Receive) -> Receive:
        async def next_message() -> Message:
            message: Message = {"type": "http.disconnect"}

            async def hear() -> None:
                nonlocal message
                message = await receive()
                tasks.cancel_scope.cancel()

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(hear)
                await self._ended.wait()
                tasks.cancel_scope.cancel()
            return message

        return next_message

    async def _press(self, scope: anyio.CancelScope) -> None:
        await self._ended.wait()
        await anyio.sleep(LAST_WORDS)
        scope.cancel()
