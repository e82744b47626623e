"""One run of `envfarm up`: everything that is opened, in order, and closed in reverse."""

import asyncio
import json as jsonlib
import os
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from pathlib import Path

from registry.catalogue import Catalogue
from registry.episode import Episodes
from registry.home import Home, find_home
from registry.store.choose import store_of
from server.building import building
from server.children import child, companion
from server.cli.answer import note, show
from server.cli.ready import Ready, tasks_of
from server.config import Settings, child_variables, read_engine_settings
from server.farm import Farm, age_limits, running_farm
from server.keyring import open_keyring
from server.listen import address, bind, make_server, served
from server.offer import Offered, offered
from server.running import Running, forget_running, write_running
from server.stopping import stop_on_signals
from server.upkeep import kept_tidy

SIDECAR = "server.sidecar.main"
BUILD = ("server.cli.main", "build", "--json")


class FarmRun:
    """One run of the command.

    Args:
        settings: With the command's options.
        json: Whether the ready line is JSON.
        sidecar: Whether there is one.
        build: Whether to build missing environments and, with a sidecar, task packs while serving; each is served when it is there.
    """

    def __init__(self, settings: Settings, *, json: bool, sidecar: bool, build: bool = False) -> None:
        self._settings = settings
        self._json = json
        self._sidecar = sidecar
        self._build = build
        self._engine = read_engine_settings()
        self._home: Home = find_home(settings.home)
        self._tokens_file: Path = settings.tokens or self._home.tokens

    async def run(self) -> int:
        """Serves until a signal comes."""
        stop = stop_on_signals(self._settings.last_second)
        settings, engine = self._settings, self._engine
        async with AsyncExitStack() as stack:
            agent = self._bind(stack, settings.host, settings.port, "--port")
            control = self._bind(stack, settings.control_host, settings.control_port, "--control-port")
            running = self._running(agent, control)
            keyring = open_keyring(settings.token_hashes or self._home.token_hashes, self._tokens_file)
            catalogue = Catalogue(self._home.environments, loaded=engine.environments_loaded, template_bytes=engine.template_bytes)
            episodes = Episodes(catalogue, store_of(engine, self._home), engine)
            await stack.enter_async_context(episodes.running())
            farm = await stack.enter_async_context(running_farm(settings, catalogue, episodes, keyring, running.agent_url))
            await stack.enter_async_context(self._serving(farm, agent, control))
            if running.sidecar_url:
                await stack.enter_async_context(child(SIDECAR, self._child(running), f"{running.sidecar_url}/healthz"))
            await self._open_to_all(stack, running, catalogue)
            await stack.enter_async_context(kept_tidy(farm, age_limits(settings)))
            await stop.wait()
            note("envfarm: stopping")
            farm.agent.draining = True
            await asyncio.sleep(settings.drain)
        return 0

    async def _open_to_all(self, stack: AsyncExitStack, running: Running, catalogue: Catalogue) -> None:
        """Notes where the farm is, says that it serves, and begins to build what is missing."""
        write_running(self._home, running)
        stack.callback(forget_running, self._home, running.pid)
        # From before anybody knows of the farm: what is asked for then is on its way.
        noted = stack.enter_context(ExitStack())
        if self._build:
            noted.enter_context(building(self._home))
        self._say(running, offered(catalogue))
        if self._build:

            def ended(code: int) -> None:
                noted.close()
                _built(code)

            note("envfarm: building what is missing while serving; each environment and task pack is served when it is there")
            variables = child_variables(self._settings, ENVFARM_HOME=str(self._home.root))
            command = BUILD if self._sidecar else (*BUILD, "--tasks", "0")
            await stack.enter_async_context(companion(command, variables, ended))

    def _bind(self, stack: AsyncExitStack, host: str, port: int, option: str) -> socket.socket:
        listener = bind(host, port, option)
        stack.callback(listener.close)
        return listener

    def _running(self, agent: socket.socket, control: socket.socket) -> Running:
        settings = self._settings
        sidecar_url = ""
        if self._sidecar:
            with bind(settings.sidecar_host, settings.sidecar_port, "--sidecar-port") as free:
                sidecar_url = f"http://{address(free)}"
        return Running(
            pid=os.getpid(),
            agent_url=settings.public_url.rstrip("/") or f"http://{address(agent)}",
            control_url=f"http://{address(control)}",
            sidecar_url=sidecar_url,
            free_play=settings.free,
        )

    def _child(self, running: Running) -> dict[str, str]:
        """Variables of the sidecar: the same home, and the addresses that were found."""
        port = running.sidecar_url.rpartition(":")[2]
        return child_variables(self._settings, ENVFARM_HOME=str(self._home.root), ENVFARM_CONTROL_URL=running.control_url, ENVFARM_SIDECAR_PORT=port)

    @asynccontextmanager
    async def _serving(self, farm: Farm, agent: socket.socket, control: socket.socket) -> AsyncIterator[None]:
        grace = self._settings.grace
        servers = [
            (make_server(farm.agent, grace=grace, root_path=self._settings.prefix, connections=self._settings.max_connections), agent),
            (make_server(farm.control, grace=grace), control),
        ]
        async with served(servers, grace):
            try:
                yield
            finally:
                farm.agent.streams.end()  # else each open stream would be waited for

    def _say(self, running: Running, environments: list[Offered]) -> None:
        ready = Ready(
            running=running,
            tokens=self._tokens_file,
            home=self._home.root,
            environments=environments,
            free_play=self._settings.free,
            tasks=tasks_of(self._home.packs) if running.sidecar_url else None,
        )
        if self._json:
            print(jsonlib.dumps(ready.as_json(), ensure_ascii=False), flush=True)
        else:
            show(None, json=False, text=ready.as_text())


def _built(code: int) -> None:
    note("envfarm: everything is built" if code == 0 else "envfarm: expected everything to be built, but something failed. Read the messages above.")
