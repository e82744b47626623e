"""Who the simulated user of an episode is, as it is asked for and kept."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

PersonaName = Literal["plain", "terse", "chatty", "impatient", "forgetful"]


class UserWanted(BaseModel):
    """How the user speaks. The facts are the same for each persona, and so is which question brings out which."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    persona: PersonaName = Field("plain", description="plain, terse, chatty, impatient or forgetful.")
    seed: int = Field(0, ge=0, lt=2**53, description="Equal seeds give equal words.")
