"""The files of one evaluation's folder as records, as far as reports need them."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Verdict = Literal["PASS", "FAIL", "INVALID", "MASKED"]


class _Record(BaseModel):
    """Later versions may say more; what is not known here is left out."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class Noise(_Record):
    """The noise profile that all runs had."""

    profile: str = "none"
    seed: int = 0


class Manifest(_Record):
    """`manifest.json`: everything that the figures depend on."""

    format: Literal[1]
    agent: str
    headline: tuple[str, ...] = ()
    environments: dict[str, str] = {}
    packs: dict[str, str] = {}
    generator: Any = ""
    envfarm: str = ""
    tasks: tuple[str, ...]
    epochs: int = Field(1, ge=1)
    noise: Noise = Noise()
    persona: str = "plain"
    limits: dict[str, Any] = {}
    seed: int = 0


class Tokens(_Record):
    """Tokens of all model calls of one run."""

    input: int = 0
    output: int = 0


class Attempt(_Record):
    """A line of `attempts.jsonl`: one finished attempt at a task."""

    task: str
    environment: str
    pack: str = ""
    kind: str = ""
    level: int = 0
    twin: str = ""
    persona: str = ""
    epoch: int = Field(1, ge=1)
    tried: int = Field(1, alias="try")
    run: str
    verdict: Verdict
    reward: float = 0
    partial: float = 0
    masked: str = ""
    remark: str = ""
    calls: int = 0
    refusals: int = 0
    errors: int = 0
    retries: int = 0
    tokens: Tokens | None = None
    cost: float | None = None
    final: str | None = ""
    stopped: str = "finished"


class RowStep(_Record):
    """One row that a call changed; also read from the form that packs have (`values: {column: {from, to}}`)."""

    op: Literal["insert", "update", "delete"]
    table: str
    key: str
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}

    @model_validator(mode="before")
    @classmethod
    def _from_pack(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        body = {**given, "before": given.get("before") or {}, "after": given.get("after") or {}}
        for column, change in (body.pop("values", None) or {}).items():
            if body["op"] != "insert":
                body["before"] = {**body["before"], column: change.get("from")}
            if body["op"] != "delete":
                body["after"] = {**body["after"], column: change.get("to")}
        return body


class Refusal(_Record):
    """Why the environment said no."""

    code: str = ""
    message: str = ""
    evidence: tuple[str, ...] = ()


class Call(_Record):
    """One call of a run."""

    seq: int
    tool: str
    arguments: Any = None
    outcome: str
    result: Any = None
    refusal: Refusal | None = None
    noise: Any = ""
    changes: tuple[RowStep, ...] = ()


class GoldShown(_Record):
    """What was due. `distractors`: ids of rows that were put there, or found, to be taken for the right one."""

    calls: tuple[dict[str, Any], ...] = ()
    changes: tuple[RowStep, ...] = ()
    distractors: tuple[str, ...] = ()


class Run(_Record):
    """`runs/RUN.json`: what happened."""

    run: str
    task: str
    environment: str
    epoch: int = 1
    instruction: str = ""
    calls: tuple[Call, ...] = ()
    report: dict[str, Any] | None = None
    gold: GoldShown | None = None
    messages: tuple[Any, ...] | None = None
