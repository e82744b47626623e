"""`envfarm bridge`: stdin and stdout, joined to a running farm."""

import os
import sys

import typer

from server.agent.wire import claim
from server.errors import WrongUsage


def bridge(
    url: str = typer.Argument(help="The MCP URL of an episode, as `envfarm up` and `envfarm start` print it."),
    header: list[str] = typer.Option([], "--header", help='Sent with each request, as "Name: value"; may be given several times.'),
) -> None:
    """Join stdin and stdout to an episode of a running farm, for clients that speak stdio only.

    Example: envfarm bridge http://127.0.0.1:8800/env/vet_clinic/mcp
    """
    out = claim()
    import asyncio

    from server.agent.bridge import serve_bridge

    asyncio.run(serve_bridge(_endpoint(url), out=out, headers=dict(_pair(one) for one in header)))
    sys.stderr.flush()
    os._exit(0)  # as in stdio: the reading thread may still wait


def _endpoint(url: str) -> str:
    plain = url.rstrip("/")
    if not plain.startswith(("http://", "https://")) or plain.endswith("/sse"):
        raise WrongUsage(f"URL: expected http://…/mcp, got {url}. Give the Streamable HTTP address that `envfarm up` or `envfarm start` prints.")
    return plain


def _pair(header: str) -> tuple[str, str]:
    name, colon, value = header.partition(":")
    if not colon or not name.strip():
        raise WrongUsage(f'--header: expected "Name: value", got {header!r}. Put it in quotes.')
    return name.strip(), value.strip()
