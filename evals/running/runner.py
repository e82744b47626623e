"""Plays every task of an evaluation in every epoch, each attempt kept before the next."""

import asyncio
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evals.agents.agent import Agent, Episode, Limits, Outcome
from evals.agents.known import Known
from evals.errors import EvalError
from evals.running.attempt import Attempt, TokensUsed, Verdict
from evals.running.journal import Journal
from evals.running.manifest import Noise
from evals.running.telling import counted, told_run, wrong
from evals.running.users import PLAIN, user_of
from evals.session import SUBMIT, ThinSession, WireBroken
from evals.sidecar import Sidecar, StartedRun, TaskLine
from registry.plain_http import Http

FINAL_LENGTH = 20_000
REMARK_LENGTH = 2_000
TRY_AGAIN = "TRY_AGAIN"
SUBMISSIONS = 8
"""How often a submission in the agent's name is tried."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is to be played."""

    tasks: tuple[TaskLine, ...]
    epochs: int
    limits: Limits
    seed: int
    concurrency: int
    noise: Noise
    persona: str = PLAIN


class Runner:
    """Plays one agent.

    Args:
        sidecar: Starts and scores runs.
        known: Tells gold, for the record.
        http: For submissions in an agent's name.
        agent: Plays.
        order: What is to be played.
        journal: Keeps what is finished, and knows what was finished before.
        heard: Told of each attempt.
    """

    def __init__(
        self,
        sidecar: Sidecar,
        known: Known,
        http: Http,
        agent: Agent,
        order: Order,
        journal: Journal,
        heard: Callable[[Attempt], None],
    ) -> None:
        self.order = self._order = order
        self._sidecar, self._known, self._http, self._agent, self._journal, self._heard = sidecar, known, http, agent, journal, heard

    async def settle(self, task: TaskLine, epoch: int) -> None:
        """Makes the attempts that are missing."""
        made = self._journal.of(task.task, epoch)
        while not made or not made[-1].settled:
            made.append(await self._attempt(task, epoch, made))
            self._heard(made[-1])

    async def _attempt(self, task: TaskLine, epoch: int, before: Sequence[Attempt]) -> Attempt:
        again = before[-1].run if before and before[-1].verdict == "INVALID" else ""
        noise = self._order.noise
        # Each epoch is disturbed in its own way, each attempt of it in the same.
        disturbed = {"profile": noise.profile, "seed": noise.seed + epoch - 1}
        terms: dict[str, Any] = {"call_limit": self._order.limits.max_calls, **({"noise": disturbed} if noise.profile != "none" else {})}
        if task.multi_turn:
            terms["user"] = user_of(self._order.persona, self._order.seed, task.task, epoch)
        run = await self._sidecar.start(task.task, again=again, **terms)
        outcome = await self._played(self._episode(task, epoch, run))
        if outcome.submission is not None:
            await self._submitted(run, outcome.submission)
        report, calls = await self._sidecar.end(run.run)
        attempt = self._judged(task, epoch, len(before) + 1, run, outcome, report, calls)
        gold = (await self._known.told(task.task))["gold"]
        await self._journal.keep(attempt, told_run(attempt, run.instruction, calls, report, gold, outcome.messages))
        return attempt

    def _episode(self, task: TaskLine, epoch: int, run: StartedRun) -> Episode:
        return Episode(
            run=run.run,
            task=task.task,
            environment=task.environment,
            epoch=epoch,
            mcp_url=run.mcp_url,
            instruction=run.instruction,
            multi_turn=task.multi_turn,
            limits=self._order.limits,
            seed=seed_of(self._order.seed, task.task, epoch),
            noisy=self._order.noise.profile != "none",
        )

    async def _played(self, episode: Episode) -> Outcome:
        try:
            async with asyncio.timeout(episode.limits.timeout) as limit:
                return await self._agent.play(episode)
        except TimeoutError as error:
            if limit.expired():
                return Outcome(stopped="timeout", remark=f"no end within {episode.limits.timeout:g} s")
            return Outcome(stopped="crashed", remark=f"{type(error).__name__}: {error}")
        except WireBroken as error:
            return Outcome(stopped="crashed", masked="network", remark=str(error))
        except EvalError:
            raise
        except Exception as error:  # noqa: BLE001 one agent's fault in one episode does not end hours of others
            return Outcome(stopped="crashed", remark=f"{type(error).__name__}: {error}")

    async def _submitted(self, run: StartedRun, submission: Mapping[str, Any]) -> None:
        """Sent in the agent's name, again where noise kept it off; refused where the agent has submitted itself."""
        session = ThinSession(run.mcp_url, self._http)
        try:
            for _ in range(SUBMISSIONS):
                reply = await session.call(SUBMIT, submission)
                if reply.result is not None or not reply.text.startswith(TRY_AGAIN):
                    break
        except WireBroken as error:
            raise EvalError(f"{error} Go on with --resume.") from error

    def _judged(
        self,
        task: TaskLine,
        epoch: int,
        number: int,
        run: StartedRun,
        outcome: Outcome,
        report: Mapping[str, Any],
        calls: Sequence[Mapping[str, Any]],
    ) -> Attempt:
        # A defect comes before a mask: else whoever provokes one could have it left out of the mean.
        masked = outcome.masked
        if report["verdict"] == "INVALID":
            masked = "simulator" if report.get("reason", "").startswith("simulator:") else ""
        verdict: Verdict = "MASKED" if masked else report["verdict"]
        figures = {"try": number, **counted(calls)}
        over = any((one["refusal"] or {}).get("code") == "CALL_LIMIT" for one in calls)
        return Attempt(
            task=task.task,
            environment=task.environment,
            pack=task.pack,
            kind=task.kind,
            level=task.level,
            twin=task.twin,
            persona=user_of(self._order.persona, self._order.seed, task.task, epoch)["persona"] if task.multi_turn else "",
            epoch=epoch,
            run=run.run,
            verdict=verdict,
            reward=0 if verdict == "MASKED" else report["reward"],
            partial=0.0 if verdict == "MASKED" else report["partial"],
            masked=masked,
            remark=(outcome.remark or report.get("reason") or wrong(report))[:REMARK_LENGTH],
            tokens=None if outcome.tokens is None else TokensUsed(input=outcome.tokens.input, output=outcome.tokens.output),
            cost=outcome.cost,
            final=outcome.final[-FINAL_LENGTH:],
            stopped="max_calls" if over and outcome.stopped == "finished" else outcome.stopped,
            **figures,
        )


