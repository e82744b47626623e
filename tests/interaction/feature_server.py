"""An MCP server whose tools report progress, can be cancelled and ask back, behind the farm's own transports.

python -m tests.interaction.feature_server      on stdin and stdout
"""

import asyncio
import os
import sys
from contextlib import asynccontextmanager

import anyio
from mcp import types
from mcp.server import Server

from server.agent.front import Front, Limits
from server.agent.guard import Guard, accepted_hosts, accepted_origins
from server.agent.mcp_server import HINTS, Sanitiser
from server.agent.seat import Seats
from server.agent.stdio import serve_stdio
from server.agent.wire import claim
from server.listen import address, bind, make_server, served
from tests.wire.conformance_fixtures import form, said
from tests.wire.conformance_server import NAME, One

STEPS = 5


class Tools:
    """The tools, and what has become of `wait`."""

    def __init__(self):
        self.waiting = "never called"
        self.changed = anyio.Event()
        self._ask = form({"colour": {"type": "string"}})

    def _became(self, state):
        self.waiting = state
        self.changed.set()
        self.changed = anyio.Event()

    async def list(self, ctx, params):
        names = ("count", "wait", "look", "ask", "fail")
        return types.ListToolsResult(tools=[types.Tool(name=name, input_schema={"type": "object"}) for name in names])

    async def call(self, ctx, params):
        return await getattr(self, f"_{params.name}")(ctx, params)

    async def _count(self, ctx, params):
        for step in range(STEPS):
            await ctx.session.report_progress(step + 1, STEPS, f"step {step + 1}")
        return said("counted")

    async def _wait(self, ctx, params):
        self._became("running")
        try:
            await anyio.sleep_forever()
        except anyio.get_cancelled_exc_class():
            self._became("cancelled")
            raise

    async def _look(self, ctx, params):
        """The state of `wait`, as soon as it is the one that is asked for."""
        while self.waiting != params.arguments["until"]:
            await self.changed.wait()
        return said(self.waiting)

    async def _fail(self, ctx, params):
        raise RuntimeError("a secret of ours")


def feature_server():
    tools = Tools()
    server = Server(NAME, version="1", cache_hints=HINTS, get_tool_input_schema=lambda name: None, on_list_tools=tools.list, on_call_tool=tools.call)
    server.middleware[:] = [Sanitiser()]
    return server


@asynccontextmanager
async def served_over_http():
    """The server's address at a front of its own, without the door's name."""
    hosts = accepted_hosts("127.0.0.1", ())
    guard = Guard(hosts=hosts, origins=accepted_origins(hosts, ()), max_body=1_048_576, max_depth=64)
    one = One()
    front = Front(feature_server(), Seats(one, one, open_free=one.open), guard, Limits(), streaming=True)
    listener = bind("127.0.0.1", 0, "--port")
    async with front.running(), served([(make_server(front, grace=1), listener)]):
        try:
            yield f"http://{address(listener)}/env/{NAME}"
        finally:
            front.streams.end()


if __name__ == "__main__":
    asyncio.run(serve_stdio(feature_server(), out=claim()))
    sys.stderr.flush()
    os._exit(0)
