"""Streamable HTTP through the SDK: its sessions of the older protocol, each served at the address where it was opened only."""

import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import orjson
from mcp.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import Message, Receive, Scope, Send

from server.agent.era import MODERN, VERSION_KEY
from server.agent.replies import NO_SESSION, Watched, header, reply
from server.agent.seat import Seat
from server.agent.session_paths import SessionPaths, agreed_version

logger = logging.getLogger(__name__)

IDLE_SESSION = 1800.0
SPARE = 10.0
TOLD = 100
"""Every so many requests whose header and body disagree, the log says so again."""


class SdkHttp:
    """Serves what the fast path does not.

    Args:
        server: The MCP server over all seats.
        paths: Where each session was opened.
        sessions: How many sessions may be open. Clients that open one for each call and end none would soon take all of them.
        spare: Seconds after which a session that nobody uses makes room for another, if there is none left.
        max_body: Bytes of one request.
        streaming: Whether all answers may be streams that carry progress and questions first.
        asking: Whether those of clients that can be asked may be, at seats with a user.
    """

    def __init__(
        self,
        server: Server[Any],
        paths: SessionPaths,
        *,
        sessions: int,
        max_body: int,
        spare: float = SPARE,
        streaming: bool = False,
        asking: bool = False,
    ) -> None:
        def manager(*, streaming: bool) -> StreamableHTTPSessionManager:
            return StreamableHTTPSessionManager(
                server, json_response=not streaming, session_idle_timeout=IDLE_SESSION, max_sessions=sessions, max_request_body_size=max_body
            )

        self._paths = paths
        self._most = sessions
        self._spare = spare
        self._usual = manager(streaming=streaming)
        self._asking = manager(streaming=True) if asking else None
        self.disagreed = 0

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serves while entered."""
        async with AsyncExitStack() as stack:
            for manager in (self._usual, self._asking):
                if manager is not None:
                    await stack.enter_async_context(manager.run())
            yield

    async def serve(self, scope: Scope, receive: Receive, send: Send, seat: Seat, body: bytes = b"") -> None:
        """Serves one request; `body` is what `receive` gives first."""
        scope = _trimmed(scope)
        session = header(scope, b"mcp-session-id")
        if session is not None and not self._paths.allows(session, seat.key):
            await reply(send, 404, NO_SESSION)
            return
        self._compare(scope, body)
        opens = b'"initialize"' in body
        streams = self._paths.streams(session) if session is not None else opens and seat.multi_turn and b'"elicitation"' in body
        manager = self._asking if self._asking is not None and streams else self._usual
        if session is None and opens:
            await self._make_room(scope)
        with self._paths.holding(session or ""):
            await self._exchange(manager, scope, receive, send, seat, session, reopens=opens)

    async def _make_room(self, scope: Scope) -> None:
        """Ends the session that nobody has used for longest, when there are as many as there may be; its client will get 404 and open another."""
        if len(self._paths) >= self._most:
            await self._end(scope, self._paths.idle(self._spare))

    async def _exchange(
        self,
        manager: StreamableHTTPSessionManager,
        scope: Scope,
        receive: Receive,
        send: Send,
        seat: Seat,
        session: str | None,
        *,
        reopens: bool,
    ) -> None:
        streams = manager is self._asking
        watched = Watched(send, None if session else lambda opened: self._paths.bind(opened, seat.key, streams=streams))
        await manager.handle_request(scope, receive, watched)
        if session is None and watched.session and watched.status < 400:
            await self._end(scope, self._paths.bind(watched.session, seat.key, agreed_version(watched.body), streams=streams))
        elif session is not None and (watched.status == 404 or (scope["method"] == "DELETE" and watched.status < 400)):
            self._paths.drop(session)
        elif session is not None and reopens:
            self._paths.bind(session, seat.key, streams=streams)

    async def _end(self, scope: Scope, session: str) -> None:
        """Ends a session as its client would, so that one episode cannot have them all; nothing for an empty text."""
        if not session:
            return
        manager = self._asking if self._asking is not None and self._paths.streams(session) else self._usual
        self._paths.drop(session)
        ending = {**scope, "method": "DELETE", "headers": [(b"mcp-session-id", session.encode("latin-1"))]}
        await manager.handle_request(ending, _gone, _nowhere)

    def _compare(self, scope: Scope, body: bytes) -> None:
        """Notes in the log what some connectors do: an older version in the header, the newest in the body. It is refused, as the protocol wants."""
        version = header(scope, b"mcp-protocol-version")
        if version == MODERN or VERSION_KEY.encode() not in body:
            return
        try:
            inside = orjson.loads(body)["params"]["_meta"][VERSION_KEY]
        except (ValueError, KeyError, TypeError):
            return
        if inside == version:
            return
        if self.disagreed % TOLD == 0:
            logger.warning(
                "mcp-protocol-version: expected what the body says (%.40r), got %.40r; %d such requests so far", inside, version, self.disagreed + 1
            )
        self.disagreed += 1


async def _gone() -> Message:
    return {"type": "http.disconnect"}


async def _nowhere(message: Message) -> None:
    return None


def _trimmed(scope: Scope) -> Scope:
    """The scope without blanks around the values of headers: they do not belong to the value, and the parser leaves those at the end.

    Source: https://www.rfc-editor.org/rfc/rfc9110#section-5.5
    """
    headers = scope["headers"]
    if all(value == value.strip(b" \t") for _, value in headers):
        return scope
    return {**scope, "headers": [(name, value.strip(b" \t")) for name, value in headers]}