async def play_all(runners: Sequence[Runner]) -> None:
    """Plays all that is not finished yet, a task by all runners before the next one: what is worked out for a task serves all of them.

    Args:
        runners: As many runs are under way at a time as the order of the first one says.

    Raises:
        EvalError: Farm or sidecar do not answer, or an agent cannot be played; what is finished is kept.
    """
    room = asyncio.Semaphore(runners[0].order.concurrency)

    async def settled(runner: Runner, task: TaskLine, epoch: int) -> None:
        async with room:
            await runner.settle(task, epoch)

    tasks = dict.fromkeys(task for runner in runners for task in runner.order.tasks)
    chosen = [{task.task for task in runner.order.tasks} for runner in runners]
    try:
        async with asyncio.TaskGroup() as group:
            for epoch in range(1, max(runner.order.epochs for runner in runners) + 1):
                for task in tasks:
                    for runner, its in zip(runners, chosen, strict=True):
                        if epoch <= runner.order.epochs and task.task in its:
                            group.create_task(settled(runner, task, epoch))
    except BaseExceptionGroup as several:
        raise first_of(several) from several


def seed_of(seed: int, task: str, epoch: int) -> int:
    """The seed of one episode."""
    return int.from_bytes(hashlib.sha256(f"{seed} {task} {epoch}".encode()).digest()[:6])


def first_of(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The first error itself."""
    found: BaseException = group
    while isinstance(found, BaseExceptionGroup):
        found = found.exceptions[0]
    return found
