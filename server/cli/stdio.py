"""`envfarm stdio`: one environment on stdin and stdout."""

import os
import sys
from typing import TYPE_CHECKING, Any

import typer

from server.agent.wire import claim

if TYPE_CHECKING:
    from mcp.server import Server


def stdio(
    env: str = typer.Argument(help="Id of a built environment; see `envfarm list`."),
    episode: str = typer.Option("", "--episode", help="Resume (or begin) the episode of this name; without it each start is fresh."),
) -> None:
    """Serve one environment on stdin and stdout, for free play; no farm needs to run.

    Example: envfarm stdio vet_clinic --episode monday
    """
    out = claim()
    import asyncio

    asyncio.run(_serve(env, episode, out))
    sys.stderr.flush()
    os._exit(0)  # the thread that reads stdin may still hold it: an orderly end of the interpreter would wait for it


async def _serve(environment: str, episode: str, out: int) -> None:
    from server.agent.early_stdio import serve_early
    from server.agent.opening import Opening
    from server.cli.solo_server import solo_table
    from server.config import read_settings
    from server.logs import log_to_stderr

    settings = read_settings()
    log_to_stderr(settings.log_level)
    async with solo_table(environment, episode) as table:

        def server() -> "Server[Any]":
            from server.agent.mcp_server import Plane, make_server
            from server.agent.menu import Menus

            return make_server(Plane(engine=table.engine, menus=Menus(), fixed=table.seat))

        await serve_early(Opening(*table), server, out=out, max_line=settings.max_body, max_depth=settings.max_depth)
