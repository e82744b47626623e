"""HTTP interface of curricula: the next tasks, and how they went."""

from collections.abc import Sequence
from typing import Annotated, Any, Self

from fastapi import APIRouter, Depends, Path, Request
from pydantic import BaseModel, ConfigDict, Field, model_validator

from registry.packs.narrowing import Narrowing
from server.sidecar.curriculum import Candidate, Estimate, choose, estimates, level_means
from server.sidecar.curriculum_store import Told
from server.sidecar.errors import RunRefused
from server.sidecar.grader import Grader
from server.sidecar.shapes import Filters, TaskLine


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Next(Filters):
    """A request for tasks."""

    count: int = Field(1, ge=1, le=10_000)
    target: float = Field(0.5, ge=0, le=1, description="The wanted rate of success.")
    seed: int = Field(0, description="Same seed, same history: same tasks.")


class Known(_Shape):
    """What is known of a task."""

    task: str
    level: int
    tries: int
    successes: float
    estimate: float = Field(description="Expected rate of success.")

    @classmethod
    def of(cls, one: Estimate) -> "Known":
        """An estimate as it is told."""
        return cls(task=one.task, level=one.level, tries=one.tries, successes=one.successes, estimate=round(one.mean, 6))


class NextTask(Known):
    """A task to try next."""

    environment: str
    kind: str
    instruction: str
    pack: str
    split: str
    multi_turn: bool


class NextTasks(_Shape):
    """Best first, each once."""

    tasks: tuple[NextTask, ...]


class ToldOutcome(_Shape):
    """How one try went: a scored run of this sidecar (its report counts), or a task with a reward."""

    run: str = Field("", max_length=100)
    task: str = Field("", max_length=200)
    reward: float | None = Field(None, ge=0, le=1)

    @model_validator(mode="after")
    def _one_of_two(self) -> Self:
        if bool(self.run) == bool(self.task and self.reward is not None) or (self.run and (self.task or self.reward is not None)):
            raise ValueError("expected either run, or task with reward")
        return self


class ToldOutcomes(_Shape):
    """Outcomes; all are counted or, when one cannot be, none."""

    items: tuple[ToldOutcome, ...] = Field(max_length=10_000)


class Counted(_Shape):
    """How many outcomes were counted; not those of runs that were INVALID or counted before."""

    counted: int


class Shown(_Shape):
    """A curriculum as it stands."""

    given: int = Field(description="Tasks given out so far.")
    levels: dict[int, float] = Field(description="Expected rate of success of a level's untried task.")
    tasks: tuple[Known, ...] = Field(description="Those that were tried.")


async def _served(request: Request) -> Grader:
    grader: Grader = request.app.state.grader
    return grader


Served = Annotated[Grader, Depends(_served)]
Name = Annotated[str, Path(pattern=r"^[A-Za-z0-9_.-]{1,100}$", description="Of the curriculum; one that is new begins empty.")]


def curriculum_routes(**options: Any) -> APIRouter:
    """The routes; `options` are the router's."""
    router = APIRouter(prefix="/v1/curricula", tags=["curricula"], **options)

    @router.post("/{name}/next")
    async def next_tasks(name: Name, wanted: Next, grader: Served) -> NextTasks:
        """Tasks to try next, near the wanted rate of success."""
        lines = grader.lines(wanted.narrowing())
        store = grader.store.curricula
        known = estimates(_candidates(lines), store.tallies(name))
        chosen = choose(known, wanted.count, wanted.target, f"{name}/{wanted.seed}/{store.given(name)}")
        store.give(name, len(chosen))
        about = {line.task: line for line in lines}
        return NextTasks(tasks=tuple(_next(one, about[one.task]) for one in chosen))

    @router.post("/{name}/outcomes")
    async def tell(name: Name, told: ToldOutcomes, grader: Served) -> Counted:
        """Counts how tries went."""
        outcomes = [found for one in told.items if (found := _outcome(one, grader)) is not None]
        return Counted(counted=grader.store.curricula.count(name, outcomes))

    @router.get("/{name}")
    async def show(name: Name, grader: Served) -> Shown:
        """What is known so far."""
        candidates = _candidates(grader.lines(Narrowing()))
        tallies = grader.store.curricula.tallies(name)
        tried = tuple(Known.of(one) for one in estimates(candidates, tallies) if one.tries)
        levels = {level: round(mean, 6) for level, mean in level_means(candidates, tallies).items()}
        return Shown(given=grader.store.curricula.given(name), levels=levels, tasks=tried)

    return router


def _candidates(lines: Sequence[TaskLine]) -> list[Candidate]:
    return [Candidate(task=line.task, level=line.level) for line in lines]


def _next(one: Estimate, line: TaskLine) -> NextTask:
    return NextTask(
        **Known.of(one).model_dump(), **{name: getattr(line, name) for name in ("environment", "kind", "instruction", "pack", "split", "multi_turn")}
    )


def _outcome(one: ToldOutcome, grader: Grader) -> Told | None:
    """What is to be counted; nothing for an INVALID run."""
    if one.run:
        run, report = grader.store.get(one.run)
        if report is None:
            raise RunRefused(f"run: expected one that is scored, got {one.run}. Score it first.")
        return None if report["verdict"] == "INVALID" else Told(task=run.task, reward=float(report["reward"]), run=one.run)
    assert one.reward is not None  # the shape says so
    return Told(task=grader.packs.task(one.task).public.task, reward=one.reward)
