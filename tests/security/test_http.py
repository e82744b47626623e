"""The HTTP layer: requests in two readings, bodies and heads without end, clients that take their time."""

import asyncio
import gzip
import json
import tracemalloc
import zlib

import anyio
import pytest

from server.connections import HEAD_BYTES, Arrivals
from tests.interaction.wire_lines import modern
from tests.security.prey import headers_of, status

SECOND = b"GET /v1/episodes HTTP/1.1\r\nhost: localhost\r\n\r\n"
CALL = json.dumps(modern(1, "tools/list")).encode()


def request(path, *lines, body=b""):
    return b"".join(
        [f"POST {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n".encode(), *(line + b"\r\n" for line in lines), b"\r\n", body]
    )


SMUGGLED = {
    "both lengths": ((b"content-length: 4", b"transfer-encoding: chunked"), b"0\r\n\r\n" + SECOND),
    "two lengths": ((b"content-length: 4", b"content-length: 60"), b"{}  " + SECOND),
    "lengths in one line": ((b"content-length: 4, 60",), b"{}  " + SECOND),
    "negative length": ((b"content-length: -1",), SECOND),
    "signed length": ((b"content-length: +4",), b"{}  " + SECOND),
    "hexadecimal length": ((b"content-length: 0x4",), b"{}  " + SECOND),
    "length with letters": ((b"content-length: 4x",), b"{}  " + SECOND),
    "length beyond all": ((b"content-length: 99999999999999999999999",), SECOND),
    "length of other digits": ("content-length: ٤".encode(), b"{}  " + SECOND),
    "hidden coding": ((b"transfer-encoding: xchunked",), b"0\r\n\r\n" + SECOND),
    "coding in two lines": ((b"transfer-encoding: identity", b"transfer-encoding: chunked"), b"0\r\n\r\n" + SECOND),
    "coding with a tab": ((b"transfer-encoding:\tchunked", b"content-length: 4"), b"0\r\n\r\n" + SECOND),
    "coding after chunked": ((b"transfer-encoding: chunked, identity",), b"0\r\n\r\n" + SECOND),
    "blank before the colon": ((b"transfer-encoding : chunked",), b"0\r\n\r\n" + SECOND),
    "folded line": ((b"x: 1", b" transfer-encoding: chunked"), SECOND),
    "bare line feed": ((b"x: 1\ncontent-length: 4",), b"{}  " + SECOND),
    "bare carriage return": ((b"x: 1\rcontent-length: 4",), b"{}  " + SECOND),
    "nul in a name": ((b"content\x00-length: 4",), b"{}  " + SECOND),
    "nul in a value": ((b"x: \x00",), SECOND),
    "no name": ((b": 4",), SECOND),
    "chunk with a sign": ((b"transfer-encoding: chunked",), b"-1\r\n\r\n" + SECOND),
    "chunk with an extension": ((b"transfer-encoding: chunked",), b"2;a=\n\r\n{}\r\n0\r\n\r\n" + SECOND),
    "chunk beyond all": ((b"transfer-encoding: chunked",), b"FFFFFFFFFFFFFFFFF\r\n" + SECOND),
    "chunk without its end": ((b"transfer-encoding: chunked",), b"2\r\n{}GET" + SECOND),
    "trailer with a length": ((b"transfer-encoding: chunked",), b"2\r\n{}\r\n0\r\ncontent-length: 9\r\n\r\n" + SECOND),
    "upgrade": ((b"upgrade: websocket", b"connection: upgrade"), SECOND),
    "upgrade to http 2": ((b"upgrade: h2c", b"connection: upgrade, http2-settings"), SECOND),
    "host twice": ((b"host: evil.example", b"content-length: 2"), b"{}" + SECOND),
    "method in a header": ((b"x-http-method-override: DELETE", b"content-length: 2"), b"{}"),
    "path in a header": ((b"x-original-url: /v1/episodes", b"x-rewrite-url: /v1/episodes", b"content-length: 2"), b"{}"),
    "proxy's headers": (
        (b"x-forwarded-for: 127.0.0.1", b"x-forwarded-host: localhost:8801", b"forwarded: for=127.0.0.1", b"content-length: 2"),
        b"{}",
    ),
    "prefix in a header": ((b"x-forwarded-prefix: /v1", b"x-script-name: /v1", b"content-length: 2"), b"{}"),
}
LINES = [
    b"POST",
    b"\r\n\r\n\r\n",
    b"GET / HTTP/9.9\r\n\r\n",
    b"GET / HTTP/0.9\r\n\r\n",
    b"GET /v1/episodes\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"\x00" * 100,
    b"GET  /v1/episodes HTTP/1.1\r\n\r\n",
    b"GET\t/v1/episodes\tHTTP/1.1\r\n\r\n",
    b"\xff\xfe\xfd\r\n\r\n",
    b"HTTP/1.1 200 OK\r\n\r\n",
    b'{"jsonrpc": "2.0"}\n',
    b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n" * 50,
]


