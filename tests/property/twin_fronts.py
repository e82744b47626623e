"""Two fronts of the agent plane over equal episodes: one with the fast path, one where the SDK serves everything."""

import asyncio
import json
from contextlib import AsyncExitStack

from registry.catalogue import Catalogue
from registry.config import RegistrySettings
from registry.episode import Episodes, EpisodeSpec
from registry.store.sqlite import SqliteStore
from server.agent.front import Front, Limits
from server.agent.guard import Guard
from server.agent.mcp_server import Plane, make_server
from server.agent.menu import Menus
from server.agent.seat import Seats
from tests.unit.registry.small_package import write_package

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}
JSON = [("host", "localhost"), ("content-type", "application/json"), ("accept", "application/json, text/event-stream")]


def message(method, params, number=1, **more):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params, **more}, ensure_ascii=False).encode()


class Twins:
    """`fast` and `slow` have sessions of the older protocol at their episode, one for each version, under the same names."""

    def __init__(self, folder):
        self._folder = folder
        self._runner = asyncio.Runner()
        self._stop = asyncio.Event()
        self.sessions = ({}, {})
        self.keys = ["", ""]
        self.opened = ["", ""]
        self.count = 0

    def __enter__(self):
        write_package(self._folder / "environments", "small")
        ready = self._runner.get_loop().create_future()
        self._held = self._runner.get_loop().create_task(self._hold(ready))
        self._runner.run(asyncio.wait_for(ready, 30))
        return self

    def __exit__(self, *exc):
        self._stop.set()
        self._runner.run(asyncio.wait_for(self._held, 30))
        self._runner.close()

    async def _hold(self, ready):
        catalogue = Catalogue(self._folder / "environments")
        self.episodes = Episodes(catalogue, SqliteStore(self._folder / "store"), RegistrySettings(home=self._folder))
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self.episodes.running())
            self.fronts = []
            for fast in (True, False):
                plane = Plane(engine=self.episodes, menus=Menus())
                guard = Guard(hosts=frozenset({"localhost"}), origins=frozenset(), max_body=100_000, max_depth=64)
                front = Front(make_server(plane), Seats(self.episodes, catalogue, open_free=None), guard, Limits(), plane if fast else None)
                await stack.enter_async_context(front.running())
                self.fronts.append(front)
            ready.set_result(None)
            await self._stop.wait()

    @property
    def answered(self):
        """How many requests the fast path has answered."""
        return self.fronts[0].fast.answered

    def start(self, versions=("2025-06-18",), **spec):
        """Equal fresh episodes."""
        self.count += 1
        for index in (0, 1):
            self.keys[index] = f"key-{self.count}-{index}"
            self._runner.run(self.episodes.create(EpisodeSpec(environment="small", key=self.keys[index], **spec)))
            for version in versions:
                opening = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
                status, headers, _ = self._runner.run(self._send(index, JSON, message("initialize", opening)))
                assert status == 200
                self.sessions[index][version] = dict(headers)["mcp-session-id"]

    def both(self, headers, body, method="POST"):
        """(status, headers, body) of both; `{session:VERSION}` in a header stands for the session."""
        return [self._runner.run(self._masked(index, headers, body, method)) for index in (0, 1)]

    def calls(self):
        """How many calls both have made."""
        return [self._runner.run(self.episodes.info(key)).calls for key in self.keys]

    async def _send(self, index, headers, body, method="POST"):
        own = self.sessions[index]
        raw = [(name.encode(), _filled(value, own).encode("latin-1")) for name, value in headers]
        path = f"/env/small/e/{self.keys[index]}/mcp"
        scope = {"type": "http", "method": method, "path": path, "headers": raw, "query_string": b"", "server": ("localhost", 1)}
        sent, parts = [], [body]

        async def receive():
            if parts:
                return {"type": "http.request", "body": parts.pop(), "more_body": False}
            return {"type": "http.disconnect"}

        async def send(one):
            sent.append(one)

        async with asyncio.timeout(30):
            await self.fronts[index](scope, receive, send)
        told = [(name.decode(), value.decode()) for name, value in sent[0]["headers"]]
        return sent[0]["status"], told, b"".join(one.get("body", b"") for one in sent[1:])

    async def _masked(self, index, headers, body, method):
        """The answer, with the version in place of a session that is known, and `new` in place of another."""
        names = {session: version for version, session in self.sessions[index].items()}
        status, told, answer = await self._send(index, headers, body, method)
        self.opened[index] = dict(told).get("mcp-session-id", "")
        return status, [(name, names.get(value, "new") if name == "mcp-session-id" else value) for name, value in told], answer


def _filled(value, sessions):
    for version, session in sessions.items():
        value = value.replace(f"{{session:{version}}}", session)
    return value
