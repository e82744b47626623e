"""Farms for tests: in this process and loop, or as a process of their own.

    async with farm_here(home) as farm: ...      fast; `farm.mcp("small", "key")` is an agent's URL; in a fixture `farm_for_fixture`
    with farm_process(home, "--no-free-play") as farm: ...

`home` is a folder with `environments/` (see `tests.unit.registry.small_package.write_package` for a small hand-written package).
"""

import asyncio
import contextlib
import json
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from registry.catalogue import Catalogue
from registry.config import RegistrySettings
from registry.episode import Episodes
from registry.store.sqlite import SqliteStore
from server.config import Settings
from server.farm import Farm, running_farm
from server.keyring import open_keyring
from server.listen import address, bind, make_server, served
from server.tokens import Tokens, open_tokens

ROOT = Path(__file__).resolve().parents[1]
START_SECONDS = 60


@dataclass(kw_only=True)
class TestFarm:
    """A farm that serves. `process` and `ready` are of a farm process, `inside` of one in this process."""

    __test__ = False

    home: Path
    agent_url: str
    control_url: str
    tokens: Tokens
    sidecar_url: str = ""
    ready: dict[str, Any] = field(default_factory=dict)
    process: subprocess.Popen[str] | None = None
    inside: Farm | None = None

    def mcp(self, environment: str, key: str | None = None) -> str:
        """An agent's URL; the shared episode without a key."""
        return f"{self.agent_url}/env/{environment}/{f'e/{key}/' if key else ''}mcp"

    def sse(self, environment: str, key: str | None = None) -> str:
        """The same over HTTP+SSE."""
        return f"{self.mcp(environment, key).removesuffix('mcp')}sse"

    def control(self, token: str | None = None) -> httpx.AsyncClient:
        """A client of the control plane, with the token `control`."""
        headers = {"authorization": f"Bearer {self.tokens.control if token is None else token}"}
        return httpx.AsyncClient(base_url=self.control_url, headers=headers, trust_env=False, timeout=60)


@asynccontextmanager
async def farm_here(home: Path, **settings: Any) -> AsyncIterator[TestFarm]:
    """A farm in this loop, on free ports unless `port` is given."""
    chosen = Settings(home=home, control_port=0, **{"port": 0, "grace": 1, **settings})
    tokens = open_tokens(home / "tokens")
    keyring = open_keyring(home / "token_hashes", home / "tokens")
    catalogue = Catalogue(home / "environments")
    agent, control = bind("127.0.0.1", chosen.port, "--port"), bind("127.0.0.1", 0, "--control-port")
    url = f"http://{address(agent)}"
    episodes = Episodes(catalogue, SqliteStore(home / "store"), RegistrySettings(home=home))
    async with episodes.running(), running_farm(chosen, catalogue, episodes, keyring, url) as farm:
        servers = [
            (make_server(farm.agent, grace=chosen.grace, root_path=chosen.prefix), agent),
            (make_server(farm.control, grace=chosen.grace), control),
        ]
        async with served(servers):
            try:
                yield TestFarm(home=home, agent_url=url, control_url=f"http://{address(control)}", tokens=tokens, inside=farm)
            finally:
                farm.agent.streams.end()


@asynccontextmanager
async def farm_for_fixture(home: Path, **settings: Any) -> AsyncIterator[TestFarm]:
    """`farm_here`, held by a task of its own: a fixture is entered and left in different tasks, which cancel scopes do not allow."""
    ready: asyncio.Future[TestFarm] = asyncio.get_running_loop().create_future()
    over = asyncio.Event()

    async def hold() -> None:
        async with farm_here(home, **settings) as farm:
            ready.set_result(farm)
            await over.wait()

    task = asyncio.create_task(hold())
    await asyncio.wait([ready, task], return_when=asyncio.FIRST_COMPLETED)
    try:
        yield await ready if ready.done() else await _failed(task)
    finally:
        over.set()
        await task


async def _failed(task: "asyncio.Task[None]") -> TestFarm:
    await task
    raise AssertionError("the farm ended at once")


@contextmanager
def farm_process(home: Path, *options: str, sidecar: bool = False, **variables: str) -> Iterator[TestFarm]:
    """`envfarm up` on free ports; stopped by SIGTERM, with its stderr in `home/farm.err`."""
    ports = ["--port", "0", "--control-port", "0", "--sidecar-port", "0", "--no-build", "--sidecar" if sidecar else "--no-sidecar"]
    command = [sys.executable, "-m", "server.cli.main", "up", "--json", *ports, *options]
    with (home / "farm.err").open("a") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, env=process_variables(home, **variables))
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        if not line:
            raise AssertionError(f"the farm did not start: {(home / 'farm.err').read_text()}")
        ready = json.loads(line)
        yield TestFarm(
            home=home,
            agent_url=ready["agent_url"],
            control_url=ready["control_url"],
            sidecar_url=ready["sidecar_url"],
            tokens=open_tokens(Path(ready["tokens"])),
            ready=ready,
            process=process,
        )
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGTERM)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise
        finally:
            process.stdout.close()


def process_variables(home: Path, **more: str) -> dict[str, str]:
    """The environment of an `envfarm` process: nothing of the caller's settings."""
    return {"PYTHONPATH": str(ROOT), "ENVFARM_HOME": str(home), "PYTHONUNBUFFERED": "1", "PATH": "/usr/bin:/bin", **more}
