"""What every agent is: something that plays one episode over MCP."""

from dataclasses import dataclass
from typing import Any, Literal, Protocol

Stopped = Literal["finished", "timeout", "max_calls", "crashed", "gave_up"]
"""Why an agent ended: of itself, at one of the limits, by a fault of its own, or with the word that it gives up."""
Masked = Literal["", "provider", "network", "simulator"]
"""Whose failure it was, where neither the agent nor envfarm is to blame."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What an agent may use of one episode: `max_calls` 0 leaves the task's own limit; `timeout` in seconds."""

    max_calls: int = 0
    timeout: float = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """One episode as its agent is told it. Task, environment and run are for records; only `mcp_url` and `instruction` are the agent's.

    `noisy` says that calls may go wrong. `seed` differs by task and epoch and is the same in every evaluation with the same seed.
    """

    run: str
    task: str
    environment: str
    epoch: int
    mcp_url: str
    instruction: str
    multi_turn: bool
    limits: Limits
    seed: int
    noisy: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """Tokens of a model."""

    input: int
    output: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How an agent ended; what it did stands in the episode's log.

    Attributes:
        final: Last text of the agent.
        submission: Arguments of `submit_answer` that are sent in the agent's name if it made no accepted submission itself.
        masked: Set where provider, network or user simulator failed: the run is repeated and does not count.
        remark: What went wrong, for a person.
        cost: In the currency of the provider.
        messages: The conversation, where the agent tells it.
    """

    final: str = ""
    stopped: Stopped = "finished"
    submission: dict[str, Any] | None = None
    masked: Masked = ""
    remark: str = ""
    tokens: Tokens | None = None
    cost: float | None = None
    messages: list[Any] | None = None


class Agent(Protocol):
    """Plays episodes, several at once."""

    async def play(self, episode: Episode) -> Outcome:
        """Plays one episode to its end. Is cancelled at the time limit, and leaves nothing running then.

        Raises:
            EvalError: Agents like this cannot be played at all; the evaluation ends.
        """
