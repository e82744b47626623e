"""The agent plane's HTTP front: from an address to a seat, and into the transport that was asked for."""

import logging
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

from mcp.server import Server
from starlette.types import Receive, Scope, Send

from registry.errors import RegistryError
from registry.package.errors import PackageError
from server.agent.directory import Directory
from server.agent.fast_path import FastPath
from server.agent.guard import Guard, Refused, replay
from server.agent.limits import Gate, Rate
from server.agent.mcp_server import SEAT, Plane
from server.agent.plain import Plain, PlainReader
from server.agent.replies import NOT_FOUND, reply, send_json
from server.agent.sdk_http import SPARE, SdkHttp
from server.agent.seat import Seat, Seats, TooManyEpisodes
from server.agent.session_paths import SessionPaths
from server.agent.sse import SseDoor
from server.agent.streams import Streams
from server.front_page import agent_page, send_page, wanted
from server.telemetry import Telemetry

logger = logging.getLogger(__name__)

ADDRESS = re.compile(r"/env/(?P<env>[a-z][a-z0-9_]{0,63})(?:/e/(?P<key>[A-Za-z0-9_-]{1,128}))?/(?P<door>mcp|sse|messages)/?")
METHODS = {"mcp": frozenset({"POST", "GET", "DELETE"}), "sse": frozenset({"GET"}), "messages": frozenset({"POST"})}
TRY_LATER = ((b"retry-after", b"1"),)
TRY_MUCH_LATER = ((b"retry-after", b"60"),)
OK = b'{"status":"ok"}'


class Limits(NamedTuple):
    """How much is served at once."""

    calls_per_second: float = 0
    running: int = 512
    streams: int = 4096
    sessions: int = 20_000
    spare_session: float = SPARE
    sessions_each: int = 256


