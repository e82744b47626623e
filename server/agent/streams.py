"""Event streams that are open: counted, and ended in order when the farm stops."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
from starlette.types import Send

from server.agent.replies import Watched

LAST_WORDS = 1.0
"""Seconds for the last bytes of a stream."""


class Streams:
    """All open streams.

    Args:
        most: How many may be open.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: set[anyio.CancelScope] = set()
        self._ended = False

    def full(self) -> bool:
        """Whether no more may be opened."""
        return self._ended or len(self._open) >= self._most

    def __len__(self) -> int:
        """How many are open."""
        return len(self._open)

    def end(self) -> None:
        """Ends all of them, and lets no more in."""
        self._ended = True
        for scope in list(self._open):
            scope.cancel()

    @asynccontextmanager
    async def one(self, send: Send) -> AsyncIterator[Watched]:
        """One stream's lifetime: its response is finished even when it is ended from here."""
        watched = Watched(send)
        with anyio.CancelScope() as scope:
            self._open.add(scope)
            try:
                yield watched
            finally:
                self._open.discard(scope)
        if scope.cancelled_caught:
            with anyio.move_on_after(LAST_WORDS):
                await watched.finish()