@pytest.mark.parametrize("name", SMUGGLED)
async def test_a_second_request_hidden_in_the_first_brings_nothing(prey, name):
    lines, body = SMUGGLED[name]
    answer = await raw(prey, request(prey.path, *((lines,) if isinstance(lines, bytes) else lines), body=body), wait=1)
    assert status(answer) in (0, 400, 404, 406, 413, 415, 421), answer[:200]
    prey.check(answer, name)
    assert b'"episodes"' not in answer


async def raw(prey, data, wait=20.0):
    """What comes back until the farm closes, or for `wait` seconds: a request that never ends gets no answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", prey.port)
    answer = b""
    try:
        writer.write(data)
        async with asyncio.timeout(wait):
            while part := await reader.read(65536):
                answer += part
    except (ConnectionError, TimeoutError):
        pass
    finally:
        writer.close()
    return answer


async def test_what_is_no_request_is_answered_400_or_not_at_all(prey):
    for line in LINES:
        answer = await raw(prey, line, wait=0.3)
        assert status(answer) in (0, 400, 404, 421), line
        prey.check(answer, line)


@pytest.mark.parametrize("filler", [b"x-long: " + b"a" * 70_000, b"\r\n".join(b"x-%d: a" % n for n in range(9_000)), b"cookie: " + b"=;" * 40_000])
async def test_a_head_without_end_is_cut_off(prey, filler):
    reader, writer = await asyncio.open_connection("127.0.0.1", prey.port)
    sent = 0
    try:
        writer.write(f"GET {prey.path} HTTP/1.1\r\nhost: localhost\r\n".encode())
        async with asyncio.timeout(10):
            while sent < 20 * HEAD_BYTES and not reader.at_eof():
                writer.write(filler)
                await writer.drain()
                sent += len(filler)
                await asyncio.sleep(0)
            assert status(await reader.read(100)) in (0, 400)
    except ConnectionError:
        pass
    finally:
        writer.close()


async def test_a_request_line_without_end_is_cut_off(prey):
    assert status(await raw(prey, b"GET /" + b"a" * 400_000 + b" HTTP/1.1\r\nhost: localhost\r\n\r\n")) in (0, 400, 404)


PACKED = 50_000_000
"""Bytes that a small body would become."""


def bombs():
    zeros = bytes(PACKED)
    return {
        "gzip": gzip.compress(zeros),
        "deflate": zlib.compress(zeros),
        "br": b"\x00" * 100,
        "zstd": b"\x28\xb5\x2f\xfd",
        "gzip, gzip": gzip.compress(gzip.compress(zeros)),
        "identity": b"\x1f\x8b",
    }


@pytest.fixture
def traced():
    tracemalloc.start()
    yield
    tracemalloc.stop()


async def test_a_packed_body_is_never_unpacked(prey, traced):
    packed = bombs()
    for coding, body in packed.items():
        tracemalloc.reset_peak()
        answer = await raw(
            prey,
            request(
                prey.path,
                b"content-type: application/json",
                b"accept: application/json, text/event-stream",
                b"content-encoding: " + coding.encode(),
                b"content-length: %d" % len(body),
                body=body,
            ),
        )
        assert status(answer) == 400, coding
        assert tracemalloc.get_traced_memory()[1] < PACKED // 2, coding


async def test_bodies_that_are_too_large_or_too_deep_are_refused_whatever_the_header_says(prey):
    head = (b"content-type: application/json", b"mcp-protocol-version: 2026-07-28")
    large = [b"[" + b"1," * 800_000 + b"1]", b'"' + b"a" * 1_200_000 + b'"', b" " * 1_100_000, b"{" + b'"a":1,' * 300_000 + b'"a":1}']
    deep = [b"[" * n for n in (65, 1000, 500_000)] + [b'{"a":' * n + b"1" + b"}" * n for n in (65, 100_000)] + [b'{"params":' + b"[{" * 60_000]
    for body, expected in [*((one, (413, 0)) for one in large), *((one, (400, 413)) for one in deep)]:
        for lines in ((b"content-length: %d" % len(body),), (b"transfer-encoding: chunked",)):
            chunked = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
            answer = await raw(prey, request(prey.path, *head, *lines, body=body if b"length" in lines[0] else chunked))
            assert status(answer) in expected, (body[:40], lines, answer[:100])


NUMBERS = [
    b"1" * 5000,
    b"1e400",
    b"-" + b"9" * 400_000,
    b"1E+99999999999",
    b"0." + b"0" * 100_000 + b"1",
    b"NaN",
    b"Infinity",
    b"01",
    b"0x10",
    b"1_000",
]
REPEATED = [
    b'{"a":1,"a":2}',
    b'{"jsonrpc":"2.0","jsonrpc":"1.0","id":1,"method":"tools/list"}',
    b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}',
    b'{"__proto__":{"id":1}}',
    b"\xef\xbb\xbf{}",
    b'{"a":"\\ud800"}',
    b'{"a":"\xed\xa0\x80"}',
    b"{'a':1}",
    b"{a:1}",
    b'{"a":1,}',
    b'{"a":1}{"b":2}',
    b'{"a":1}\x00',
]


async def test_numbers_and_objects_that_parsers_read_differently_do_no_harm(prey):
    for text in NUMBERS:
        body = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add_credit","arguments":{"owner_id":"OWN-1","amount":%b}}}' % text
        answer = await post_bytes(prey, body)
        assert b"INTERNAL_ERROR" not in answer, text[:20]
        prey.check(answer, text[:20])
    for body in REPEATED:
        answer = await post_bytes(prey, body)
        assert status(answer) in (200, 202, 400), body
        prey.check(answer, body)


async def post_bytes(prey, body):
    lines = [f"{name}: {value}".encode() for name, value in headers_of(modern(1, "tools/call", name="add_credit")).items()]
    return await raw(prey, request(prey.path, *lines, b"content-length: %d" % len(body), body=body))


async def test_clients_that_take_their_time_are_let_go_and_others_are_served_meanwhile(prey):
    """Slow heads, slow bodies, connections that ask for nothing; the farm's clock is moved, nobody waits."""
    halves = [
        b"",
        b"POST ",
        f"POST {prey.path} HTTP/1.1\r\nhost: local".encode(),
        request(prey.path, b"content-length: 500", body=b"{"),
        request(prey.path, b"transfer-encoding: chunked", body=b"1\r\n{\r\n"),
    ]
    slow = [await asyncio.open_connection("127.0.0.1", prey.port) for _ in range(200)]
    for number, (_, writer) in enumerate(slow):
        writer.write(halves[number % len(halves)])
    assert await prey.ordinary_call() == 200
    connections = [one for one in all_connections() if one.transport.get_extra_info("sockname")[1] == prey.port]
    assert len(connections) >= 200
    arrivals = Arrivals(connections, patience=20)
    assert arrivals.look(0) == 0
    assert arrivals.look(19) == 0
    assert arrivals.look(21) == 200
    for reader, writer in slow:
        assert status(await asyncio.wait_for(reader.read(), 10)) in (0, 503)
        writer.close()
    assert await prey.ordinary_call() == 200


def all_connections():
    import gc

    from server.connections import BoundedProtocol

    return [one for one in gc.get_objects() if isinstance(one, BoundedProtocol) and one.transport is not None and not one.transport.is_closing()]


async def test_a_connection_that_is_served_or_rests_between_requests_is_not_late(prey):
    reader, writer = await asyncio.open_connection("127.0.0.1", prey.port)
    writer.write(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n")
    await reader.readuntil(b"ok")
    mine = [one for one in all_connections() if one.client[1] == writer.get_extra_info("sockname")[1]]
    arrivals = Arrivals(mine)
    assert [arrivals.look(0), arrivals.look(1000)] == [0, 0]
    writer.write(b"GET ")
    async with asyncio.timeout(10):
        while mine[0].timeout_keep_alive_task is not None:
            await anyio.lowlevel.checkpoint()
    assert [arrivals.look(1001), arrivals.look(1030)] == [0, 1]
    writer.close()