class Front:
    """ASGI application of the agent plane; enter `running()` before it serves.

    Args:
        server: The MCP server over all seats.
        seats: Finds the seat at an address.
        guard: Checks what comes in.
        limits: How much is served at once.
        plane: What the server's handlers work on, for requests that are answered without the SDK; None sends all of them through it.
        directory: Lists what is offered; None keeps it to itself.
        streaming: Whether an answer may be a stream that carries progress and questions to the client first. No tool of an environment
            has any, so that a farm answers with plain JSON.
    """

    def __init__(
        self,
        server: Server[Any],
        seats: Seats,
        guard: Guard,
        limits: Limits,
        plane: Plane | None = None,
        *,
        directory: Directory | None = None,
        streaming: bool = False,
    ) -> None:
        self.seats = seats
        self._directory = directory
        self._page = agent_page(directory.agent_url if directory is not None else None)
        self._guard = guard
        self._paths = SessionPaths(limits.sessions * 2, limits.sessions_each)
        self.streams = Streams(limits.streams)
        asking = plane is not None and plane.elicits
        if plane is not None:
            self.streams.at_end.append(plane.questions.end)
        self._sdk = SdkHttp(
            server, self._paths, sessions=limits.sessions, spare=limits.spare_session, max_body=guard.max_body, streaming=streaming, asking=asking
        )
        self._reader = PlainReader()
        self.fast = FastPath(plane, self._paths) if plane is not None else None
        self._rate = Rate(limits.calls_per_second)
        self._gate = Gate(limits.running)
        self.turned_away = 0
        self.draining = False
        self.telemetry: Telemetry | None = None
        self.trouble: Callable[[], str] = str
        self._sse = SseDoor(server, self.streams, max_body=guard.max_body)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serves while entered; streams are ended on the way out."""
        async with self._sdk.running():
            try:
                yield
            finally:
                self.streams.end()

    def ready(self) -> bool:
        """Whether calls can be served and recorded: false as soon as the farm is about to stop."""
        return not (self.draining or self.streams.ended or self.trouble())

    def gauges(self) -> dict[str, float]:
        """Numbers of this moment."""
        told = {"running_requests": self._gate.running, "open_streams": len(self.streams), "turned_away_total": self.turned_away}
        return {**told, "draining": float(self.draining)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one request."""
        if scope["type"] != "http":
            return
        refused = self._guard.headers(scope)
        if refused is not None:
            return await reply(send, refused.status, refused.message)
        path = _inner_path(scope)
        if path == "/healthz":
            return await send_json(send, 200, OK)
        if path == "/readyz":
            return await (send_json(send, 200, OK) if self.ready() else send_json(send, 503, b'{"status":"not ready"}'))
        address = ADDRESS.fullmatch(path)
        # No letter of an address needs a percent sign: whoever writes one wants a proxy in front to read another address than we do.
        sent: bytes = scope.get("raw_path") or b""  # a server need not tell it
        if address is not None and b"%" in sent and not sent.endswith(path.encode()):
            address = None
        if address is None:
            return await (send_page(send, self._page) if wanted(scope, path) else self._list(scope, path, send))
        if scope["method"] not in METHODS[address["door"]]:
            allowed = ", ".join(sorted(METHODS[address["door"]]))
            return await reply(send, 405, f"Method: expected {allowed}.", headers=((b"allow", allowed.encode()),))
        try:
            seat = await self.seats.find(address["env"], address["key"])
        except TooManyEpisodes:
            self.turned_away += 1
            message = "This farm has as many free-play episodes as it may. Close some, or raise ENVFARM_MAX_FREE_EPISODES."
            return await reply(send, 429, message, headers=TRY_MUCH_LATER)
        except (PackageError, RegistryError):
            logger.exception("%s cannot be served", path)
            return await reply(send, 503, "This environment cannot be served at the moment. The log of the farm says why.")
        if seat is None:
            return await reply(send, 404, NOT_FOUND)
        await self._enter(address["door"], {**scope, SEAT: seat}, receive, send, seat)

    async def _list(self, scope: Scope, path: str, send: Send) -> None:
        """What leads to no episode may ask for the list of what is offered."""
        answer = self._directory.answer(path, scope["query_string"]) if self._directory is not None else None
        if answer is None:
            await reply(send, 404, NOT_FOUND)
        elif scope["method"] != "GET":
            await reply(send, 405, "Method: expected GET.", headers=((b"allow", b"GET"),))
        else:
            await send_json(send, answer.status, answer.body)

    async def _enter(self, door: str, scope: Scope, receive: Receive, send: Send, seat: Seat) -> None:
        if scope["method"] == "GET":
            await self._stream(door, scope, receive, send, seat)
            return
        if not self._rate.take(seat.key) or self._gate.full():
            self.turned_away += 1
            await reply(send, 429, "Too many requests at once. Try again in a second.", headers=TRY_LATER)
            return
        body: bytes | Refused | None = Refused(status=503, message="The farm is stopping. Try again later.")
        with self.streams.reading():
            body = await self._guard.body(scope, receive)
        if isinstance(body, Refused):
            await reply(send, body.status, body.message)
        elif body is not None:
            with self._gate:
                if door == "messages":
                    await self._sse.post(scope, replay(body, receive), send, seat)
                else:
                    await self._post(scope, body, receive, send, seat)

    async def _post(self, scope: Scope, body: bytes, receive: Receive, send: Send, seat: Seat) -> None:
        """A message over Streamable HTTP: answered at once if it is plain, else by the SDK."""
        plain = self._reader.read(scope, body) if self.fast is not None else None
        if self.telemetry is None:
            return await self._answer(plain, scope, body, receive, send, seat)
        with self.telemetry.around(seat, plain.id if plain else None, plain.tool if plain else None):
            await self._answer(plain, scope, body, receive, send, seat)

    async def _answer(self, plain: Plain | None, scope: Scope, body: bytes, receive: Receive, send: Send, seat: Seat) -> None:
        if self.fast is None or plain is None:
            await self._sdk.serve(scope, replay(body, receive), send, seat, body)
        elif self.fast.takes(plain, seat):
            await self.fast.answer(plain, seat, send)
        else:
            await self._sdk.serve(scope, replay(body, receive), self.fast.learn(plain, seat, send), seat, body)

    async def _stream(self, door: str, scope: Scope, receive: Receive, send: Send, seat: Seat) -> None:
        if self.streams.full():
            self.turned_away += 1
            await reply(send, 429, "Too many open streams. Try again later.", headers=TRY_LATER)
        elif door == "sse":
            base = _inner_path(scope).rstrip("/").removesuffix("/sse")
            await self._sse.connect(scope, receive, send, seat, base)
        else:
            async with self.streams.one(receive, send) as stream:
                await self._sdk.serve(scope, stream.receive, stream.send, seat)


def _inner_path(scope: Scope) -> str:
    """The path behind the prefix, whether the proxy in front has taken the prefix away or not (the server has put it before the path)."""
    prefix: str = scope.get("root_path", "")
    path: str = scope["path"]
    return path.removeprefix(prefix).removeprefix(prefix)
