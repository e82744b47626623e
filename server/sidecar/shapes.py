"""What the sidecar takes and gives, as its OpenAPI document shows it."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from registry.dispatch.user import PLAIN
from registry.package.manifest import Split
from registry.package.noise import NoiseWanted
from registry.package.pack import TaskKind
from registry.package.user import UserWanted
from registry.packs.narrowing import Narrowing
from registry.packs.reading import Task
from server.sidecar.store import Run

QUIET = NoiseWanted(profile="none", seed=0)


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Failed(_Shape):
    """An error."""

    error: dict[str, str]


class TaskLine(_Shape):
    """One task: what may be known before it is run. Gold stays here."""

    task: str
    environment: str
    kind: TaskKind
    level: int
    instruction: str
    pack: str
    split: Split = Field(description="Of its pack: train, val or test.")
    multi_turn: bool
    twin: str = Field(description="The task that asks the same in another world; empty where there is none.")

    @classmethod
    def of(cls, task: Task) -> "TaskLine":
        """The line of a task."""
        public, gold = task.public, task.gold
        return cls(
            task=public.task,
            environment=public.environment,
            kind=gold.kind,
            level=gold.level,
            instruction=public.instruction,
            pack=task.pack,
            split=task.split,
            multi_turn=public.multi_turn,
            twin=gold.twin,
        )


class Filters(_Shape):
    """Which tasks: what is empty lets everything through. A filter that is called otherwise is refused, else it would let everything through too."""

    environment: str = ""
    kind: str = Field("", description="do, do-if-else, answer, decline, repair, bulk or multi-turn.")
    level: int | None = Field(None, description="1 to 5.")
    split: str = Field("", description="train, val or test.")

    def narrowing(self) -> Narrowing:
        """The filters, to be checked against what there is."""
        return Narrowing(environment=self.environment, kind=self.kind, level=self.level, split=self.split)


class TaskList(_Shape):
    """Tasks, ordered by environment, pack and id."""

    tasks: tuple[TaskLine, ...]


class PackLine(_Shape):
    """One task pack."""

    pack: str
    digest: str = Field(description="sha256 of its manifest and of that of its gold.")
    environment: str
    environment_digest: str
    split: Split
    generator: str
    tasks: int


class PackList(_Shape):
    """Packs, ordered by id."""

    packs: tuple[PackLine, ...]


class GoldTold(_Shape):
    """What is right in a task; for baselines, never for an agent that is evaluated."""

    gold: dict[str, Any]
    writes: tuple[dict[str, Any], ...] = Field(
        (), description="Its calls that write, with final ids; `rows` names the table of each argument that is a row."
    )
    ids: dict[str, tuple[str, ...]] = Field({}, description="Ids at the start, by table.")
    looks: dict[str, Any] = Field(description="The tools that only read, and by table those that show a row and find rows.")


class Trace(_Shape):
    """Calls of a run in order: seq, tool, arguments, outcome, result, refusal, noise, and changes (op, table, key, before, after)."""

    calls: tuple[dict[str, Any], ...]


class NewRun(_Shape):
    """A request for a run."""

    task: str = Field(max_length=200, description="Id of a task.")
    again: str = Field("", max_length=100, description="An INVALID run that this one repeats; each is repeated once at most.")
    rewindable: bool = Field(default=False, description="Whether the run may be scored after its episode was rewound.")
    call_limit: int = Field(0, ge=0, le=1_000_000, description="Calls that are served, where the task allows more; 0: those of the task.")
    noise: NoiseWanted = Field(QUIET, description="What disturbs the agent's calls.")
    user: UserWanted = Field(PLAIN, description="How the user of a multi-turn task speaks.")


class StartedRun(_Shape):
    """A run as its starter needs it: give `mcp_url` (or `sse_url`) and `instruction` to the agent, and nothing else."""

    run: str
    task: str
    mcp_url: str
    sse_url: str
    instruction: str
    episode: str = Field(description="Key of its episode on the control plane.")

    @classmethod
    def of(cls, run: Run) -> "StartedRun":
        """What a run shows at its start."""
        return cls(run=run.run, task=run.task, mcp_url=run.mcp_url, sse_url=run.sse_url, instruction=run.instruction, episode=run.key)


class Report(BaseModel):
    """How a run was scored."""

    model_config = ConfigDict(extra="allow", frozen=True)

    verdict: Literal["PASS", "FAIL", "INVALID"]
    reward: Literal[0, 1]
    partial: float
    checks: tuple[dict[str, Any], ...] = ()
    collateral: tuple[dict[str, Any], ...] = ()


class EndedRun(_Shape):
    """A run that was scored: its report, and its calls as in a trace."""

    report: Report
    calls: tuple[dict[str, Any], ...]


class RunShown(StartedRun):
    """A run with its report, if it was scored."""

    environment: str
    environment_digest: str
    attempt: int
    again: str
    origin: str = Field(description="RUN@CALLS where it began as another run after so many calls; else empty.")
    rewindable: bool
    noise: NoiseWanted
    user: UserWanted
    status: Literal["running", "scored"]
    report: Report | None

    @classmethod
    def whole(cls, run: Run, report: dict[str, Any] | None) -> "RunShown":
        """All that is known of a run."""
        return cls(
            **StartedRun.of(run).model_dump(),
            environment=run.environment,
            environment_digest=run.environment_digest,
            attempt=run.attempt,
            again=run.again,
            origin=run.origin,
            rewindable=run.rewindable,
            user=run.user,
            noise=QUIET
            if run.noise is None
            else NoiseWanted(profile=run.noise.profile, seed=run.noise.seed if run.noise_seed is None else run.noise_seed),
            status="running" if report is None else "scored",
            report=None if report is None else Report.model_validate(report),
        )


class RunList(_Shape):
    """Runs in the order in which they were started."""

    runs: tuple[RunShown, ...]
