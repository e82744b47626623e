"""Requests over connections that are kept, against a server that answers byte by byte as a test says."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest

from registry.plain_http import PlainHttp

OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"


class Answering:
    """A server that gives the next of its answers to each request; None stays silent, a trailing `!` closes the connection."""

    def __init__(self, *answers: bytes | None) -> None:
        self.answers, self.requests, self.connections, self.asked = list(answers), [], 0, asyncio.Event()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = next((int(line.split(b":")[1]) for line in head.splitlines() if line.lower().startswith(b"content-length")), 0)
                self.requests.append((head, await reader.readexactly(length)))
                self.asked.set()
                answer = self.answers.pop(0)
                if answer is None:
                    await reader.read()
                    break
                writer.write(answer.removesuffix(b"!"))
                if answer.endswith(b"!"):
                    break
        except asyncio.IncompleteReadError:
            pass
        finally:
            writer.close()


@asynccontextmanager
async def served(answering: Answering) -> AsyncIterator[str]:
    server = await asyncio.start_server(answering.serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def test_one_connection_serves_request_after_request_with_body_and_headers():
    answering = Answering(OK, b"HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nno \r\n4\r\nsuch\r\n0\r\n\r\n", OK)
    async with served(answering) as url, PlainHttp(timeout=5) as http:
        first = await http.request("POST", f"{url}/a?b=c", content=b'{"x":1}', headers={"Authorization": "Bearer t"})
        second = await http.request("GET", f"{url}/d")
        assert (first.status_code, first.json(), first.headers["content-type"]) == (200, {}, "application/json")
        assert (second.status_code, second.text, str(second.request.url)) == (404, "no such", f"{url}/d")
        assert (await http.request("GET", url)).is_success
    (head, body), (plain, nothing), (root, _) = answering.requests
    assert head.startswith(b"POST /a?b=c HTTP/1.1\r\nHost: 127.0.0.1:")
    assert b"Authorization: Bearer t\r\n" in head
    assert (body, nothing, plain.split()[:2], root.split()[:2]) == (b'{"x":1}', b"", [b"GET", b"/d"], [b"GET", b"/"])
    assert answering.connections == 1


async def test_requests_at_the_same_time_have_connections_of_their_own():
    answering = Answering(OK, OK, OK)
    async with served(answering) as url, PlainHttp(timeout=5) as http:
        assert [one.status_code for one in await asyncio.gather(*(http.request("GET", url) for _ in range(3)))] == [200] * 3
    assert answering.connections == 3


async def test_a_connection_that_the_server_wants_to_close_is_not_used_again():
    answering = Answering(*[b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n!"] * 3)
    async with served(answering) as url, PlainHttp(timeout=5) as http:
        for _ in range(3):
            assert (await http.request("GET", url)).is_success
    assert answering.connections == 3


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (OK[:-1] + b"!", httpx.RemoteProtocolError),
        (b"!", httpx.RemoteProtocolError),
        (b"nonsense\r\n\r\n", httpx.RemoteProtocolError),
        (None, httpx.ReadTimeout),
    ],
)
async def test_no_whole_answer_is_an_error_as_of_httpx_and_the_next_request_goes_on(answer, error):
    answering = Answering(answer, OK)
    async with served(answering) as url, PlainHttp(timeout=0.2) as http:
        with pytest.raises(error):
            await http.request("GET", url)
        assert (await http.request("GET", url)).is_success


async def test_nobody_there_is_an_error_as_of_httpx():
    async with served(Answering()) as url:
        pass
    async with PlainHttp(timeout=5) as http:
        with pytest.raises(httpx.ConnectError):
            await http.request("GET", url)


async def test_a_header_cannot_begin_another_one():
    async with served(Answering()) as url, PlainHttp(timeout=5) as http:
        with pytest.raises(httpx.LocalProtocolError):
            await http.request("GET", url, headers={"Mcp-Name": "a\r\nX: b"})


async def test_a_request_that_is_given_up_does_not_leave_its_answer_to_the_next_one():
    answering = Answering(None, OK)
    async with served(answering) as url, PlainHttp(timeout=5) as http:
        waiting = asyncio.create_task(http.request("GET", url))
        await answering.asked.wait()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert (await http.request("GET", url)).json() == {}
    assert answering.connections == 2
