"""Which noise an episode has, as it is asked for and kept."""

import hashlib
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

ProfileName = Literal["none", "office", "bad_day", "chaos"]
SEEDS = 2**53
OTHERS = 40
"""Calls of another actor that an episode may hold."""


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class NoiseWanted(_Shape):
    """A profile, and the seed of all its draws."""

    profile: ProfileName = Field("none", description="none, office, bad_day or chaos.")
    seed: int = Field(0, ge=0, lt=SEEDS, description="Equal seeds give equal noise to equal calls.")


class OtherCall(_Shape):
    """A call of the environment's that somebody else makes meanwhile, on rows that the task has nothing to do with."""

    tool: str
    arguments: dict[str, Any]


class NoiseSpec(NoiseWanted):
    """The noise of one episode. `others` are the calls that another actor may make, in order; none: nobody else works there."""

    others: tuple[OtherCall, ...] = Field((), max_length=OTHERS)

    @property
    def quiet(self) -> bool:
        """Whether there is none."""
        return self.profile == "none"


def noise_of(wanted: NoiseWanted, task: str, others: tuple[OtherCall, ...] = ()) -> NoiseSpec:
    """The noise of a task's episodes: from its id and the seed that was asked for, so that another task is disturbed in another way.

    Args:
        wanted: What was asked for.
        task: Id of the task.
        others: Calls that another actor may make.
    """
    drawn = hashlib.blake2b(f"{wanted.seed}\x1f{task}".encode(), digest_size=8).digest()
    return NoiseSpec(profile=wanted.profile, seed=int.from_bytes(drawn) % SEEDS, others=others)
