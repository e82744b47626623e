"""One run of `envfarm up --workers N`: several processes that serve agents, one control plane and one sidecar over them."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

import httpx

from registry.catalogue import Catalogue
from registry.store.lock import give_back, take_lock
from server.children import FAREWELL, child
from server.cli.answer import note
from server.cli.farm_run import SIDECAR, FarmRun
from server.config import child_variables
from server.errors import UserError
from server.keyring import open_keyring
from server.listen import address, bind, make_server, served
from server.router import Router
from server.running import Running
from server.stopping import stop_on_signals

WORKER = "server.worker"
WORKER_SECONDS = 60.0
"""How long a worker may take for one request of the control plane."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where one worker serves."""

    number: int
    port: int
    control_port: int


class WorkersRun(FarmRun):
    """A farm of several processes; everything else is as with one."""

    async def run(self) -> int:
        """Serves until a signal comes; a worker that ends is started again."""
        settings = self._settings
        stop = stop_on_signals()
        self._keepers: list[asyncio.Task[None]] = []
        async with AsyncExitStack() as stack:
            control = self._bind(stack, settings.control_host, settings.control_port, "--control-port")
            self._home.store.mkdir(parents=True, exist_ok=True, mode=0o700)
            stack.callback(give_back, take_lock(self._home.store))  # of the whole home; each worker has one of its own records
            open_keyring(settings.token_hashes or self._home.token_hashes, self._tokens_file)
            places = self._places()
            for place in places:
                await stack.enter_async_context(self._worker(place))
            http = await stack.enter_async_context(httpx.AsyncClient(trust_env=False, timeout=WORKER_SECONDS))
            router = Router([f"http://127.0.0.1:{place.control_port}" for place in places], http)
            await stack.enter_async_context(served([(make_server(router, grace=settings.grace), control)]))
            running = self._workers_running(places, f"http://{address(control)}")
            if running.sidecar_url:
                await stack.enter_async_context(child(SIDECAR, self._child(running), f"{running.sidecar_url}/healthz"))
            await self._open_to_all(stack, running, Catalogue(self._home.environments))
            await stop.wait()
            note("envfarm: stopping")
            for one in self._keepers:
                one.cancel()  # all at once: each gets the time that it may take, not one after the other
        return 0

    def _places(self) -> list[Place]:
        settings = self._settings

        def free(port: int) -> int:
            with bind(settings.host, port, "--worker-port") as found:
                return int(found.getsockname()[1])

        first = settings.worker_port
        return [Place(number=n + 1, port=free(first + n if first else 0), control_port=free(0)) for n in range(settings.workers)]

    def _workers_running(self, places: list[Place], control_url: str) -> Running:
        settings = self._settings
        sidecar_url = ""
        if self._sidecar:
            with bind(settings.sidecar_host, settings.sidecar_port, "--sidecar-port") as found:
                sidecar_url = f"http://{address(found)}"
        with bind(settings.host, 0, "--host") as probe:
            host = address(probe).rpartition(":")[0]
        agent_url = settings.public_url.rstrip("/") or f"http://{host}:{places[0].port}"
        return Running(pid=os.getpid(), agent_url=agent_url, control_url=control_url, sidecar_url=sidecar_url, free_play=settings.free)

    @asynccontextmanager
    async def _worker(self, place: Place) -> AsyncIterator[None]:
        """The worker, served while entered: started, and started again when it ends."""
        log = self._home.root / "logs" / f"worker-{place.number}.log"
        log.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        health = f"http://{self._settings.host}:{place.port}/healthz" if ":" not in self._settings.host else f"http://[::1]:{place.port}/healthz"
        health = health.replace("//0.0.0.0:", "//127.0.0.1:")
        variables = child_variables(
            self._settings,
            ENVFARM_HOME=str(self._home.root),
            ENVFARM_WORKER=str(place.number),
            ENVFARM_PORT=str(place.port),
            ENVFARM_CONTROL_HOST="127.0.0.1",
            ENVFARM_CONTROL_PORT=str(place.control_port),
        )
        farewell = self._settings.drain + self._settings.grace + FAREWELL
        started: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        async def keep() -> None:
            while True:
                try:
                    async with child(WORKER, variables, health, log=log, farewell=farewell) as process:
                        if not started.done():
                            started.set_result(None)
                        code = await process.wait()
                except UserError as error:
                    if not started.done():
                        started.set_exception(error)
                        return
                    note(f"envfarm: {error}")
                    await asyncio.sleep(1)
                else:
                    note(f"envfarm: worker {place.number} ended with exit code {code}; starting it again (its messages: {log})")

        task = asyncio.create_task(keep())
        self._keepers.append(task)
        try:
            await started
            yield
        finally:
            if not task.cancelling():  # a second time would break off the farewell
                task.cancel()
            await asyncio.wait([task])
