"""What episodes cost: opening, resetting, forking, and memory, hot and idle."""

import asyncio
import gc
import os
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

from bench.cpu import reset_peak, resident_bytes
from bench.figures import Figure, at_most, plain
from bench.work import ENVIRONMENT, calls, circle
from registry.catalogue import Catalogue
from registry.config import RegistrySettings
from registry.episode import Episodes, EpisodeSpec
from registry.store.sqlite import SqliteStore

REPEATS = 100
HOT = 200


def episode_figures(home: Path, scratch: Path, many: int) -> Iterator[Figure]:
    """CPU milliseconds and bytes of the engine in this process."""
    yield from asyncio.run(_measured(home, scratch, many))


async def _measured(home: Path, scratch: Path, many: int) -> list[Figure]:
    figures: list[Figure] = []
    catalogue = Catalogue(home / "environments")
    made = calls(catalogue.load(ENVIRONMENT), "write")
    async with Episodes(catalogue, SqliteStore(scratch / "episodes"), RegistrySettings(home=home)).running() as episodes:
        await _open(episodes, "warm")
        await episodes.call("warm", made[0].tool, made[0].arguments)
        keys = [f"new-{number}" for number in range(REPEATS)]
        figures.append(at_most("new episode", await _each(lambda key: _open(episodes, key), keys), "ms CPU", 1))
        for key in keys:
            for one in circle(made, 20):
                await episodes.call(key, one.tool, one.arguments)
        figures.append(at_most("fork of a 20-call episode", await _each(lambda key: episodes.fork(key), keys), "ms CPU", 3))
        figures.append(at_most("reset of a 20-call episode", await _each(lambda key: episodes.reset(key), keys), "ms CPU", 1))
    figures += await _memory(catalogue, home, scratch, many)
    return figures


async def _open(episodes: Episodes, key: str) -> None:
    await episodes.create(EpisodeSpec(environment=ENVIRONMENT, key=key, call_limit=0))


async def _each(work: Callable[[str], Awaitable[object]], keys: list[str]) -> float:
    """CPU milliseconds of one."""
    gc.collect()
    before = time.process_time()
    for key in keys:
        await work(key)
    return (time.process_time() - before) / len(keys) * 1e3


async def _memory(catalogue: Catalogue, home: Path, scratch: Path, many: int) -> list[Figure]:
    """Hot ones within the default bound of memory; the peak while all are opened and each is called once."""
    owner = calls(catalogue.load(ENVIRONMENT), "write")[0]
    async with Episodes(catalogue, SqliteStore(scratch / "many"), RegistrySettings(home=home)).running() as episodes:
        empty = _resident()
        for number in range(many):
            await _open(episodes, f"idle-{number}")
        idle = (_resident() - empty) / many
        before = _resident()
        for number in range(min(HOT, many)):
            await episodes.call(f"idle-{number}", owner.tool, owner.arguments)
        hot = (_resident() - before) / min(HOT, many)
        reset_peak(os.getpid())
        for number in range(many):
            await episodes.call(f"idle-{number}", owner.tool, owner.arguments)
        peak = resident_bytes(os.getpid(), "VmHWM")
    return [
        at_most("idle open episode", idle / 1e3, "kB", 10),
        plain("hot episode", hot / 1e3, "kB"),
        at_most(f"{many} open episodes, each called: peak of the process", peak / 1e6, "MB", 500),
    ]


def _resident() -> int:
    gc.collect()
    return resident_bytes(os.getpid())
