"""One evaluation from what was asked for to its folder."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evals.agents.agent import Limits
from evals.agents.known import Known
from evals.agents.spec import Chosen, Means, make_agent
from evals.running.attempt import Attempt
from evals.running.journal import Journal, open_journal
from evals.running.manifest import Invocation, Manifest, Noise, RunLimits
from evals.running.plan import Choice, choose
from evals.running.runner import Order, Runner, play_all
from evals.running.users import PLAIN
from evals.sidecar import PackLine, Sidecar, TaskLine
from registry.plain_http import Http, PlainHttp

REQUEST_SECONDS = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What was asked for. `envfarm` is the version that plays; `persona` is a name or `mix`.

    `variables` go to programs that are agents, which must not see what is `hidden`.
    """

    agent: str
    choice: Choice = field(default_factory=Choice)
    epochs: int = 1
    limits: Limits = field(default_factory=Limits)
    seed: int = 0
    noise: Noise = field(default_factory=Noise)
    persona: str = PLAIN
    concurrency: int = 4
    resume: bool = False
    envfarm: str = "0"
    variables: Mapping[str, str] = field(default_factory=dict)
    sandbox: bool = True
    hidden: tuple[Path, ...] = ()
    invocation: Invocation = field(default_factory=Invocation)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a sidecar is, its token `grader`, and folders of its own that tell gold."""

    sidecar_url: str
    token: str
    folders: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluated:
    """What came of it: the manifest, and every attempt."""

    manifest: Manifest
    attempts: tuple[Attempt, ...]

    def summary(self) -> dict[str, Any]:
        """Means over tasks and epochs: the last attempt counts, a second INVALID 0, what is MASKED in the end is left out."""
        last = {(one.task, one.epoch): one for one in self.attempts}
        counted = [one for one in last.values() if one.verdict != "MASKED"]
        verdicts = Counter(one.verdict for one in last.values())
        return {
            "agent": self.manifest.agent,
            "headline": list(self.manifest.headline),
            "tasks": len(self.manifest.tasks),
            "epochs": self.manifest.epochs,
            "attempts": len(self.attempts),
            "mean_reward": sum(one.reward for one in counted) / len(counted) if counted else None,
            "mean_partial": sum(one.partial for one in counted) / len(counted) if counted else None,
            **{verdict.lower(): verdicts[verdict] for verdict in ("PASS", "FAIL", "INVALID", "MASKED")},
            "twins": _twins({place: one.reward for place, one in last.items() if one.verdict != "MASKED"}, counted),
            "repeated": len(self.attempts) - len(last),
        }

    @property
    def unscored(self) -> str:
        """Why no run could be scored, as most of them say it; empty where at least one was."""
        if any(one.verdict in ("PASS", "FAIL") for one in self.attempts):
            return ""
        ((said, _),) = Counter(one.remark or f"no reason given ({one.verdict})" for one in self.attempts).most_common(1) or (("none was played", 0),)
        return said


def _twins(rewards: Mapping[tuple[str, int], int], counted: Sequence[Attempt]) -> dict[str, int]:
    """Pairs of twins that were scored in the same epoch, and those of which both passed: who did not look passes at most one."""
    pairs = [(one.reward, rewards[one.twin, one.epoch]) for one in counted if one.task < one.twin and (one.twin, one.epoch) in rewards]
    return {"pairs": len(pairs), "both": pairs.count((1, 1))}


Heard = Callable[[Attempt, int, int], None]
"""Told of each attempt with the number of those that are settled, and of all that are to be."""


async def evaluate(place: Place, several: Sequence[tuple[Wanted, Path]], heard: Heard) -> tuple[Evaluated, ...]:
    """Plays agents over the chosen tasks, or what is missing of it: each task by all of them before the next task.

    Args:
        place: Of the sidecar.
        several: What each is to play, and the folder of its evaluation. As many runs are under way at a time as the first one says.
        heard: Told of the attempts of all.

    Raises:
        EvalError: It cannot begin or go on; what is finished is kept in the folders.
    """
    async with PlainHttp(timeout=REQUEST_SECONDS, connections=4 * several[0][0].concurrency + 8) as http:
        sidecar = Sidecar(place.sidecar_url, place.token, http)
        game = _Game(place=place, http=http, sidecar=sidecar, tasks=await sidecar.tasks(), packs=await sidecar.packs(), heard=heard)
        with ExitStack() as stack:
            seats = [stack.enter_context(game.seat(wanted, out)) for wanted, out in several]
            await play_all([runner for _, runner, _ in seats])
            return tuple(Evaluated(manifest=manifest, attempts=tuple(journal.attempts)) for manifest, _, journal in seats)


class _Game:
    """What the evaluations that are played together share."""

    def __init__(self, *, place: Place, http: Http, sidecar: Sidecar, tasks: Sequence[TaskLine], packs: Sequence[PackLine], heard: Heard) -> None:
        self._place, self._http, self._sidecar, self._tasks, self._packs, self._heard = place, http, sidecar, tasks, packs, heard
        self._known = Known(sidecar, tasks)
        self._settled = self._total = 0

    @contextmanager
    def seat(self, wanted: Wanted, out: Path) -> Iterator[tuple[Manifest, Runner, Journal]]:
        """One of them, ready to be played."""
        tasks = choose(self._tasks, self._packs, wanted.choice)
        hidden = (*wanted.hidden, *self._place.folders, out)
        means = Means(http=self._http, known=self._known, variables=wanted.variables, sandbox=wanted.sandbox, hidden=hidden)
        chosen = make_agent(wanted.agent, means)
        manifest = manifest_of(wanted, chosen, tasks, self._packs)
        with open_journal(out, manifest, resume=wanted.resume, filters=wanted.choice.options) as journal:
            self._total += len(tasks) * wanted.epochs
            self._settled += sum(one.settled for one in journal.attempts)
            yield manifest, Runner(self._sidecar, self._known, self._http, chosen.agent, _order(wanted, tasks), journal, self._told), journal

    def _told(self, attempt: Attempt) -> None:
        self._settled += attempt.settled
        self._heard(attempt, self._settled, self._total)


def _order(wanted: Wanted, tasks: tuple[TaskLine, ...]) -> Order:
    return Order(
        tasks=tasks,
        epochs=wanted.epochs,
        limits=wanted.limits,
        seed=wanted.seed,
        concurrency=wanted.concurrency,
        noise=wanted.noise,
        persona=wanted.persona,
    )


def manifest_of(wanted: Wanted, chosen: Chosen, tasks: Sequence[TaskLine], packs: Sequence[PackLine]) -> Manifest:
    """What pins the evaluation."""
    used = [one for one in packs if one.pack in {task.pack for task in tasks}]
    return Manifest(
        agent=wanted.agent,
        headline=chosen.headline,
        environments={one.environment: one.environment_digest for one in sorted(used, key=lambda one: one.environment)},
        packs={one.pack: one.digest for one in sorted(used, key=lambda one: one.pack)},
        generator=", ".join(sorted({one.generator for one in used})),
        envfarm=wanted.envfarm,
        tasks=tuple(one.task for one in tasks),
        epochs=wanted.epochs,
        noise=wanted.noise,
        persona=wanted.persona,
        limits=RunLimits(max_calls=wanted.limits.max_calls, timeout=wanted.limits.timeout),
        seed=wanted.seed,
        invocation=wanted.invocation,
    )
