"""Checks of a request before anything of it is parsed: Host, Origin, size, depth of nesting."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from starlette.types import Message, Receive, Scope

LOOPBACK_HOSTS = ("localhost", "127.0.0.1", "[::1]")
TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*"?|[\[{]|[\]}]', re.DOTALL)
"""Strings (an unclosed one takes the rest, so that scanning stays linear) and brackets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Why a request is not served."""

    status: int
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """Limits of what is let in.

    Args:
        hosts: Accepted Host values: `name`, `name:port`, `name:*`; `*` accepts all. A name without port is accepted with any port too.
        origins: Accepted Origin values, likewise, with scheme.
        max_body: Bytes.
        max_depth: Levels of nesting.
    """

    hosts: frozenset[str]
    origins: frozenset[str]
    max_body: int
    max_depth: int

    def headers(self, scope: Scope) -> Refused | None:
        """Checks Host and Origin: a web page that reaches us through a rebound name is refused."""
        found = {name: value.decode("latin-1") for name, value in scope["headers"] if name in (b"host", b"origin")}
        host = found.get(b"host", "")
        if not listed(host.lower(), self.hosts):
            return Refused(status=421, message=f"Host: expected a configured name, got {host[:100]!r}. Add it to ENVFARM_ALLOWED_HOSTS.")
        origin = found.get(b"origin", "")
        if origin and not listed(origin.lower(), self.origins):
            return Refused(status=403, message=f"Origin: expected a configured origin, got {origin[:100]!r}. Add it to ENVFARM_ALLOWED_ORIGINS.")
        return None

    async def body(self, scope: Scope, receive: Receive) -> bytes | Refused | None:
        """The whole body; a refusal when it is too large or nested too deeply; None when the client left."""
        too_large = Refused(status=413, message=f"Body: expected at most {self.max_body} bytes. Send less.")
        declared = next((value for name, value in scope["headers"] if name == b"content-length"), b"")
        if declared.isdigit() and int(declared) > self.max_body:
            return too_large
        parts: list[bytes] = []
        size = 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            part = message.get("body", b"")
            size += len(part)
            if size > self.max_body:
                return too_large
            parts.append(part)
            if not message.get("more_body", False):
                break
        body = parts[0] if len(parts) == 1 else b"".join(parts)
        if deeper_than(body, self.max_depth):
            return Refused(status=400, message=f"Body: expected at most {self.max_depth} levels of nesting. Send it flatter.")
        return body


def deeper_than(body: bytes, levels: int) -> bool:
    """Whether the JSON text nests deeper than `levels`."""
    if body.count(b"{") + body.count(b"[") <= levels:
        return False
    depth = 0
    for token in TOKENS.finditer(body):
        first = body[token.start()]
        if first in b"[{":
            depth += 1
            if depth > levels:
                return True
        elif first in b"]}":
            depth -= 1
    return False


def replay(body: bytes, receive: Receive) -> Receive:
    """A receive that gives the body that was read, then whatever comes."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again


def accepted_hosts(bind: str, more: Sequence[str]) -> frozenset[str]:
    """Loopback names, the address that is listened on, and the configured ones."""
    own = () if bind in ("0.0.0.0", "::") else (bind if ":" not in bind else f"[{bind}]",)  # noqa: S104
    return frozenset(name.lower() for name in (*LOOPBACK_HOSTS, *own, *more))


def accepted_origins(hosts: Iterable[str], more: Sequence[str]) -> frozenset[str]:
    """Pages of the accepted hosts, and the configured origins."""
    pages = {f"{scheme}://{host}" for scheme in ("http", "https") for host in hosts if host != "*"}
    return frozenset(pages | {origin.lower() for origin in more})


def listed(value: str, accepted: frozenset[str]) -> bool:
    """Whether the value of a header is one of the accepted ones, with a port or without."""
    if value in accepted or "*" in accepted:
        return True
    name, colon, port = value.rpartition(":")
    if not colon or not port.isdigit():
        return f"{value}:*" in accepted
    return name in accepted or f"{name}:*" in accepted
