"""The three kinds of call that are measured, and how each server is asked for them."""

import json
from dataclasses import dataclass
from itertools import cycle, islice, pairwise
from typing import Any

from registry.environment import Environment
from registry.episode import LocalEpisode

ENVIRONMENT = "vet_clinic"
KINDS = ("read", "write", "rules")
"""One-statement read, one-statement write, rule-heavy write."""
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One tool call."""

    tool: str
    arguments: dict[str, Any]


def calls(environment: Environment, kind: str) -> list[Call]:
    """Calls that can be repeated in a circle from the start state; each of them succeeds."""
    episode = LocalEpisode(environment, call_limit=0)
    if kind == "read":
        found = episode.call("search_owners", {"limit": 50}).result["items"]
        return [Call(tool="get_owner", arguments={"owner_id": one["id"]}) for one in found]
    if kind == "write":
        found = episode.call("search_owners", {"limit": 20}).result["items"]
        return [Call(tool="update_owner", arguments={"owner_id": one["id"], "plan": plan}) for plan in ("basic", "premium") for one in found]
    return _moves(episode)


def _moves(episode: LocalEpisode) -> list[Call]:
    """Appointments that are moved to and fro, each move checked against all others of the vet."""
    found = episode.call("search_appointments", {"status": "booked", "limit": 50}).result["items"]
    made: list[Call] = []
    days = [f"2026-05-{day:02}T{hour:02}:00:00" for day in range(4, 9) for hour in range(8, 17)]
    for one, (first, second) in zip(found, list(pairwise(days))[::2], strict=False):
        made += [Call(tool="move_appointment", arguments={"appointment_id": one["id"], "starts_at": at}) for at in (first, second)]
    tried = [(one, episode.call(one.tool, one.arguments).kind) for one in (*made, *made)]
    if not made or any(kind != "ok" for _, kind in tried):
        raise RuntimeError("bench: expected appointments that can be moved to and fro, got a refusal. Change bench/work.py with the seed.")
    return made


def mcp_request(path: str, call: Call, number: int, length: int = 0) -> bytes:
    """A `tools/call` of the newest protocol as bytes on the wire."""
    params = {"name": call.tool, "arguments": call.arguments, "_meta": META}
    body = json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}, separators=(",", ":")).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\n"
        f"mcp-protocol-version: 2026-07-28\r\nmcp-method: tools/call\r\nmcp-name: {call.tool}\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def bare_request(path: str, call: Call) -> bytes:
    """The same for the bare route."""
    body = json.dumps({"tool": call.tool, "arguments": call.arguments}, separators=(",", ":")).encode()
    return f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body


def circle(made: list[Call], count: int) -> list[Call]:
    """So many calls, over and over."""
    return list(islice(cycle(made), count))
