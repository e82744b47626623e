"""What a connection held is let go of when its client cuts it off."""

import asyncio
import gc
import socket
import struct

from server.connections import BoundedProtocol
from server.listen import bind, make_server, served

REQUEST = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"
CUT_OFF = struct.pack("ii", 1, 0)
"""As SO_LINGER: closing sends a reset, not an end."""


async def app(scope, receive, send):
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
        await send({"type": "http.response.body", "body": b"ok"})


def held():
    gc.collect()
    return sum(isinstance(one, BoundedProtocol) for one in gc.get_objects())


async def test_a_connection_that_was_reset_is_not_held_until_its_next_request_is_overdue():
    listening, before = bind("127.0.0.1", 0, "--port"), held()
    async with served([(make_server(app, grace=1), listening)]):
        for _ in range(20):
            reader, writer = await asyncio.open_connection(*listening.getsockname())
            writer.write(REQUEST)
            assert (await reader.readuntil(b"ok")).startswith(b"HTTP/1.1 200")
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, CUT_OFF)
            writer.transport.abort()
        for _ in range(400):
            if held() <= before:
                return
            await asyncio.sleep(0.05)
    raise AssertionError("connections that were reset are still held")
