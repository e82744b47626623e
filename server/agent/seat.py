"""Seats: which episode an agent's address leads to."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from registry.errors import EnvNotFound, EpisodeNotFound, EpisodeRefused
from registry.package.noise import NoiseSpec
from server.agent.engine import Engine, Environment, Library

SHARED = "shared"
"""The key of the free-play episode that all share."""

REMEMBERED = 50_000
"""Seats that are kept without asking the engine again; they never change."""


class TooManyEpisodes(Exception):
    """No further free-play episode is opened."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """One place at one episode.

    Args:
        key: The episode's key in the engine.
        environment: The loaded package.
        instruction: The task, or empty.
        multi_turn: Whether `ask_user` is offered.
        noise: Of the episode; tools may have other names by it.
    """

    key: str
    environment: Environment
    instruction: str = ""
    multi_turn: bool = False
    noise: NoiseSpec | None = None

    @property
    def look(self) -> str:
        """Names what is shown here beside the environment's own, empty for nothing."""
        return "" if self.noise is None else f"{self.noise.profile} {self.noise.seed}"


def free_key(environment: str, name: str) -> str:
    """The engine's key of a free-play episode; no key that the control plane makes contains a tilde."""
    return f"{environment}~{name}"


_Address = tuple[str, str | None]


class Seats:
    """Finds seats, and opens free-play episodes where that is allowed.

    Args:
        engine: The episodes.
        library: The environments.
        open_free: Opens the free-play episode of (environment, key); None when free play is off.
        most_free: How many free-play episodes are opened at most.
    """

    def __init__(self, engine: Engine, library: Library, *, open_free: Callable[[str, str], Awaitable[None]] | None, most_free: int = 1000) -> None:
        self._engine = engine
        self._library = library
        self._open_free = open_free
        self._most_free = most_free
        self._free: set[str] = set()
        self._opening = asyncio.Lock()
        self._known: OrderedDict[_Address, Seat] = OrderedDict()
        self._addresses: dict[str, set[_Address]] = {}

    async def find(self, environment: str, name: str | None) -> Seat | None:
        """The seat at `/env/{environment}/e/{name}`, or for None at the shared episode; None if nothing is there.

        An unknown environment, an unknown key and a key of another environment take the same steps: none can be told from the others.

        Raises:
            TooManyEpisodes: the limit of free-play episodes is reached.
        """
        address = (environment, name)
        seat = self._known.get(address)
        if seat is None:
            seat = await self._look(environment, name)
            if seat is None:
                return None
            self._known[address] = seat
            self._addresses.setdefault(seat.key, set()).add(address)
            if len(self._known) > REMEMBERED:
                oldest, dropped = self._known.popitem(last=False)
                self._addresses[dropped.key].discard(oldest)
                if not self._addresses[dropped.key]:
                    del self._addresses[dropped.key]
        return seat

    def forget(self, key: str) -> None:
        """Makes room for another free-play episode when one is closed; the address is looked up again."""
        self._free.discard(key)
        for address in self._addresses.pop(key, ()):
            del self._known[address]

    async def _look(self, environment: str, name: str | None) -> Seat | None:
        loaded = self._load(environment)
        free = free_key(environment, name or SHARED)
        scored = await self._seat(name or "", environment, loaded)
        played = await self._seat(free, environment, loaded) if self._open_free else None
        if scored or played or loaded is None or self._open_free is None:
            return scored or played
        async with self._opening:
            return await self._seat(free, environment, loaded) or await self._open(free, environment, loaded)

    async def _open(self, key: str, environment: str, loaded: Environment) -> Seat | None:
        if self._open_free is None or len(self._free) >= self._most_free:
            raise TooManyEpisodes
        try:
            await self._open_free(environment, key)
        except EpisodeRefused as error:
            raise TooManyEpisodes from error
        self._free.add(key)
        return await self._seat(key, environment, loaded)

    def _load(self, environment: str) -> Environment | None:
        try:
            return self._library.load(environment)
        except EnvNotFound:
            return None

    async def _seat(self, key: str, environment: str, loaded: Environment | None) -> Seat | None:
        try:
            about = await self._engine.about(key)
        except EpisodeNotFound:
            return None
        if loaded is None or about.environment != environment:
            return None
        return Seat(key=key, environment=loaded, instruction=about.instruction, multi_turn=about.multi_turn, noise=about.noise)
