"""What farm and sidecar answer, as the clients give it."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict


class _Reply(BaseModel):
    # A newer farm may say more than this client knows.
    model_config = ConfigDict(extra="ignore", frozen=True)


class Episode(_Reply):
    """One episode as the control plane tells it. Give `mcp_url` to the agent, and nothing else."""

    key: str
    environment: str
    environment_digest: str
    state_digest: str
    mcp_url: str
    sse_url: str
    calls: int
    status: Literal["open", "closed", "interrupted", "invalid"]


class Task(_Reply):
    """The public part of a task; `pack` is where it stands, `split` (train, val or test) that pack's use."""

    task: str
    environment: str
    kind: str
    level: int
    instruction: str
    pack: str = ""
    split: str = ""
    multi_turn: bool = False


class NextTask(Task):
    """A task that a curriculum proposes, with what is known of it; `estimate` is its expected rate of success."""

    tries: int
    successes: float
    estimate: float


class TriedTask(_Reply):
    """What a curriculum knows of a task that was tried; `estimate` is its expected rate of success."""

    task: str
    level: int
    tries: int
    successes: float
    estimate: float


class Curriculum(_Reply):
    """A curriculum as it stands: how many tasks it gave out, the expected rate of success of untried tasks by level, those that were tried."""

    given: int
    levels: dict[int, float] = {}
    tasks: tuple[TriedTask, ...] = ()


class Run(_Reply):
    """One attempt at a task: what the agent is given, and the name under which the sidecar knows it.

    `episode` is the key of its episode on the control plane; empty where the sidecar is older and does not tell it.
    """

    run: str
    task: str
    mcp_url: str
    sse_url: str
    instruction: str
    episode: str = ""


class Report(_Reply):
    """How a run was scored; `checks` and `collateral` are as the sidecar sent them, values in stored form.

    `columns` tells of the columns concerned that tools show otherwise, by table: `{"kind", "places"}`; money and decimals are
    integers (value * 10**places), bools 0 and 1.
    """

    verdict: Literal["PASS", "FAIL", "INVALID"]
    reward: float
    partial: float
    checks: tuple[dict[str, Any], ...] = ()
    collateral: tuple[dict[str, Any], ...] = ()
    columns: dict[str, dict[str, dict[str, Any]]] = {}
    answer: dict[str, Any] | None = None
    reason: str | None = None


class Stepped(_Reply):
    """What one call came to.

    `result` is there when `kind` is ok, else `code` and `text` say why. `error`: the call was not made; the farm could not, or has no such episode.
    `closed`: the episode takes no further call.
    """

    kind: Literal["ok", "refused", "invalid", "defect", "error"]
    result: dict[str, Any] | None = None
    code: str = ""
    text: str = ""
    closed: bool = False
