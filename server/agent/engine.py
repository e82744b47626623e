"""What the agent plane asks of the registry; `registry.catalogue.Catalogue` and `registry.episode.Episodes` give it."""

from collections.abc import Sequence
from typing import Any, Protocol

from registry.package.meta import Meta
from registry.package.noise import NoiseSpec
from registry.package.pack import HeldBack


class Outcome(Protocol):
    """What became of one call."""

    @property
    def kind(self) -> str:
        """`ok`, `refused`, `invalid` or `defect`."""

    @property
    def result(self) -> Any:
        """A JSON object when `kind` is ok."""

    @property
    def text(self) -> str:
        """What the agent reads: the JSON of the result when ok, else a sentence."""


class Environment(Protocol):
    """One loaded package."""

    @property
    def id(self) -> str:
        """Its name in URLs."""

    @property
    def digest(self) -> str:
        """Which bytes it is made of."""

    @property
    def title(self) -> str:
        """Its name for people."""

    @property
    def meta(self) -> Meta:
        """Tables and parameters."""

    @property
    def tools(self) -> Sequence[dict[str, Any]]:
        """MCP tool objects."""

    @property
    def policy(self) -> str:
        """The rules as the agent reads them, markdown."""

    @property
    def instructions(self) -> str:
        """What an agent must know before its first call."""


class About(Protocol):
    """What an address must know of its episode."""

    @property
    def environment(self) -> str:
        """Id of its environment."""

    @property
    def instruction(self) -> str:
        """The task as the agent reads it; empty for free play."""

    @property
    def multi_turn(self) -> bool:
        """Whether a user answers questions."""

    @property
    def held_back(self) -> Sequence[HeldBack]:
        """What its user tells when asked."""

    @property
    def noise(self) -> NoiseSpec | None:
        """What disturbs its calls."""


class Engine(Protocol):
    """The episodes of one farm."""

    async def call(self, key: str, tool: str, arguments: Any) -> Outcome:
        """Calls a tool of the episode."""

    async def about(self, key: str) -> About:
        """What the episode `key` was made from, told without bringing it into memory; raises EpisodeNotFound."""


class Library(Protocol):
    """The catalogue of built environments."""

    def load(self, environment: str, /) -> Environment:
        """The environment; raises EnvNotFound."""
