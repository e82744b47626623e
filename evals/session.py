"""Tool calls on an episode's MCP URL: a thin JSON-RPC client, or the official SDK in either era."""

import itertools
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import httpx
import orjson

from evals.errors import EvalError
from registry.plain_http import Http

Client = Literal["thin", "modern", "legacy"]
"""`thin`: our own few lines of the modern era; `modern` and `legacy`: the official SDK, by era of the protocol."""
VERSION = "2026-07-28"
SUBMIT = "submit_answer"
"""The tool of every environment that ends a task."""
NAME = {"name": "envfarm", "version": "0"}


META = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientInfo": NAME,
    "io.modelcontextprotocol/clientCapabilities": {},
}
HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json", "MCP-Protocol-Version": VERSION}


class WireBroken(EvalError):
    """The MCP endpoint does not answer, or not with what MCP allows; the text is one sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The answer to one call: a JSON object, or an error's text."""

    result: dict[str, Any] | None
    text: str


class Session(Protocol):
    """An agent's connection to one episode."""

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Reply:
        """Calls a tool; WireBroken when no answer comes."""


@asynccontextmanager
async def connected(url: str, http: Http, client: Client = "thin") -> AsyncIterator[Session]:
    """A session on an MCP URL.

    Args:
        url: Streamable HTTP endpoint of one episode.
        http: Carries the requests of thin clients.
        client: Which one.
    """
    if client == "thin":
        yield ThinSession(url, http)
        return
    import httpx2  # noqa: PLC0415 (the SDK takes a second to import)
    from mcp import Client as SdkClient  # noqa: PLC0415
    from mcp.client.streamable_http import streamable_http_client  # noqa: PLC0415

    async with httpx2.AsyncClient(trust_env=False, timeout=60) as carrier:
        transport = streamable_http_client(url, http_client=carrier)
        async with SdkClient(transport, mode=VERSION if client == "modern" else "legacy") as sdk:
            yield SdkSession(sdk)


class SdkSession:
    """A session of the official SDK."""

    def __init__(self, sdk: Any) -> None:
        self._sdk = sdk

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Reply:
        """Calls a tool."""
        found = await self._sdk.call_tool(tool, dict(arguments))
        text = "".join(getattr(block, "text", "") for block in found.content)
        return Reply(result=None if found.is_error else found.structured_content, text=text)


class ThinSession:
    """A session of the modern era, in which every request stands alone."""

    def __init__(self, url: str, http: Http) -> None:
        self._url, self._http = url, http
        self._numbers = itertools.count(1)

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Reply:
        """Calls a tool."""
        told = await self._asked("tools/call", {"name": tool, "arguments": dict(arguments)}, {"Mcp-Name": tool})
        text = "".join(block.get("text", "") for block in told.get("content", ()))
        return Reply(result=None if told.get("isError") else told.get("structuredContent"), text=text)

    async def tools(self) -> list[dict[str, Any]]:
        """The tools of the episode."""
        told: list[dict[str, Any]] = (await self._asked("tools/list", {}, {}))["tools"]
        return told

    async def _asked(self, method: str, given: Mapping[str, Any], more: Mapping[str, str]) -> dict[str, Any]:
        body = {"jsonrpc": "2.0", "id": next(self._numbers), "method": method, "params": {**given, "_meta": META}}
        headers = {**HEADERS, "Mcp-Method": method, **more}
        what = given.get("name", method)
        try:
            response = await self._http.request("POST", self._url, content=_json(body), headers=headers)
        except httpx.HTTPError as error:
            raise WireBroken(f"{self._url}: expected an answer to {what}, got {type(error).__name__}. Is the farm running?") from error
        found = _message(response)
        if "result" not in found:
            raise WireBroken(f"{self._url}: expected a result of {what}, got {json.dumps(found)[:200]}. Is this the URL of an episode?")
        told: dict[str, Any] = found["result"]
        return told


def _json(body: Any) -> bytes:
    try:
        return orjson.dumps(body)
    except TypeError:  # a number beyond 64 bits, which an agent may well try
        return json.dumps(body).encode()


def _message(response: httpx.Response) -> dict[str, Any]:
    """The JSON-RPC reply, sent as JSON or as the last event of a stream."""
    content = response.content
    if response.headers.get("content-type", "").startswith("text/event-stream"):
        content = [line.removeprefix(b"data:") for line in content.splitlines() if line.startswith(b"data:")][-1]
    try:
        found = orjson.loads(content)
    except ValueError:
        found = {"status": response.status_code, "text": response.text}
    return found if isinstance(found, dict) else {"reply": found}
