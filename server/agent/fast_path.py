"""Answers plain requests over Streamable HTTP without the SDK, with the bytes that the SDK would send.

Texts that JSON writers write differently (beyond ASCII, exponents) are written by the writer that the SDK uses. Lists of tools are learnt from the
SDK's own answers.
"""

import json
import re
from collections import OrderedDict
from json.encoder import encode_basestring_ascii
from time import monotonic

import orjson
import pydantic_core
from starlette.types import Message, Send

from registry.dispatch.harness import ASK
from server.agent.engine import Outcome
from server.agent.era import MODERN
from server.agent.mcp_server import SERVER_INFO, Plane
from server.agent.plain import Plain
from server.agent.seat import Seat
from server.agent.session_paths import SessionPaths

REFRESH_SECONDS = 300.0
"""After so long a session's next request goes through the SDK, whose own clock ends sessions that are idle."""
LISTS_KEPT = 128
_BEYOND = re.compile(r"[^\x00-\x7e]+")
_EXPONENT = re.compile(r"[0-9][eE]")
_ERROR = '{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":%s}}'


class FastPath:
    """Serves what `PlainReader` reads.

    Args:
        plane: What the SDK's handlers work on too.
        paths: Sessions of the older protocol.
    """

    def __init__(self, plane: Plane, paths: SessionPaths) -> None:
        self._plane = plane
        self._paths = paths
        self._tails: OrderedDict[str, str] = OrderedDict()
        self.answered = 0
        self._lists: OrderedDict[tuple[str, str, bool, str], bytes] = OrderedDict()

    def takes(self, plain: Plain, seat: Seat) -> bool:
        """Whether this request is answered here; else the SDK answers it."""
        if plain.session is not None and not self._paths.is_live(plain.session.decode("latin-1"), seat.key, monotonic() - REFRESH_SECONDS):
            return False
        return self._place(plain, seat) in self._lists if plain.tool is None else plain.tool != ASK

    async def answer(self, plain: Plain, seat: Seat, send: Send) -> None:
        """Answers."""
        self.answered += 1
        if plain.tool is None:
            body = b'{"jsonrpc":"2.0","id":%b,"result":%b' % (_id(plain).encode(), self._lists[self._place(plain, seat)])
        else:
            body = (await self._call(plain, plain.tool, seat)).encode()
        length = (b"content-length", b"%d" % len(body))
        kind = (b"content-type", b"application/json")
        head = [length, kind] if plain.session is None else [kind, (b"mcp-session-id", plain.session), length]
        await send({"type": "http.response.start", "status": 200, "headers": head})
        await send({"type": "http.response.body", "body": body})

    async def _call(self, plain: Plain, tool: str, seat: Seat) -> str:
        try:
            outcome = await self._plane.engine.call(seat.key, tool, plain.arguments)
        except Exception:  # noqa: BLE001 no exception of ours reaches the wire with its text
            return _ERROR % (_id(plain), json.dumps(self._plane.sanitiser.conceal("tools/call")))
        if plain.session is None:
            return _modern(_id(plain), outcome) + self._tail(seat)
        return _legacy(_id(plain), outcome)

    def _tail(self, seat: Seat) -> str:
        """What ends each answer of the newest protocol."""
        digest = seat.environment.digest
        tail = self._tails.get(digest)
        if tail is None:
            info = {SERVER_INFO: self._plane.menus.of(seat).server_info}
            tail = self._tails[digest] = f',"_meta":{json.dumps(info, separators=(",", ":"))}}}}}'
            if len(self._tails) > LISTS_KEPT:
                self._tails.popitem(last=False)
        return tail

    def _place(self, plain: Plain, seat: Seat) -> tuple[str, str, bool, str]:
        version = MODERN if plain.session is None else self._paths.version(plain.session.decode("latin-1"))
        return (seat.environment.digest, seat.look, seat.multi_turn, version)

    def learn(self, plain: Plain, seat: Seat, send: Send) -> Send:
        """A `send` that keeps the SDK's answer to a `tools/list`, so that the next one can be answered here."""
        place = self._place(plain, seat)
        if plain.tool is not None or not place[3]:
            return send
        head = b'{"jsonrpc":"2.0","id":%b,"result":' % _id(plain).encode()
        status = 0

        async def watch(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            body = message.get("body", b"")
            if status == 200 and body.startswith(head) and not message.get("more_body", False):
                self._lists[place] = bytes(body[len(head) :])
                if len(self._lists) > LISTS_KEPT:
                    self._lists.popitem(last=False)
            await send(message)

        return watch


def _id(plain: Plain) -> str:
    if isinstance(plain.id, int):
        return str(plain.id)
    return encode_basestring_ascii(plain.id) if plain.session is None else orjson.dumps(plain.id).decode()


def _ascii(text: str) -> str:
    """JSON text with everything beyond printable ASCII escaped, as the newest protocol's writer does it."""
    return text if text.isascii() and "\x7f" not in text else _BEYOND.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    return encode_basestring_ascii(found[0])[1:-1]


def _modern(number: str, outcome: Outcome) -> str:
    text = encode_basestring_ascii(outcome.text)
    if outcome.kind != "ok":
        return f'{{"jsonrpc":"2.0","id":{number},"result":{{"content":[{{"text":{text},"type":"text"}}],"isError":true,"resultType":"complete"'
    result = json.dumps(outcome.result, separators=(",", ":")) if _EXPONENT.search(outcome.text) else _ascii(outcome.text)
    return (
        f'{{"jsonrpc":"2.0","id":{number},"result":{{"content":[{{"text":{text},"type":"text"}}],"isError":false,"resultType":"complete",'
        f'"structuredContent":{result}'
    )


def _legacy(number: str, outcome: Outcome) -> str:
    text = orjson.dumps(outcome.text).decode()
    if outcome.kind != "ok":
        return f'{{"jsonrpc":"2.0","id":{number},"result":{{"content":[{{"text":{text},"type":"text"}}],"isError":true}}}}'
    result = pydantic_core.to_json(outcome.result).decode() if _EXPONENT.search(outcome.text) else outcome.text
    return f'{{"jsonrpc":"2.0","id":{number},"result":{{"content":[{{"text":{text},"type":"text"}}],"isError":false,"structuredContent":{result}}}}}'
