"""One client's messages to a Streamable HTTP endpoint, whichever era each of them speaks."""

import asyncio
import base64
import json
import re
from collections.abc import AsyncIterator
from typing import Any

import httpx

from server.agent.era import VERSION_KEY, is_modern

NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
PLAIN = re.compile(r"[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?")
WAITS = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2)
"""Seconds between tries to connect: a farm that is being restarted is back within that time."""

Message = dict[str, Any]


class Unreachable(Exception):
    """The endpoint does not answer, or not with what MCP allows; the text is one sentence."""


class Upstream:
    """Sends messages and gives back what is answered.

    A session of the older protocol that the server no longer knows is opened again with the client's own `initialize`.

    Args:
        url: The endpoint.
        client: Sends the requests.
    """

    def __init__(self, url: str, client: httpx.AsyncClient) -> None:
        self._url = url
        self._client = client
        self._opening: Message | None = None
        self._session = ""
        self._version = ""

    async def send(self, message: Message) -> AsyncIterator[bytes]:
        """Sends one message; gives each message that comes back, as JSON on one line.

        Raises:
            Unreachable: no answer came.
        """
        response = await self._post(message)
        if response.status_code == 404 and self._session and message is not self._opening:
            await response.aclose()
            await self._reopen()
            response = await self._post(message)
        try:
            async for line in self._answers(message, response):
                yield line
        except httpx.HTTPError as error:
            raise Unreachable(f"{self._url}: the connection broke during the call ({type(error).__name__}). It may have been carried out.") from error
        finally:
            await response.aclose()

    async def close(self) -> None:
        """Ends the session, if there is one; what the server says does not matter."""
        if self._session:
            try:
                await self._client.delete(self._url, headers=self._legacy_headers())
            except httpx.HTTPError:
                return

    async def _reopen(self) -> None:
        self._session = ""
        if self._opening is None:
            return
        response = await self._post(self._opening)
        try:
            async for _ in self._answers(self._opening, response):
                pass
        finally:
            await response.aclose()
        ready = await self._post({"jsonrpc": "2.0", "method": "notifications/initialized"})
        await ready.aclose()

    async def _post(self, message: Message) -> httpx.Response:
        request = self._client.build_request("POST", self._url, headers=self._headers(message), content=json.dumps(message).encode())
        for wait in (*WAITS, None):
            try:
                return await self._client.send(request, stream=True)
            except httpx.ConnectError as error:
                if wait is None:
                    raise Unreachable(f"{self._url}: expected a running farm, but nothing answers. Start it with `envfarm up`.") from error
                await asyncio.sleep(wait)
            except httpx.HTTPError as error:
                raise Unreachable(f"{self._url}: the connection broke ({type(error).__name__}). The call may have been carried out.") from error
        raise AssertionError("the last wait is None")

    def _headers(self, message: Message) -> dict[str, str]:
        headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        method, params = message.get("method", ""), message.get("params")
        if not isinstance(params, dict) or not is_modern(method, params):
            return headers if method == "initialize" else headers | self._legacy_headers()
        headers |= {"mcp-protocol-version": str(params["_meta"][VERSION_KEY]), "mcp-method": method}
        name = params.get(NAMED_BY.get(method, ""))
        return headers | {"mcp-name": _header_text(name)} if isinstance(name, str) else headers

    def _legacy_headers(self) -> dict[str, str]:
        known = {"mcp-session-id": self._session, "mcp-protocol-version": self._version}
        return {name: value for name, value in known.items() if value}

    async def _answers(self, message: Message, response: httpx.Response) -> AsyncIterator[bytes]:
        opens = message.get("method") == "initialize" and response.is_success
        if response.headers.get("content-type", "").startswith("text/event-stream"):
            async for line in response.aiter_lines():
                if line.startswith("data:") and line[5:].strip():
                    data = line[5:].strip().encode()
                    if opens:
                        self._learn(message, response, data)
                    yield data
            return
        body = await response.aread()
        if opens:
            self._learn(message, response, body)
        if "id" not in message or "method" not in message:
            return
        yield _reply(message, body, response.status_code)

    def _learn(self, opening: Message, response: httpx.Response, body: bytes) -> None:
        """The session, from the answer to its opening."""
        try:
            version = str(json.loads(body)["result"]["protocolVersion"])
        except (ValueError, KeyError, TypeError):
            return
        self._opening, self._version = opening, version
        self._session = response.headers.get("mcp-session-id", "")


def failure(message: Message, text: str) -> bytes:
    """The answer to a request that could not be sent."""
    error = {"code": -32000, "message": text}
    return json.dumps({"jsonrpc": "2.0", "id": message.get("id"), "error": error}, separators=(",", ":")).encode()


def _reply(message: Message, body: bytes, status: int) -> bytes:
    """The body as the answer to `message`: an error about the HTTP request has no id of its own."""
    try:
        answer = json.loads(body)
    except ValueError:
        answer = None
    if not isinstance(answer, dict) or not ("result" in answer or "error" in answer):
        return failure(message, f"The server answered with HTTP status {status}.")
    if answer.get("id") is None:
        answer["id"] = message.get("id")
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace")


def _header_text(value: str) -> str:
    if PLAIN.fullmatch(value) and not value.startswith("=?base64?"):
        return value
    return f"=?base64?{base64.b64encode(value.encode('utf-8', 'surrogatepass')).decode()}?="
