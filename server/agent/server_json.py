"""`server.json` of one environment, as registries of MCP servers exchange it."""

import re
from typing import Any

SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
TITLE_LENGTH = 100
_NUMBERS = re.compile(r"\d+\.\d+\.\d+")


def version(generator: str, digest: str) -> str:
    """The version of an environment: the generator's, and which bytes it made."""
    numbers = generator if _NUMBERS.fullmatch(generator) else "0.0.0"
    return f"{numbers}+{digest[:12]}"


def description(title: str) -> str:
    """What the server is, in one line."""
    return _short(f"{title}: a synthetic environment with a database and tools that change it.")


def server_json(namespace: str, environment: str, title: str, version: str, agent_url: str) -> dict[str, Any]:
    """The document.

    Args:
        namespace: Reverse-DNS name of whoever runs the farm.
        environment: Id.
        title: Of the environment.
        version: Of the environment.
        agent_url: Where agents reach the farm. Everybody shares one episode at the first two addresses; the key of the others is free to choose.
    """
    base = f"{agent_url}/env/{environment}"
    key = {"key": {"description": "Name of an episode of your own: letters, digits, - and _.", "isRequired": True, "placeholder": "my-episode"}}
    remotes = [{"type": kind, "url": f"{base}/{end}"} for kind, end in (("streamable-http", "mcp"), ("sse", "sse"))]
    own = [{"type": one["type"], "url": one["url"].replace(base, f"{base}/e/{{key}}"), "variables": key} for one in remotes]
    return {
        "$schema": SCHEMA,
        "name": f"{namespace}/{environment}",
        "title": _short(title),
        "description": description(title),
        "version": version,
        "remotes": [*remotes, *own],
    }


def _short(text: str) -> str:
    return text if len(text) <= TITLE_LENGTH else text[: TITLE_LENGTH - 1].rstrip() + "…"
