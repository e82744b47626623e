"""HTTP+SSE, the transport of 2024: one stream down, posts up, both tied to one address."""

import contextlib
from typing import Any

import anyio
from mcp.server import Server
from mcp.server.sse import SseServerTransport
from starlette.types import Receive, Scope, Send

from server.agent.both_eras import BothEras
from server.agent.replies import reply
from server.agent.seat import Seat
from server.agent.streams import Streams


class SseDoor:
    """Serves `/sse` and `/messages` of every address.

    Each address with open streams has its own transport, so that a session of one address does not exist at another.

    Args:
        server: The MCP server over all seats.
        streams: Where open streams are counted.
        max_body: Bytes of one post.
    """

    def __init__(self, server: Server[Any], streams: Streams, *, max_body: int) -> None:
        self._server = server
        self._streams = streams
        self._max_body = max_body
        self._transports: dict[str, tuple[SseServerTransport, int]] = {}

    async def connect(self, scope: Scope, receive: Receive, send: Send, seat: Seat, base: str) -> None:
        """Opens the stream and serves its messages until the client leaves; `base` is the seat's path without `/sse`."""
        transport = self._join(seat, base)
        try:
            async with self._streams.one(receive, send) as stream, transport.connect_sse(scope, stream.receive, stream.send) as (read, write):
                await BothEras(self._server, write, drain=0).run(read)
        finally:
            self._leave(seat)

    async def post(self, scope: Scope, receive: Receive, send: Send, seat: Seat) -> None:
        """Takes one message of a client."""
        known = self._transports.get(seat.key)
        if known is None:
            await reply(send, 404, "Could not find session")
            return
        # The message is accepted before it is handed to the stream, whose client may have left in between: nobody waits for its answer.
        with contextlib.suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
            await known[0].handle_post_message(scope, receive, send)

    def _join(self, seat: Seat, base: str) -> SseServerTransport:
        transport, users = self._transports.get(seat.key, (None, 0))
        if transport is None:
            transport = SseServerTransport(f"{base}/messages", max_request_body_size=self._max_body)
        self._transports[seat.key] = (transport, users + 1)
        return transport

    def _leave(self, seat: Seat) -> None:
        transport, users = self._transports[seat.key]
        if users > 1:
            self._transports[seat.key] = (transport, users - 1)
        else:
            del self._transports[seat.key]
