"""Clients over raw sockets: some behave, some vanish, read half, cancel, come back, or send what is no request."""

import asyncio
import contextlib
import json
import random
import socket
import struct
from collections import Counter
from dataclasses import dataclass, field

from tests.interaction.wire_lines import INITIALIZED, initialize, legacy, modern, modern_headers

PATIENCE = 60
GARBAGE = [
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"\x00" * 2000,
    b"POST /env/small/mcp HTTP/9.9\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"POST /env/small/mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n[[[[[",
    b"POST /env/small/mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"POST /env/small/mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
    b"POST /env/small/mcp HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 70_000 + b"\r\n\r\n",
    b"POST /env/small/e/" + b"k" * 300 + b"/mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}",
    b"DELETE /env/small/mcp HTTP/1.1\r\nHost: localhost\r\nMcp-Session-Id: \xff\r\n\r\n",
]


@dataclass
class Tally:
    """What was sent and answered.

    Attributes:
        sent: Calls of tools that left.
        answered: Names that were given to owners by calls that were answered, by episode.
        kinds: How often each kind of client ran.
        wrong: What a client that behaves did not get.
    """

    sent: int = 0
    answered: dict[str, list[str]] = field(default_factory=dict)
    kinds: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


class Gone(Exception):
    """The server has ended the connection, or refuses for now."""


class Wild:
    """Makes clients of every kind.

    Args:
        port: Of the farm.
        seed: Of all that is random.
        keys: How many episodes there are.
    """

    def __init__(self, port: int, seed: int, keys: int = 12) -> None:
        self.tally = Tally()
        self.over = asyncio.Event()
        self._port = port
        self._random = random.Random(seed)
        self._keys = [f"k{number}" for number in range(keys)]
        self._count = 0
        self._mark, self._marked = 0, asyncio.Event()
        self._kinds = {
            self.behaves: 10,
            self.older: 5,
            self.over_sse: 3,
            self.vanishes: 3,
            self.half_sent: 2,
            self.half_read: 3,
            self.cancels: 3,
            self.leaves_a_stream: 2,
            self.garbage: 3,
        }

    async def run(self, calls: int, workers: int) -> None:
        """Sends about so many calls more, from several clients at once; each kind of client comes at least once."""
        first = list(self._kinds)
        end = self.tally.sent + calls

        async def work() -> None:
            while self.tally.sent < end and not self.over.is_set():
                kind = first.pop() if first else self._random.choices(list(self._kinds), weights=list(self._kinds.values()))[0]
                self.tally.kinds[kind.__name__] += 1
                try:
                    async with asyncio.timeout(PATIENCE):
                        await kind()
                except (Gone, OSError, asyncio.IncompleteReadError):
                    if kind in (self.behaves, self.older, self.over_sse) and not self.over.is_set():
                        self.tally.kinds["turned away"] += 1
                except TimeoutError:
                    self.tally.wrong.append(f"{kind.__name__}: no answer within {PATIENCE} seconds")

        async with asyncio.TaskGroup() as tasks:
            for _ in range(workers):
                tasks.create_task(work())

    async def sent(self, more: int) -> None:
        """Waits until so many calls more have left."""
        self._mark = self.tally.sent + more
        self._marked.clear()
        await self._marked.wait()

    def _call(self, key: str, number: int, *, new: bool) -> tuple[dict, str]:
        self._count += 1
        self.tally.sent += 1
        if self.tally.sent >= self._mark:
            self._marked.set()
        name = f"{key} {self._count}"
        arguments = {"owner_id": "OWN-1", "name": name}
        return (modern if new else legacy)(number, "tools/call", name="rename_owner", arguments=arguments), name

    def _check(self, key: str, name: str, answer: dict) -> None:
        if answer.get("result", {}).get("structuredContent", {}).get("name") != name:
            self.tally.wrong.append(f"{name}: {json.dumps(answer)[:200]}")
        else:
            self.tally.answered.setdefault(key, []).append(name)

    def _key(self) -> str:
        return self._random.choice(self._keys)

    @contextlib.asynccontextmanager
    async def _open(self):
        connection = Connection(*await asyncio.open_connection("127.0.0.1", self._port, limit=1 << 20))
        try:
            yield connection
        finally:
            connection.abort()

    async def behaves(self) -> None:
        key = self._key()
        async with self._open() as http:
            for number in range(self._random.randrange(10, 60)):
                call, name = self._call(key, number, new=True)
                self._check(key, name, await http.ask(f"/env/small/e/{key}/mcp", call, modern_headers(call)))
            listing = modern(0, "tools/list")
            await http.ask(f"/env/small/e/{key}/mcp", listing, modern_headers(listing))

    async def older(self) -> None:
        """One session; it is ended more often than not."""
        key = self._key()
        path = f"/env/small/e/{key}/mcp"
        async with self._open() as http:
            session = await http.session(path)
            for number in range(self._random.randrange(5, 30)):
                call, name = self._call(key, number, new=False)
                self._check(key, name, await http.ask(path, call, session))
            if self._random.random() < 0.7:
                await http.send("DELETE", path, b"", session)
                await http.answer()

    async def over_sse(self) -> None:
        """A stream and a second connection for what is posted; left without a word."""
        key = self._key()
        async with self._open() as stream, self._open() as http:
            await stream.send("GET", f"/env/small/e/{key}/sse", b"", {"accept": "text/event-stream"})
            await stream.head()
            post = await stream.event()
            for number in range(self._random.randrange(1, 8)):
                call, name = self._call(key, number, new=True)
                await http.send("POST", post, json.dumps(call).encode(), {})
                await http.answer()
                self._check(key, name, json.loads(await stream.event()))

    async def vanishes(self) -> None:
        for _ in range(5):
            async with self._open() as http:
                call, _ = self._call(self._key(), 1, new=True)
                await http.send("POST", f"/env/small/e/{self._key()}/mcp", json.dumps(call).encode(), modern_headers(call))

    async def half_sent(self) -> None:
        async with self._open() as http:
            call, _ = self._call(self._key(), 1, new=True)
            body = json.dumps(call).encode()
            await http.send(
                "POST", f"/env/small/e/{self._key()}/mcp", body[: len(body) // 2], {**modern_headers(call), "content-length": str(len(body))}
            )

    async def half_read(self) -> None:
        for _ in range(3):
            async with self._open() as http:
                call, _ = self._call(self._key(), 1, new=True)
                await http.send("POST", f"/env/small/e/{self._key()}/mcp", json.dumps(call).encode(), modern_headers(call))
                await http.reader.read(20)

    async def cancels(self) -> None:
        """A call and its cancellation at the same time, several times."""
        key = self._key()
        path = f"/env/small/e/{key}/mcp"
        async with self._open() as http, self._open() as other:
            session = await http.session(path)
            for number in range(5):
                call, _ = self._call(key, number, new=False)
                await http.send("POST", path, json.dumps(call).encode(), session)
                cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}}
                await other.send("POST", path, json.dumps(cancel).encode(), session)
                await other.answer()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(0.05):  # a call that was cancelled in time gets no answer
                        await http.answer()
                        continue
                return

    async def leaves_a_stream(self) -> None:
        path = f"/env/small/e/{self._key()}/mcp"
        async with self._open() as http, self._open() as stream:
            session = await http.session(path)
            await stream.send("GET", path, b"", {**session, "accept": "text/event-stream"})
            await stream.head()

    async def garbage(self) -> None:
        async with self._open() as http:
            http.writer.write(self._random.choice(GARBAGE))
            await http.writer.drain()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(0.05):
                    await http.reader.read(1000)


class Connection:
    """One socket that speaks HTTP/1.1."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    def abort(self) -> None:
        """Ends it without a farewell, as a process does that is killed."""
        self.writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()

    async def send(self, method: str, path: str, body: bytes, headers: dict[str, str]) -> None:
        head = {"host": "localhost", "content-type": "application/json", "accept": "application/json, text/event-stream"}
        head |= {"content-length": str(len(body)), **headers}
        lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
        self.writer.write(f"{method} {path} HTTP/1.1\r\n{lines}\r\n".encode() + body)
        await self.writer.drain()

    async def head(self) -> tuple[int, dict[str, str]]:
        lines = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
        return int(lines[0].split(" ")[1]), headers

    async def answer(self) -> tuple[int, dict[str, str], bytes]:
        status, headers = await self.head()
        if status in (429, 503):
            raise Gone
        return status, headers, await self.reader.readexactly(int(headers.get("content-length", "0")))

    async def ask(self, path: str, message: dict, headers: dict[str, str]) -> dict:
        await self.send("POST", path, json.dumps(message).encode(), headers)
        _, _, body = await self.answer()
        return json.loads(body)

    async def session(self, path: str) -> dict[str, str]:
        """Opens a session; its headers."""
        await self.send("POST", path, json.dumps(initialize()).encode(), {})
        _, headers, _ = await self.answer()
        session = {"mcp-session-id": headers["mcp-session-id"], "mcp-protocol-version": "2025-06-18"}
        await self.send("POST", path, json.dumps(INITIALIZED).encode(), session)
        await self.answer()
        return session

    async def event(self) -> str:
        """The data of the next event of a stream."""
        while True:
            line = (await self.reader.readuntil(b"\r\n")).decode()
            if line.startswith("data: "):
                return line[6:].strip()
