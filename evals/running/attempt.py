"""One finished attempt: a line of attempts.jsonl."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from evals.agents.agent import Masked, Stopped

Verdict = Literal["PASS", "FAIL", "INVALID", "MASKED"]
TRIES = 2
"""An attempt that is INVALID or MASKED is followed by one more."""


class TokensUsed(BaseModel):
    """Tokens of a model."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    input: int
    output: int


class Attempt(BaseModel):
    """One attempt at one task in one epoch; the last one of a task and epoch counts.

    Attributes:
        persona: Of the user of a multi-turn task; else empty.
        number: 1, or 2 for the repetition of an INVALID or MASKED one; `try` in the file.
        errors: Calls with invalid arguments, of unknown tools, or that met a defect.
        retries: Calls that repeat, word for word, an earlier one that was not done.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    task: str
    environment: str
    pack: str
    kind: str
    level: int
    twin: str
    persona: str = ""
    epoch: int
    number: int = Field(alias="try")
    run: str
    verdict: Verdict
    reward: int
    partial: float
    masked: Masked
    remark: str
    calls: int
    refusals: int
    errors: int
    retries: int
    tokens: TokensUsed | None
    cost: float | None
    final: str
    stopped: Stopped

    @property
    def settled(self) -> bool:
        """Whether no other attempt follows."""
        return self.number >= TRIES or self.verdict in ("PASS", "FAIL")

    def line(self) -> dict[str, Any]:
        """The object that stands in the file."""
        return self.model_dump(mode="json", by_alias=True)
