"""Answers what clients of the older protocol ask first on stdio, before the SDK is imported: that import takes most of a start.

Whatever is not exactly what these clients send (another version, an unknown member, another method) is left to the SDK, which is then told what
was said so far.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import orjson

from registry.dispatch.harness import ASK, harness_tools
from server.agent.engine import Engine
from server.agent.seat import Seat

VERSIONS = frozenset({"2025-06-18", "2025-11-25"})
"""Protocol versions in which every result looks as it is made here."""
POLICY = "env://policy"
SCHEMA = "env://schema"
MARKDOWN = "text/markdown"
RESOURCES = (
    {"uri": POLICY, "name": "policy", "title": "Policy", "description": "The rules to keep.", "mimeType": MARKDOWN},
    {"uri": SCHEMA, "name": "schema", "title": "Tables", "description": "The tables and their columns.", "mimeType": MARKDOWN},
)
"""What is listed at every seat."""
CAPABILITIES = {"prompts": {"listChanged": False}, "resources": {"listChanged": False, "subscribe": False}, "tools": {"listChanged": False}}
_MEMBERS = frozenset({"jsonrpc", "id", "method", "params"})
_LONG_NUMBER = re.compile(rb"[0-9]{19}")
"""Integers beyond 64 bits are read as floats by the fast reader."""
_TEXT = (str, int)

Object = dict[str, Any]


class Unknown(Exception):
    """This message is not answered here."""


class Said(NamedTuple):
    """What the client said before the SDK came in.

    Attributes:
        lines: Of the handshake; empty if there was none yet.
        number: Id of the `initialize` among them.
    """

    lines: tuple[bytes, ...]
    number: str | int | None


class Opening:
    """One connection's first messages.

    Args:
        engine: The episode.
        seat: Where it is.
    """

    def __init__(self, engine: Engine, seat: Seat) -> None:
        self._engine = engine
        self._seat = seat
        self._handshake: list[bytes] = []
        self._number: str | int | None = None

    def said(self) -> Said:
        """What must be told to whoever goes on."""
        return Said(tuple(self._handshake), self._number)

    async def answer(self, line: bytes) -> bytes:
        """The line of the answer; empty for a message that has none.

        Raises:
            Unknown: Nothing was done; whoever goes on answers this.
        """
        message = _read(line)
        if "id" not in message:
            self._note(message, line)
            return b""
        result = await self._result(message, line)
        return b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (orjson.dumps(message["id"]), result)

    def _note(self, message: Object, line: bytes) -> None:
        if message["method"] != "notifications/initialized" or message.get("params") or len(self._handshake) != 1:
            raise Unknown
        self._handshake.append(line)

    async def _result(self, message: Object, line: bytes) -> bytes:
        method, params = message["method"], message.get("params", {})
        if method == "initialize":
            made = self._initialized(params)
            self._handshake, self._number = [line], message["id"]
            return made
        if len(self._handshake) != 2 or type(params) is not dict or not _is_meta(params.get("_meta", {})):
            raise Unknown
        asked = {name: value for name, value in params.items() if name != "_meta"}
        if method == "tools/call":
            return await self._called(asked)
        listed = _LISTS.get(method)
        if asked or listed is None:
            raise Unknown
        return orjson.dumps(listed(self))

    def _initialized(self, params: Any) -> bytes:
        if self._handshake or type(params) is not dict or params.keys() != {"protocolVersion", "capabilities", "clientInfo"}:
            raise Unknown
        client, version = params["clientInfo"], params["protocolVersion"]
        if type(version) is not str or version not in VERSIONS or not _is_client(client) or not _is_plain_capabilities(params["capabilities"]):
            raise Unknown
        environment = self._seat.environment
        info = {"name": environment.id, "title": environment.title, "version": environment.digest[:12]}
        return orjson.dumps({"capabilities": CAPABILITIES, "protocolVersion": version, "serverInfo": info, "instructions": environment.instructions})

    async def _called(self, asked: Object) -> bytes:
        name, arguments = asked.get("name"), asked.get("arguments", {})
        if asked.keys() - {"name", "arguments"} or type(name) is not str or type(arguments) is not dict or name == ASK:
            raise Unknown
        outcome = await self._engine.call(self._seat.key, name, arguments)
        content = [{"text": outcome.text, "type": "text"}]
        if outcome.kind != "ok":
            return orjson.dumps({"content": content, "isError": True})
        return orjson.dumps({"content": content, "isError": False, "structuredContent": orjson.Fragment(outcome.text)})

    def _prompts(self) -> Object:
        if self._seat.instruction:
            raise Unknown
        return {"prompts": []}

    def _tools(self) -> Object:
        return {"tools": [*self._seat.environment.tools, *harness_tools(multi_turn=self._seat.multi_turn)]}


_LISTS: Mapping[str, Callable[[Opening], Object]] = {
    "ping": lambda _: {},
    "tools/list": Opening._tools,
    "prompts/list": Opening._prompts,
    "resources/list": lambda _: {"resources": RESOURCES},
    "resources/templates/list": lambda _: {"resourceTemplates": []},
}


def _read(line: bytes) -> Object:
    """A request or notification with nothing unusual about it."""
    try:
        message = orjson.loads(line)
    except ValueError:
        raise Unknown from None
    if type(message) is not dict or message.keys() - _MEMBERS or message.get("jsonrpc") != "2.0" or _LONG_NUMBER.search(line):
        raise Unknown
    if type(message.get("method")) is not str or ("id" in message and type(message["id"]) not in _TEXT):
        raise Unknown
    return message


def _is_meta(meta: Any) -> bool:
    """Whether an older client may have sent this: nothing, or a progress token (no tool reports any progress)."""
    return type(meta) is dict and not meta.keys() - {"progressToken"} and type(meta.get("progressToken", "")) in _TEXT


def _is_client(client: Any) -> bool:
    """Whether this says name and version, in text."""
    if type(client) is not dict or not {"name", "version"} <= client.keys() <= {"name", "version", "title"}:
        return False
    return all(type(one) is str for one in client.values())


def _is_plain_capabilities(offered: Any) -> bool:
    """Whether a client offers what every version knows, in its plainest form."""
    if type(offered) is not dict or offered.keys() - {"roots", "sampling", "elicitation"}:
        return False
    return all(
        type(one) is dict and (not one or (name == "roots" and one in ({"listChanged": True}, {"listChanged": False})))
        for name, one in offered.items()
    )
