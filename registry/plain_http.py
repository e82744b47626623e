"""HTTP requests of one program to another on the same machine: many small ones, each for a fraction of what a full client costs."""

import asyncio
import functools
from collections.abc import Mapping
from types import TracebackType
from typing import NamedTuple, Protocol, Self, cast
from urllib.parse import urlsplit

import httptools
import httpx


def strange_token(what: str, url: str) -> str:
    """What it means when one of our interfaces at `url` does not take a token that a token file of ours gave."""
    return (
        f"{what}: expected the farm at {url} to take this token, got a refusal: that farm belongs to another home, or has other tokens by now. "
        "Set ENVFARM_HOME to its home, or stop it and run `envfarm up`."
    )


class Http(Protocol):
    """What carries requests: `PlainHttp`, or an `httpx.AsyncClient`."""

    async def request(self, method: str, url: str, *, content: bytes | None = None, headers: Mapping[str, str] | None = None) -> httpx.Response:
        """The whole response; an `httpx.HTTPError` when none comes."""


class PlainHttp:
    """Requests over `http` without TLS, redirects, cookies or proxies, on connections that are kept; what else is asked for goes to httpx.

    Args:
        timeout: Seconds that a response may take.
        connections: How many httpx may open.
    """

    def __init__(self, *, timeout: float, connections: int = 100) -> None:
        self._timeout = timeout
        self._idle: dict[tuple[str, int], list[_Connection]] = {}
        self._other = httpx.AsyncClient(timeout=timeout, trust_env=False, limits=httpx.Limits(max_connections=connections))

    async def __aenter__(self) -> Self:
        """Itself."""
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Closes every connection."""
        for listed in self._idle.values():
            for one in listed:
                one.close()
        self._idle.clear()
        await self._other.aclose()

    async def request(self, method: str, url: str, *, content: bytes | None = None, headers: Mapping[str, str] | None = None) -> httpx.Response:
        """The whole response.

        Raises:
            httpx.HTTPError: No whole one came.
        """
        place = _place(url)
        if place is None:
            return await self._other.request(method, url, content=content, headers=headers)
        try:
            async with asyncio.timeout(self._timeout):
                return await self._sent(place, url, _head(method, place, content, headers or {}) + (content or b""))
        except TimeoutError:
            raise httpx.ReadTimeout(f"no response within {self._timeout:g} s", request=httpx.Request(method, url)) from None

    async def _sent(self, place: "_Place", url: str, message: bytes) -> httpx.Response:
        connection = await self._connection(place)
        try:
            response = await connection.send(message)
        except BaseException:
            connection.close()
            raise
        if connection.usable:
            self._idle.setdefault((place.host, place.port), []).append(connection)
        else:
            connection.close()
        if not response.is_success:
            response.request = httpx.Request(message[: message.index(b" ")].decode(), url)
        return response

    async def _connection(self, place: "_Place") -> "_Connection":
        idle = self._idle.get((place.host, place.port), [])
        while idle:
            kept = idle.pop()
            if kept.usable:
                return kept
            kept.close()
        try:
            _, made = await asyncio.get_running_loop().create_connection(_Connection, place.host, place.port)
        except OSError as error:
            raise httpx.ConnectError(str(error)) from error
        return made


class _Place(NamedTuple):
    host: str
    port: int
    target: str
    name: str


@functools.lru_cache(maxsize=4096)
def _place(url: str) -> _Place | None:
    """Where a URL leads; None for what is not asked for in the plain way."""
    parts = urlsplit(url)
    if parts.scheme != "http" or not parts.hostname or parts.username is not None:
        return None
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    if not (target.isascii() and target.isprintable()) or " " in target:
        return None
    return _Place(parts.hostname, parts.port or 80, target, parts.netloc)


def _head(method: str, place: _Place, content: bytes | None, headers: Mapping[str, str]) -> bytes:
    lines = [f"{method} {place.target} HTTP/1.1", f"Host: {place.name}", *(f"{name}: {value}" for name, value in headers.items())]
    if content is not None:
        lines.append(f"Content-Length: {len(content)}")
    if any("\r" in line or "\n" in line for line in lines):
        raise httpx.LocalProtocolError("a header holds a line break")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


class _Connection(asyncio.Protocol):
    """One connection, with one request under way at a time."""

    def __init__(self) -> None:
        self._transport: asyncio.WriteTransport | None = None
        self._waiting: asyncio.Future[httpx.Response] | None = None
        self.usable = False

    async def send(self, message: bytes) -> httpx.Response:
        """The response to a request."""
        assert self._transport is not None
        self.usable = False
        self._headers: list[tuple[bytes, bytes]] = []
        self._body: list[bytes] = []
        self._parser = httptools.HttpResponseParser(self)
        self._waiting = asyncio.get_running_loop().create_future()
        self._transport.write(message)
        return await self._waiting

    def close(self) -> None:
        """Closes it."""
        self.usable = False
        if self._transport is not None:
            self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Opened."""
        self._transport = cast("asyncio.WriteTransport", transport)  # that of uvloop is none by its class
        self.usable = True

    def connection_lost(self, error: Exception | None) -> None:
        """Closed, by whomever."""
        self.usable = False
        self._fail(httpx.RemoteProtocolError(f"the connection was closed before a whole response came ({error})"))

    def data_received(self, data: bytes) -> None:
        """Some of the response."""
        if self._waiting is None:  # nobody asked
            self.close()
            return
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError as error:
            self._fail(httpx.RemoteProtocolError(str(error)))

    def on_header(self, name: bytes, value: bytes) -> None:
        """One header."""
        self._headers.append((name, value))

    def on_body(self, body: bytes) -> None:
        """Some of the body."""
        self._body.append(body)

    def on_message_complete(self) -> None:
        """All came."""
        status = self._parser.get_status_code()
        if status < httpx.codes.OK:  # something else follows
            self._headers.clear()
            return
        self.usable = self._parser.should_keep_alive()
        if self._waiting is not None and not self._waiting.done():
            # Of headers only these say something of the content; it came in one piece, however it was sent.
            kept = [one for one in self._headers if one[0].lower() not in (b"content-length", b"transfer-encoding")]
            self._waiting.set_result(httpx.Response(status, headers=kept, content=b"".join(self._body)))
        self._waiting = None

    def _fail(self, error: httpx.HTTPError) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_exception(error)
        self._waiting = None
