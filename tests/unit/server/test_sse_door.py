"""The older transport where a client leaves in the middle of a post."""

import re
from types import SimpleNamespace

import anyio
from mcp.server import Server

from server.agent.sse import SseDoor
from server.agent.streams import Streams

PING = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}'


def scope(method, path, query=b""):
    headers = [(b"host", b"127.0.0.1"), (b"content-type", b"application/json"), (b"content-length", str(len(PING)).encode())]
    return {"type": "http", "method": method, "path": path, "root_path": "", "query_string": query, "headers": headers, "server": ("127.0.0.1", 80)}


async def test_a_client_that_leaves_between_its_post_and_the_stream_is_no_error():
    door, seat = SseDoor(Server("test"), Streams(4), max_body=1000), SimpleNamespace(key="one")
    named, leaves, gone = anyio.Event(), anyio.Event(), anyio.Event()
    said, answered = bytearray(), []

    async def stays():
        await leaves.wait()
        return {"type": "http.disconnect"}

    async def streamed(message):
        said.extend(message.get("body", b""))
        if b"session_id=" in said:
            named.set()

    async def streams():
        await door.connect(scope("GET", "/x/sse"), stays, streamed, seat, "/x")
        gone.set()

    async def posted():
        return {"type": "http.request", "body": PING, "more_body": False}

    async def accepted(message):
        answered.append(message.get("status"))
        if message["type"] == "http.response.body":
            leaves.set()
            await gone.wait()

    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(streams)
            await named.wait()
            session = re.search(rb"session_id=(\w+)", said)[0]
            await door.post(scope("POST", "/x/messages", session), posted, accepted, seat)
    assert answered[0] == 202
