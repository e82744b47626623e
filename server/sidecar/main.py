"""The process of the sidecar: `python -m server.sidecar.main`."""

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI

from registry.catalogue import Catalogue
from registry.errors import RegistryError, StoreLocked
from registry.home import find_home
from registry.plain_http import PlainHttp
from server.agent.guard import accepted_hosts
from server.config import Settings, read_settings
from server.errors import UserError
from server.keyring import open_keyring
from server.listen import address, bind, make_server, run_loop, served
from server.sidecar.app import make_app
from server.sidecar.farm import Farm
from server.sidecar.grader import Grader
from server.sidecar.packs import Packs
from server.sidecar.store import RunStore
from server.stopping import end_process, stop_on_signals
from server.tokens import read_tokens

FARM_SECONDS = 60.0
"""How long one answer of the control plane may take."""
LOCK_SECONDS, LOCK_LOOKS = 8.0, 40
STORE_FILE = "sidecar.sqlite"


def main() -> None:
    """Serves until SIGINT or SIGTERM; settings come from the environment."""
    try:
        end_process(run_loop(_serve(read_settings())))
    except (UserError, RegistryError) as error:
        sys.stderr.write(f"envfarm sidecar: {error}\n")
        sys.exit(getattr(error, "exit_code", 1))


async def _serve(settings: Settings) -> int:
    stop = stop_on_signals(settings.last_second)
    with bind(settings.sidecar_host, settings.sidecar_port, "ENVFARM_SIDECAR_PORT") as listener:
        async with sidecar_app(settings) as app, served([(make_server(app, grace=settings.grace), listener)], settings.grace):
            sys.stderr.write(f"envfarm sidecar: http://{address(listener)}\n")
            await stop.wait()
    return 0


@asynccontextmanager
async def sidecar_app(settings: Settings) -> AsyncIterator[FastAPI]:
    """The application with all that it works on, released at the end."""
    home = find_home(settings.home)
    control = settings.control_url or f"http://{settings.control_host}:{settings.control_port}"
    tokens = settings.tokens or home.tokens
    keyring = open_keyring(settings.token_hashes or home.token_hashes, tokens)
    store = await _store(home.store / STORE_FILE)
    try:
        async with PlainHttp(timeout=FARM_SECONDS) as http:
            grader = Grader(Packs(home.packs), Catalogue(home.environments), Farm(control, lambda: read_tokens(tokens).control, http), store)
            yield make_app(grader, keyring, accepted_hosts(settings.sidecar_host, settings.allowed_hosts))
    finally:
        store.close()


async def _store(path: Path) -> RunStore:
    """The runs; waits for a sidecar that is ending, as the one of a farm that was killed."""
    for _ in range(LOCK_LOOKS):
        with contextlib.suppress(StoreLocked):
            return RunStore(path)
        await asyncio.sleep(LOCK_SECONDS / LOCK_LOOKS)
    return RunStore(path)


if __name__ == "__main__":
    main()
