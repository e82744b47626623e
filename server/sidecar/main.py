"""The process of the sidecar: `python -m server.sidecar.main`."""

import argparse
import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import httpx

from registry.catalogue import Catalogue
from registry.home import find_home
from server.config import Settings, read_settings
from server.errors import UserError
from server.listen import address, bind, make_server, served, stop_on_signals
from server.sidecar.app import make_app
from server.sidecar.farm import Farm
from server.sidecar.grader import Grader
from server.sidecar.packs import Packs
from server.sidecar.store import RunStore
from server.tokens import open_tokens

FARM_SECONDS = 60.0
"""How long one answer of the control plane may take."""
STORE_FILE = "sidecar.sqlite"


def main(arguments: Sequence[str] | None = None) -> None:
    """Serves until SIGINT or SIGTERM; prints one line of JSON with its URL when it is ready."""
    given = _options().parse_args(arguments)
    stop_with_stdin = given.stop_with_stdin
    options = {name: value for name, value in vars(given).items() if name != "stop_with_stdin"}
    try:
        asyncio.run(_serve(read_settings(**options), stop_with_stdin=stop_with_stdin))
    except UserError as error:
        sys.stderr.write(f"envfarm sidecar: {error}\n")
        sys.exit(error.exit_code)


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m server.sidecar.main", description="Gives out tasks, judges runs by their final state.")
    parser.add_argument("--home", help="folder of packages, packs, records and tokens")
    parser.add_argument("--sidecar-host", help="address to listen on")
    parser.add_argument("--sidecar-port", type=int, help="port to listen on; 0 takes a free one")
    parser.add_argument("--control-url", help="URL of the farm's control plane")
    parser.add_argument("--stop-with-stdin", action="store_true", help="stop when stdin ends, so that the process never outlives its parent")
    return parser


async def _serve(settings: Settings, *, stop_with_stdin: bool) -> None:
    stop = stop_on_signals()
    listener = bind(settings.sidecar_host, settings.sidecar_port, "--sidecar-port")
    async with sidecar_app(settings) as app:
        server = make_server(app, grace=settings.grace)
        async with served([(server, listener)]):
            sys.stdout.write(json.dumps({"sidecar": f"http://{address(listener)}"}) + "\n")
            sys.stdout.flush()
            with contextlib.ExitStack() as watching:
                if stop_with_stdin:
                    _watch_stdin(stop)
                    watching.callback(asyncio.get_running_loop().remove_reader, sys.stdin.fileno())
                await stop.wait()


def _watch_stdin(stop: asyncio.Event) -> None:
    def heard() -> None:
        if not sys.stdin.buffer.raw.read(4096):  # type: ignore[attr-defined]  # the raw stream of a pipe has read()
            stop.set()

    asyncio.get_running_loop().add_reader(sys.stdin.fileno(), heard)


@asynccontextmanager
async def sidecar_app(settings: Settings) -> AsyncIterator[Any]:
    """The application with all that it works on, released at the end."""
    home = find_home(settings.home)
    control = settings.control_url or f"http://{settings.control_host}:{settings.control_port}"
    tokens = open_tokens(home.tokens)
    store = RunStore(home.store / STORE_FILE)
    try:
        async with httpx.AsyncClient(timeout=FARM_SECONDS) as http:
            yield make_app(Grader(Packs(home.packs), Catalogue(home.environments), Farm(control, tokens.control, http), store), tokens)
    finally:
        store.close()


if __name__ == "__main__":
    main()
