"""One evaluation from what was asked for to its folder."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from evals.agents.agent import Limits
from evals.agents.spec import Chosen, Means, make_agent
from evals.running.attempt import Attempt
from evals.running.journal import open_journal
from evals.running.manifest import Invocation, Manifest, Noise, RunLimits
from evals.running.plan import Choice, choose
from evals.running.runner import Order, Runner
from evals.running.users import PLAIN
from evals.sidecar import PackLine, Sidecar, TaskLine

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


def _twins(rewards: Mapping[tuple[str, int], int], counted: Sequence[Attempt]) -> dict[str, int]:
    """Pairs of twins that were scored in the same epoch, and those of which both passed: who did not look passes at most one."""
    pairs = [(one.reward, rewards[one.twin, one.epoch]) for one in counted if one.task < one.twin and (one.twin, one.epoch) in rewards]
    return {"pairs": len(pairs), "both": pairs.count((1, 1))}


Heard = Callable[[Attempt, int, int], None]
"""Told of each attempt with the number of those that are settled, and of all that are to be."""


async def evaluate(place: Place, wanted: Wanted, out: Path, heard: Heard) -> Evaluated:
    """Plays an agent over the chosen tasks, or what is missing of it.

    Raises:
        EvalError: It cannot begin or go on; what is finished is kept in `out`.
    """
    limits = httpx.Limits(max_connections=4 * wanted.concurrency + 8)
    async with httpx.AsyncClient(timeout=REQUEST_SECONDS, trust_env=False, limits=limits) as http:
        sidecar = Sidecar(place.sidecar_url, place.token, http)
        everything, packs = await sidecar.tasks(), await sidecar.packs()
        tasks = choose(everything, packs, wanted.choice)
        means = Means(
            sidecar=sidecar,
            http=http,
            tasks=everything,
            variables=wanted.variables,
            sandbox=wanted.sandbox,
            hidden=(*wanted.hidden, *place.folders, out),
        )
        chosen = make_agent(wanted.agent, means)
        manifest = manifest_of(wanted, chosen, tasks, packs)
        order = Order(
            tasks=tasks,
            epochs=wanted.epochs,
            limits=wanted.limits,
            seed=wanted.seed,
            concurrency=wanted.concurrency,
            noise=wanted.noise,
            persona=wanted.persona,
        )
        with open_journal(out, manifest, resume=wanted.resume) as journal:
            total = len(tasks) * wanted.epochs
            settled = sum(one.settled for one in journal.attempts)

            def told(attempt: Attempt) -> None:
                nonlocal settled
                settled += attempt.settled
                heard(attempt, settled, total)

            await Runner(sidecar, http, chosen.agent, order, journal, told).play()
            return Evaluated(manifest=manifest, attempts=tuple(journal.attempts))


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
