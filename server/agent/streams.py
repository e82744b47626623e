"""Event streams that are open: counted, and ended in order when the farm stops."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
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
        self._reading: set[anyio.CancelScope] = set()
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
        for scope in self._reading:
            scope.cancel()

    @contextmanager
    def reading(self) -> Iterator[anyio.CancelScope]:
        """While a request's body is read: `cancelled_caught` of the scope tells that the farm stopped meanwhile."""
        with anyio.CancelScope() as scope:
            self._reading.add(scope)
            try:
                yield scope
            finally:
                self._reading.discard(scope)

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
