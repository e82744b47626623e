"""One free-play episode in this process, without a farm and without records."""

from dataclasses import dataclass
from typing import Any

from registry.dispatch.outcome import Outcome
from registry.episode.local import LocalEpisode
from registry.package.noise import NoiseSpec
from registry.package.pack import HeldBack
from server.agent.engine import Environment
from server.agent.seat import Seat, free_key


@dataclass(frozen=True, slots=True, kw_only=True)
class SoloAbout:
    """What is known of the one episode."""

    environment: str
    instruction: str = ""
    multi_turn: bool = False
    held_back: tuple[HeldBack, ...] = ()
    noise: NoiseSpec | None = None


class Solo:
    """An engine with one episode.

    Args:
        episode: It.
        environment: Its environment.
        name: Of the episode.
    """

    def __init__(self, episode: LocalEpisode, environment: Environment, name: str) -> None:
        self._episode = episode
        self.seat = Seat(key=free_key(environment.id, name), environment=environment)

    async def call(self, key: str, tool: str, arguments: Any) -> Outcome:
        """Calls a tool of the episode."""
        return self._episode.call(tool, arguments)

    async def about(self, key: str) -> SoloAbout:
        """The one episode, whatever the key."""
        return SoloAbout(environment=self.seat.environment.id)
