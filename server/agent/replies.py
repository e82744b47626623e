"""Short HTTP replies of the agent plane; each body is a JSON-RPC error that a client can show."""

import json
from collections.abc import Callable

from mcp import types
from starlette.types import Message, Scope, Send

NOT_FOUND = "No episode at this address. Check the environment and the key in the URL."
NO_SESSION = "Session not found"


async def reply(send: Send, status: int, message: str, *, code: int = types.INVALID_REQUEST, headers: tuple[tuple[bytes, bytes], ...] = ()) -> None:
    """Sends one JSON-RPC error without request id."""
    body = json.dumps({"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": message}}, separators=(",", ":")).encode()
    await send_json(send, status, body, headers)


async def send_json(send: Send, status: int, body: bytes, headers: tuple[tuple[bytes, bytes], ...] = ()) -> None:
    """Sends a complete JSON response."""
    head = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), (b"cache-control", b"no-store"), *headers]
    await send({"type": "http.response.start", "status": status, "headers": head})
    await send({"type": "http.response.body", "body": body})


class Watched:
    """A `send` that notes how far the response has come.

    Args:
        send: The server's.
        opened: Told of the session that the response opens, before its client can know of it.
    """

    def __init__(self, send: Send, opened: Callable[[str], object] | None = None) -> None:
        self._send = send
        self._opened = opened
        self.status = 0
        self.session = ""
        self.body = b""
        self.complete = False

    async def __call__(self, message: Message) -> None:
        """Passes the message on."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.session = next((value.decode("latin-1") for name, value in message["headers"] if name.lower() == b"mcp-session-id"), "")
            if self.session and self.status < 400 and self._opened is not None:
                self._opened(self.session)
        elif not message.get("more_body", False):
            self.complete = True
            self.body = message.get("body", b"") if self.session else b""
        await self._send(message)

    async def finish(self) -> None:
        """Ends a response that was begun, so that the client sees an orderly end."""
        if self.status and not self.complete:
            await self({"type": "http.response.body", "body": b"", "more_body": False})


def header(scope: Scope, name: bytes) -> str | None:
    """The first value of a request header, or None."""
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == name), None)
