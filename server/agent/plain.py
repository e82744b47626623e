"""Reads Streamable HTTP requests that are plain: one well-formed `tools/call` or `tools/list`, with the headers that go with it.

Whatever the SDK would refuse, warn about or read in another way than we do is not plain, and is left to it.
"""

import functools
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson
from mcp_types.methods import validate_client_request
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic import ValidationError
from starlette.types import Scope

from server.agent.era import MODERN, VERSION_KEY

CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"

_READ = frozenset({b"accept", b"content-type", b"mcp-method", b"mcp-name", b"mcp-protocol-version", b"mcp-session-id"})
_ONCE = frozenset({b"mcp-method", b"mcp-name", b"mcp-protocol-version"})
_HANDSHAKE = frozenset(version.encode() for version in HANDSHAKE_PROTOCOL_VERSIONS)
_LONG_NUMBER = re.compile(rb"[0-9]{19}")
"""Integers beyond 64 bits are read as floats by the fast reader."""
_REQUEST, _CALL, _LIST = frozenset({"jsonrpc", "id", "method", "params"}), frozenset({"name", "arguments", "_meta"}), frozenset({"_meta"})
_OLD_META = frozenset({"progressToken"})
_KNOWN_METAS = 1024

Object = dict[str, Any]


class Plain(NamedTuple):
    """A plain request.

    Attributes:
        id: As sent.
        tool: The tool that is called; None for `tools/list`.
        arguments: Of the call.
        session: The older protocol's session; None in the newest.
    """

    id: int | str
    tool: str | None
    arguments: Object
    session: bytes | None


class PlainReader:
    """Remembers which `_meta` objects of clients are well-formed: a client sends the same one each time."""

    def __init__(self) -> None:
        self._metas: set[bytes] = set()

    def read(self, scope: Scope, body: bytes) -> Plain | None:
        """The request, or None when it is not plain."""
        headers = _headers(scope)
        if headers is None or not _accepts_json(headers.get(b"accept", b"")):
            return None
        version, session = headers.get(b"mcp-protocol-version"), headers.get(b"mcp-session-id")
        if version == b"2026-07-28":
            if session is not None:
                return None
        elif session is None or not (version is None or version in _HANDSHAKE) or not _is_json(headers.get(b"content-type", b"")):
            return None
        message = _message(body)
        if message is None:
            return None
        method, params = message["method"], message["params"]
        if session is None and not self._modern(headers, method, params):
            return None
        if session is not None and not _is_old_meta(params.get("_meta")):
            return None
        return _plain(message["id"], method, params, session)

    def _modern(self, headers: Mapping[bytes, bytes], method: str, params: Object) -> bool:
        """Whether headers and `_meta` are as the newest protocol wants them."""
        if headers.get(b"mcp-method") != method.encode():
            return False
        name = params.get("name")
        if name is not None and not (isinstance(name, str) and _is_plain_name(name) and headers.get(b"mcp-name") == name.encode()):
            return False
        meta = params.get("_meta")
        return isinstance(meta, dict) and meta.get(VERSION_KEY) == MODERN and CAPABILITIES_KEY in meta and self._is_known(meta)

    def _is_known(self, meta: Object) -> bool:
        token = meta.get("progressToken", "")
        if type(token) is not str and type(token) is not int:
            return False
        known = orjson.dumps({**meta, "progressToken": ""} if token else meta)
        if known in self._metas:
            return True
        try:
            validate_client_request("tools/list", MODERN, {"_meta": meta})
        except (ValidationError, ValueError, KeyError):
            return False
        if len(self._metas) >= _KNOWN_METAS:
            self._metas.clear()
        self._metas.add(known)
        return True


def _headers(scope: Scope) -> dict[bytes, bytes] | None:
    """The headers that matter, the first of each name; None when a routing header is there twice."""
    found: dict[bytes, bytes] = {}
    for name, value in scope["headers"]:
        if name in _READ:
            if name not in found:
                found[name] = value
            elif name in _ONCE:
                return None
    return found


@functools.lru_cache(256)
def _accepts_json(value: bytes) -> bool:
    accepted = {one.split(b";")[0].strip().lower() for one in value.split(b",")}
    return not accepted.isdisjoint((b"application/json", b"application/*", b"*/*"))


@functools.lru_cache(256)
def _is_json(value: bytes) -> bool:
    return value.split(b";")[0].strip() == b"application/json"


def _is_plain_name(name: str) -> bool:
    """Whether a header says this name as it is: no encoding, no spaces around it, which a header does not keep."""
    return name.isascii() and name == name.strip() and name[:2] != "=?"


def _message(body: bytes) -> Object | None:
    """The request with an object as `params`; None when it is anything else."""
    try:
        message = orjson.loads(body)
    except ValueError:
        return None
    if type(message) is not dict or message.keys() - _REQUEST or message.get("jsonrpc") != "2.0" or _LONG_NUMBER.search(body):
        return None
    kind = type(message.get("id"))
    if (kind is not int and kind is not str) or type(message.get("method")) is not str:
        return None
    params = message.setdefault("params", {})
    return message if type(params) is dict else None


def _is_old_meta(meta: Any) -> bool:
    """Whether an older client may have sent this: nothing, or a progress token (nobody is told progress in a JSON reply)."""
    if meta is None:
        return True
    return type(meta) is dict and not meta.keys() - _OLD_META and type(meta.get("progressToken", "")) in (str, int)


def _plain(number: int | str, method: str, params: Object, session: bytes | None) -> Plain | None:
    if "_meta" in params and params["_meta"] is None:
        return None
    if method == "tools/list":
        return None if params.keys() - _LIST else Plain(number, None, {}, session)
    name, arguments = params.get("name"), params.get("arguments", {})
    if method != "tools/call" or params.keys() - _CALL or type(name) is not str or type(arguments) is not dict:
        return None
    return Plain(number, name, arguments, session)
