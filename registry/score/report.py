"""What goes into a score besides gold, what comes out."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from registry.package.pack import Outcome

Verdict = Literal["PASS", "FAIL", "INVALID"]
CheckClass = Literal["exact", "text", "typed", "outcome", "decline"]
ROW = "*"
"""Column of a check that judges a row as a whole: that it is gone, or that it exists when all its columns are exempt."""


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Submission(_Record):
    """The accepted call of `submit_answer`."""

    outcome: Outcome
    answer: str | None = None
    reason_code: str | None = None
    evidence: tuple[str, ...] = ()


class Check(_Record):
    """One thing that must hold.

    `counts` is false where it held on the untouched state already; such a check fails a run when broken, but earns no share of `partial`.
    `why` says in a few words why a value was refused, or let through although it is not the expected one.
    """

    table: str
    key: str
    column: str
    cls: CheckClass
    expected: Any
    actual: Any
    passed: bool
    counts: bool = True
    why: str = ""

    def json_row(self) -> dict[str, Any]:
        """The check as the wire has it: `class` instead of `cls`."""
        row = self.model_dump(mode="json")
        return {("class" if name == "cls" else name): value for name, value in row.items()}


class Collateral(_Record):
    """A change that gold does not have. `values` maps each column concerned to what it holds now."""

    table: str
    key: str
    op: Literal["insert", "update", "delete"]
    values: dict[str, Any]


class AnswerJudged(_Record):
    """A typed answer: what was due, what came."""

    kind: str
    expected: str
    actual: str | None
    passed: bool
    why: str = ""


class ScoreReport(_Record):
    """The verdict with all its grounds. `alternative` is the accepted change set that fits best."""

    verdict: Verdict
    reward: Literal[0, 1]
    partial: float
    checks: tuple[Check, ...] = ()
    collateral: tuple[Collateral, ...] = ()
    answer: AnswerJudged | None = None
    alternative: int = 0
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        """The report as the wire has it: absent parts left out."""
        body: dict[str, Any] = {"verdict": self.verdict, "reward": self.reward, "partial": self.partial}
        body["checks"] = [check.json_row() for check in self.checks]
        body["collateral"] = [one.model_dump(mode="json") for one in self.collateral]
        body["alternative"] = self.alternative
        if self.answer is not None:
            body["answer"] = self.answer.model_dump(mode="json")
        if self.reason:
            body["reason"] = self.reason
        return body


def invalid(reason: str) -> ScoreReport:
    """A run that says nothing about the agent, with the boundary that broke."""
    return ScoreReport(verdict="INVALID", reward=0, partial=0.0, reason=reason)
