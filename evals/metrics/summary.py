"""Figures of an evaluation: over all tasks, and by environment, level, kind, noise and persona."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from evals.metrics.counting import Counted, by_task, partial, reward
from evals.metrics.formulas import Interval, interval_of_rates, mean, pass_at, pass_hat
from evals.metrics.records import Attempt

NOBODY = "no user"
"""Name of the tasks in which nobody can be asked, among personas."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PassK:
    """pass@k and pass^k, over the tasks with at least k scored attempts."""

    k: int
    at: float
    hat: float
    tasks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """What the runs cost: means for each scored run; None where no run said."""

    calls: float
    refusals: float
    errors: float
    retries: float
    input_tokens: float | None
    output_tokens: float | None
    cost: float | None
    total_cost: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What some tasks come to. `runs` are scored; `masked` come on top of them."""

    name: str
    tasks: int
    runs: int
    passed: int
    masked: int
    invalid: int
    reward: float
    reward_interval: Interval
    partial: float
    partial_interval: Interval
    passes: tuple[PassK, ...]
    effort: Effort


@dataclass(frozen=True, slots=True, kw_only=True)
class Twins:
    """Pairs of tasks with the same words and another right result, by how many of the two passed in the same epoch."""

    pairs: int
    both: int
    one: int
    none: int


def figures(name: str, scored: Sequence[Attempt], masked: Sequence[Attempt] = ()) -> Figures:
    """Figures of some attempts, all counted already."""
    tasks = by_task(scored)
    rates = [mean([reward(one) for one in ones]) for ones in tasks.values()]
    parts = [mean([partial(one) for one in ones]) for ones in tasks.values()]
    single = all(len(ones) == 1 for ones in tasks.values())
    return Figures(
        name=name,
        tasks=len(tasks),
        runs=len(scored),
        passed=sum(reward(one) == 1 for one in scored),
        masked=len(masked),
        invalid=sum(one.verdict == "INVALID" for one in scored),
        reward=mean(rates),
        reward_interval=interval_of_rates(rates, single=single),
        partial=mean(parts),
        partial_interval=interval_of_rates(parts, single=False),
        passes=passes(tasks.values()),
        effort=effort(scored),
    )


def passes(tasks: Iterable[Sequence[Attempt]]) -> tuple[PassK, ...]:
    """pass@k and pass^k for each k that some task has attempts for."""
    counts = [(len(ones), round(sum(reward(one) for one in ones))) for ones in tasks]
    found = []
    for k in range(1, max((n for n, _ in counts), default=0) + 1):
        fit = [(n, c) for n, c in counts if n >= k]
        at, hat = (mean([rule(n, c, k) for n, c in fit]) for rule in (pass_at, pass_hat))
        found.append(PassK(k=k, at=at, hat=hat, tasks=len(fit)))
    return tuple(found)


def effort(scored: Sequence[Attempt]) -> Effort:
    """Means of what runs cost."""
    tokens = [one.tokens for one in scored if one.tokens is not None]
    costs = [one.cost for one in scored if one.cost is not None]
    return Effort(
        calls=mean([one.calls for one in scored]),
        refusals=mean([one.refusals for one in scored]),
        errors=mean([one.errors for one in scored]),
        retries=mean([one.retries for one in scored]),
        input_tokens=mean([one.input for one in tokens]) if tokens else None,
        output_tokens=mean([one.output for one in tokens]) if tokens else None,
        cost=mean(costs) if costs else None,
        total_cost=sum(costs) if costs else None,
    )


def slices(counted: Counted, noise: str) -> dict[str, tuple[Figures, ...]]:
    """Figures by environment, level, kind and noise, each in the order of its values; where users were asked, by their persona too."""
    ways: dict[str, Callable[[Attempt], str]] = {
        "environment": lambda one: one.environment,
        "level": lambda one: str(one.level),
        "kind": lambda one: one.kind,
        "noise": lambda one: noise,
    }
    if any(one.persona for one in (*counted.scored, *counted.masked)):
        ways["persona"] = lambda one: one.persona or NOBODY
    return {way: _sliced(counted, value) for way, value in ways.items()}


def _sliced(counted: Counted, value: Callable[[Attempt], str]) -> tuple[Figures, ...]:
    scored: dict[str, list[Attempt]] = {}
    masked: dict[str, list[Attempt]] = {}
    for group, attempts in ((scored, counted.scored), (masked, counted.masked)):
        for one in attempts:
            group.setdefault(value(one), []).append(one)
    return tuple(figures(name, scored.get(name, ()), masked.get(name, ())) for name in sorted(scored.keys() | masked.keys()))


def twins(scored: Sequence[Attempt]) -> Twins:
    """How pairs of twins fared; pairs of which one was masked are left out."""
    found = {(one.task, one.epoch): one for one in scored}
    results = []
    for one in scored:
        other = found.get((one.twin, one.epoch)) if one.twin else None
        if other is not None and one.task < other.task:
            results.append(round(reward(one) + reward(other)))
    return Twins(pairs=len(results), both=results.count(2), one=results.count(1), none=results.count(0))
