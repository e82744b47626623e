"""Every way in: transport by protocol era. A door opens a client at one episode; what was done there is still there when it is opened again."""

import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from mcp import Client, StdioServerParameters
from mcp.client.sse import sse_client

from server.agent.mcp_server import Plane, make_server
from server.agent.menu import Menus
from tests.farm import ROOT, TestFarm, process_variables

MODES = {"modern": "auto", "legacy": "legacy"}
Opener = Callable[[TestFarm, str, str, str], AbstractAsyncContextManager[Client]]


@dataclass(frozen=True, kw_only=True)
class Door:
    """One cell of the matrix.

    Args:
        name: `transport-era`.
        open: Gives a client for (farm, key), or for (farm, key, environment).
        farm: Whether it leads to the farm (else to a process of its own).
    """

    name: str
    open: Callable[..., AbstractAsyncContextManager[Client]]
    farm: bool = True


def doors():
    for era in MODES:
        for transport, opener in OPENERS.items():
            yield Door(name=f"{transport}-{era}", open=_bound(opener, era), farm=transport != "stdio")


def _bound(opener: Opener, era: str) -> Callable[[TestFarm, str], AbstractAsyncContextManager[Client]]:
    return lambda farm, key, environment="small": opener(farm, key, MODES[era], environment)


@asynccontextmanager
async def _memory(farm: TestFarm, key: str, mode: str, environment: str) -> AsyncIterator[Client]:
    seat = await farm.inside.agent.seats.find(environment, key)
    server = make_server(Plane(engine=farm.inside.episodes, menus=Menus(), fixed=seat))
    async with Client(server, mode=mode) as client:
        yield client


@asynccontextmanager
async def _http(farm: TestFarm, key: str, mode: str, environment: str) -> AsyncIterator[Client]:
    async with Client(farm.mcp(environment, key), mode=mode) as client:
        yield client


@asynccontextmanager
async def _sse(farm: TestFarm, key: str, mode: str, environment: str) -> AsyncIterator[Client]:
    async with Client(sse_client(farm.sse(environment, key)), mode=mode) as client:
        yield client


@asynccontextmanager
async def _stdio(farm: TestFarm, key: str, mode: str, environment: str) -> AsyncIterator[Client]:
    async with Client(_process(farm, "stdio", environment, "--episode", key), mode=mode) as client:
        yield client


@asynccontextmanager
async def _bridge(farm: TestFarm, key: str, mode: str, environment: str) -> AsyncIterator[Client]:
    async with Client(_process(farm, "bridge", farm.mcp(environment, key)), mode=mode) as client:
        yield client


def _process(farm: TestFarm, *words: str) -> StdioServerParameters:
    return StdioServerParameters(command=sys.executable, args=["-m", "server.cli.main", *words], env=process_variables(farm.home), cwd=str(ROOT))


OPENERS: dict[str, Opener] = {"memory": _memory, "http": _http, "sse": _sse, "stdio": _stdio, "bridge": _bridge}
