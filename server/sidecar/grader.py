"""Tasks, runs, scores: what the sidecar does, apart from HTTP."""

import asyncio
import contextlib
import secrets
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from registry.catalogue import Catalogue
from registry.dispatch.user import PLAIN
from registry.environment import Environment
from registry.errors import EnvNotFound
from registry.package.errors import PackageError
from registry.package.noise import NoiseSpec, NoiseWanted, OtherCall, noise_of
from registry.package.stored_form import columns_of
from registry.package.user import UserWanted
from registry.packs.narrowing import Narrowing
from registry.packs.reading import Task
from registry.packs.scenario import scenario_rows
from registry.record import LogRecord
from registry.score import ScoreReport, score
from registry.score.report import invalid
from registry.template import Template
from server.sidecar.errors import RunRefused, TaskGone, TaskNotFound
from server.sidecar.farm import EpisodeState, Farm, Scenario
from server.sidecar.gold import gold_alone, gold_told
from server.sidecar.others import harmless_calls
from server.sidecar.packs import Packs
from server.sidecar.replay import Replayed, fresh_episode, replay
from server.sidecar.shapes import TaskLine
from server.sidecar.store import Run, RunStore
from server.sidecar.trace import calls_of, trace

ATTEMPTS = 2
"""An INVALID run is repeated once; the second INVALID counts 0."""
SCENARIOS = 64
"""Start states that are kept, oldest dropped first. Most of their rows are those of the pack's worlds, which are held anyway; each has its JSON."""


