"""Episodes and steps per second of a trainer: batches of `envfarm.AsyncClient` against one request for each episode and call."""

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import envfarm
from bench.cpu import cpu_seconds
from bench.figures import Figure, plain
from bench.processes import first_line, running
from bench.work import ENVIRONMENT
from server.tokens import read_tokens

Item = TypeVar("Item")
Given = TypeVar("Given")
STEPS = 5
"""Of each episode."""
AT_ONCE = 16
"""Single requests under way at a time."""


def batch_figures(home: Path, scratch: Path, episodes: int) -> Iterator[Figure]:
    """Starts so many episodes from one, then lets all of them take the same few steps: in batches, then one by one.

    Args:
        home: With the environment.
        scratch: For records.
        episodes: How many, each way.
    """
    place = scratch / "batches"
    place.mkdir()
    (place / "environments").symlink_to(home / "environments")
    ports = ["--port", "0", "--control-port", "0"]
    command = [sys.executable, "-m", "server.cli.main", "up", "--json", "--no-build", "--no-sidecar", *ports]
    with running(command, ENVFARM_HOME=str(place)) as process:
        ready = json.loads(first_line(process, "envfarm up"))
        token = read_tokens(Path(ready["tokens"])).control
        yield from asyncio.run(_measured(ready["control_url"], token, process.pid, episodes))


async def _measured(url: str, token: str, pid: int, episodes: int) -> list[Figure]:
    figures = []
    async with envfarm.AsyncClient(token, control_url=url) as farm:
        first = (await farm.create(ENVIRONMENT, call_limit=0)).key
        for name, in_one in (("in batches", True), (f"one by one, {AT_ONCE} at a time", False)):
            began, spent = time.perf_counter(), cpu_seconds(pid)
            keys = [one.key for one in await _asked(farm.fork_episodes, [first] * episodes, in_one=in_one)]
            started = time.perf_counter()
            for number in range(STEPS):
                made = [envfarm.Call(key, "search_owners", {"limit": 1 + number}) for key in keys]
                if {one.kind for one in await _asked(farm.step, made, in_one=in_one)} != {"ok"}:
                    raise RuntimeError("bench: expected steps that succeed, got others. Change bench/batches.py with the seed.")
            ended = time.perf_counter()
            figures.append(plain(f"{episodes} episodes {name}: started", episodes / (started - began), "a second"))
            figures.append(plain(f"{episodes} episodes {name}: steps", episodes * STEPS / (ended - started), "a second"))
            figures.append(plain(f"{episodes} episodes {name}: whole, {STEPS} steps each", episodes / (ended - began), "a second"))
            figures.append(plain(f"{episodes} episodes {name}: farm", (cpu_seconds(pid) - spent) / episodes * 1e3, "ms CPU"))
    return figures


async def _asked(ask: Callable[[list[Item]], Awaitable[Sequence[Given]]], items: list[Item], *, in_one: bool) -> Sequence[Given]:
    if in_one:
        return await ask(items)
    room = asyncio.Semaphore(AT_ONCE)

    async def one(item: Item) -> Given:
        async with room:
            return (await ask([item]))[0]

    return await asyncio.gather(*(one(item) for item in items))
