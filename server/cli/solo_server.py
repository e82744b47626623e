"""One free-play episode in this process."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, NamedTuple

from registry.catalogue import Catalogue
from registry.environment import Environment
from registry.episode.local import LocalEpisode
from registry.errors import EpisodeNotFound
from registry.home import find_home
from server.agent.engine import Engine
from server.agent.seat import Seat, free_key
from server.agent.solo import Solo
from server.config import read_engine_settings, read_settings
from server.errors import WrongUsage

if TYPE_CHECKING:
    from registry.episode import Episodes

NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


class Table(NamedTuple):
    """An engine and the one seat at it."""

    engine: Engine
    seat: Seat


@asynccontextmanager
async def solo_table(environment: str, name: str) -> AsyncIterator[Table]:
    """The one seat is a free-play episode of `environment`.

    Args:
        environment: Id.
        name: Of an episode that is kept and resumed; empty for one that ends with the process. Each has records of its own, so that
            processes with other names, and a farm, can run beside it.

    Raises:
        EnvNotFound, PackageError: the environment cannot be used.
        StoreLocked: another process has the episode of this name open.
    """
    home = find_home(read_settings().home)
    catalogue = Catalogue(home.environments)
    loaded = catalogue.load(environment)
    if not name:
        solo = Solo(LocalEpisode(loaded, call_limit=0, free_play=True), loaded, "stdio")
        yield Table(solo, solo.seat)
        return
    if not NAME.fullmatch(name):
        raise WrongUsage(f"--episode: expected 1 to 64 of the characters A-Z a-z 0-9 _ -, got {name!r}. Choose another name.")
    from registry.episode import Episodes
    from registry.store.sqlite import SqliteStore

    settings = read_engine_settings()
    store = SqliteStore(home.store / "stdio" / loaded.id / name, sync=settings.sync)
    async with Episodes(catalogue, store, settings).running() as episodes:
        yield Table(episodes, await _kept(episodes, loaded, name))


async def _kept(episodes: "Episodes", environment: Environment, name: str) -> Seat:
    from registry.episode.spec import EpisodeSpec

    key = free_key(environment.id, name)
    try:
        await episodes.info(key)
    except EpisodeNotFound:
        await episodes.create(EpisodeSpec(environment=environment.id, key=key, free_play=True, call_limit=0))
    return Seat(key=key, environment=environment)