class Grader:
    """Starts and scores runs.

    Args:
        packs: Task packs.
        catalogue: The sidecar's own copy of the environment packages, for replay.
        farm: The control plane.
        store: Where runs are kept.
    """

    def __init__(self, packs: Packs, catalogue: Catalogue, farm: Farm, store: RunStore) -> None:
        self.packs, self.farm, self.store = packs, farm, store
        self._catalogue = catalogue
        self._others: dict[tuple[str, str, str], tuple[OtherCall, ...]] = {}
        self._scenarios: dict[tuple[str, str], Scenario] = {}
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    def lines(self, wanted: Narrowing) -> tuple[TaskLine, ...]:
        """Tasks, ordered by environment, pack and id.

        Raises:
            NameUnknown: A name is none of the known ones, or no pack is of that split.
            PackageError: A pack cannot be used.
        """
        return tuple(map(TaskLine.of, wanted.of(self.packs.tasks(), self._catalogue.ids())))

    async def start(
        self,
        task_id: str,
        *,
        again: str = "",
        rewindable: bool = False,
        call_limit: int = 0,
        noise: NoiseWanted | None = None,
        user: UserWanted = PLAIN,
    ) -> Run:
        """A run of the task with an episode of its own.

        Args:
            task_id: Of a task in one of the packs.
            again: An INVALID run of the same task that this one repeats.
            rewindable: Whether the run may be scored after a rewind.
            call_limit: Calls that are served, where the task allows more; 0 for those of the task.
            noise: What disturbs the agent's calls.
            user: How the user of a multi-turn task speaks.

        Raises:
            TaskNotFound, RunNotFound, RunRefused, PackageError, FarmFailed: The run cannot be started; the sentence says why.
        """
        return (await self.group(task_id, 1, again=again, rewindable=rewindable, call_limit=call_limit, noise=noise, user=user))[0]

    async def group(
        self,
        task_id: str,
        size: int,
        *,
        again: str = "",
        rewindable: bool = False,
        call_limit: int = 0,
        noise: NoiseWanted | None = None,
        user: UserWanted = PLAIN,
    ) -> tuple[Run, ...]:
        """So many runs of one task, each with an episode of its own, all from the same state; raises as `start` does."""
        attempt = self._attempt(task_id, again)
        task, environment, scenario = self._start_of(task_id)
        limit = min(filter(None, (call_limit, task.public.call_limit)), default=0)
        noisy = self._noise(noise, environment, task, scenario)
        first = await self.farm.create(task.public, scenario, rewindable=rewindable, call_limit=limit, noise=noisy, user=user)
        state = environment.scenario_template(scenario.rows, task.scenario).digest
        if (first.environment_digest, first.state_digest) != (environment.digest, state):
            raise PackageError(f"farm: expected {environment.id} as the sidecar has it, got other bytes. Give both processes the same packages.")
        # The rows are sent once; a fork before the first call is the same start.
        others = await self.farm.forks(first.key, 0, size - 1) if size > 1 else ()
        pattern = Run(
            run="",
            task=task_id,
            environment=environment.id,
            environment_digest=environment.digest,
            state_digest=state,
            key="",
            mcp_url="",
            sse_url="",
            instruction=task.public.instruction,
            rewindable=rewindable,
            call_limit=limit,
            attempt=attempt,
            again=again,
            noise=noisy,
            noise_seed=None if noise is None else noise.seed,
            user=user,
        )
        return tuple(self._add(pattern, episode) for episode in (first, *others))

    async def fork(self, run_id: str, at: int | None, copies: int) -> tuple[Run, ...]:
        """New runs of the same task that begin with the first `at` calls of that one (None for all).

        Raises:
            RunNotFound, FarmFailed: There is no such run, or it has not so many calls.
        """
        run, _ = self.store.get(run_id)
        pattern = run.model_copy(update={"origin": f"{run_id}@{'' if at is None else at}"})
        return tuple(self._add(pattern, episode) for episode in await self.farm.forks(run.key, at, copies))

    def _add(self, pattern: Run, episode: EpisodeState) -> Run:
        own = {"run": f"run-{secrets.token_hex(8)}", "key": episode.key, "mcp_url": episode.mcp_url, "sse_url": episode.sse_url}
        run = pattern.model_copy(update=own)
        self.store.add(run)
        return run

    async def score(self, run_id: str) -> dict[str, Any]:
        """The report of a run. The first request closes the episode and judges it; later ones give the same report.

        Raises:
            RunNotFound, FarmFailed, PackageError: The run cannot be judged now; nothing was decided.
        """
        return (await self._score(run_id))[0]

    async def end(self, run_id: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """The report of a run and its calls, as `score` and `trace` tell them, for less than both cost.

        Raises:
            RunNotFound, TaskNotFound, FarmFailed, PackageError: The run cannot be judged or told now.
        """
        report, judged = await self._score(run_id)
        if judged is None or judged.replayed.broken:
            return report, await self.trace(run_id)
        return report, trace(judged.replayed.outcomes, judged.environment.meta, judged.start, calls_of(judged.records))

    async def _score(self, run_id: str) -> tuple[dict[str, Any], "_Judged | None"]:
        """The report, and what it comes from if it was made now."""
        async with self._locks[run_id]:
            run, report = self.store.get(run_id)
            judged = None
            if report is None:
                found = await self._judged(run)
                report = (found if isinstance(found, ScoreReport) else found.report).to_json()
                judged = None if isinstance(found, ScoreReport) else found
                if judged is not None:
                    report["columns"] = columns_of(judged.environment.meta.tables, judged.tables())
                self.store.keep_report(run_id, report)
            self._locks.pop(run_id, None)
            return report, judged

    async def trace(self, run_id: str) -> list[dict[str, Any]]:
        """Every call of a run with what it changed.

        Raises:
            RunNotFound, TaskNotFound, FarmFailed, PackageError: It cannot be told now.
        """
        run, _ = self.store.get(run_id)
        self._task_of(run)
        task, environment, scenario = self._start_of(run.task)
        calls = calls_of((await self.farm.recorded(run.key)).records)
        with contextlib.closing(
            fresh_episode(environment, task, scenario.rows, call_limit=run.call_limit, noise=run.noise, user=run.user)
        ) as episode:
            outcomes = [episode.call(record.tool, record.arguments) for record in calls]
        return trace(outcomes, environment.meta, environment.scenario_template(scenario.rows, task.scenario), calls)

    def gold(self, task_id: str, *, played: bool = True) -> dict[str, Any]:
        """The gold of a task as `server.sidecar.gold` tells it; what only a play of it shows is left out where that is not wanted.

        Raises:
            TaskNotFound, PackageError: There is none.
        """
        if not played:
            task = self.packs.task(task_id)
            return gold_alone(self._environment(task), task)
        task, environment, scenario = self._start_of(task_id)
        with contextlib.closing(fresh_episode(environment, task, scenario.rows, call_limit=0)) as episode:
            return gold_told(environment, task, environment.scenario_template(scenario.rows, task.scenario), episode)

    def _task_of(self, run: Run) -> Task:
        try:
            return self.packs.task(run.task)
        except TaskNotFound as error:
            raise TaskGone(run.run, run.task, self.packs.folder) from error

    def _start_of(self, task_id: str) -> tuple[Task, Environment, Scenario]:
        task = self.packs.task(task_id)
        environment = self._environment(task)
        return task, environment, self._scenario(task, environment)

    def _attempt(self, task: str, again: str) -> int:
        if not again:
            return 1
        run, report = self.store.get(again)
        if run.task != task:
            raise RunRefused(f"again: expected a run of task {task}, got one of {run.task}. Name a run of the same task.")
        if report is None or report["verdict"] != "INVALID":
            told = "a run that is not scored" if report is None else f"one that is {report['verdict']}"
            raise RunRefused(f"again: expected an INVALID run, got {told}. Only INVALID runs are repeated.")
        if run.attempt >= ATTEMPTS or self.store.repeated(again):
            raise RunRefused(f"again: expected a run that was not repeated, got {again}. A second INVALID counts 0.")
        return run.attempt + 1

    def _environment(self, task: Task) -> Environment:
        """The package that the task was made for; read again when another one was loaded."""
        name = task.public.environment
        for fresh in (False, True):
            if fresh:
                self._catalogue.refresh()
            try:
                found = self._catalogue.load(name)
            except EnvNotFound as error:
                raise PackageError(str(error)) from error
            if found.digest == task.environment_digest:
                return found
        raise PackageError(f"pack {task.pack}: expected {name} of digest {task.environment_digest[:12]}, got {found.digest[:12]}. Rebuild the pack.")

    def _scenario(self, task: Task, environment: Environment) -> Scenario:
        """The rows at the start of a task; a run asks for them when it starts, when it is scored and when it is traced."""
        place = (environment.digest, task.scenario)
        if place not in self._scenarios:
            while len(self._scenarios) >= SCENARIOS:
                self._scenarios.pop(next(iter(self._scenarios)))
            self._scenarios[place] = Scenario.of(scenario_rows(task.public, self.packs.world(task), environment.meta))
        return self._scenarios[place]

    def _noise(self, wanted: NoiseWanted | None, environment: Environment, task: Task, scenario: Scenario) -> NoiseSpec | None:
        if wanted is None or wanted.profile == "none":
            return None
        name = (task.pack, task.public.task, task.environment_digest)
        if name not in self._others:
            self._others[name] = harmless_calls(environment, task, scenario.rows)
        return noise_of(wanted, task.public.task, self._others[name])

    async def _judged(self, run: Run) -> "ScoreReport | _Judged":
        episode, recorded = await self.farm.end(run.key)
        if episode.status in ("interrupted", "invalid"):
            return invalid(f"farm: the episode is {episode.status}")
        try:
            task = self._task_of(run)
            environment = self._environment(task)
            scenario = self._scenario(task, environment)
            start = environment.scenario_template(scenario.rows, task.scenario)
            same = (environment.digest, start.digest, task.public.instruction) == (run.environment_digest, run.state_digest, run.instruction)
            if not same:
                return invalid("pack: the task was rebuilt since the run began")
        except PackageError as error:
            return invalid(f"package: {error}")
        fresh = fresh_episode(environment, task, scenario.rows, call_limit=run.call_limit, noise=run.noise, user=run.user)
        replayed = replay(fresh, recorded, rewindable=run.rewindable)
        report = score(task.gold, replayed.changes, replayed.submission, environment.meta, broken=replayed.broken)
        return _Judged(report=report, replayed=replayed, records=recorded.records, environment=environment, start=start)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judged:
    """A report, and all that it comes from."""

    report: ScoreReport
    replayed: Replayed
    records: tuple[LogRecord, ...]
    environment: Environment
    start: Template

    def tables(self) -> set[str]:
        """Those whose rows the report or the calls tell of."""
        written = {write[0] for record in self.records for write in (*record.writes, *record.others)}
        return written | {one.table for one in self.report.checks} | {one.table for one in self.report.collateral}
