"""Two evaluations held against each other, paired by task and epoch."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb

from evals.metrics.counting import Counted, reward
from evals.metrics.formulas import BOOTSTRAP_SEED, RESAMPLES, Formula, Interval, bootstrap, mean, newcombe
from evals.metrics.records import Attempt

PERMUTATIONS = 10_000
EXACT_UP_TO = 12
"""Tasks with a difference up to which all sign changes are tried."""

COMPARE_FORMULAS = (
    Formula(
        name="difference",
        text="mean over tasks of the mean difference of rewards, B − A, over the epochs that both have.",
        source="https://arxiv.org/abs/2411.00640",
    ),
    Formula(
        name="interval",
        text=f"bootstrap of the tasks' differences, {RESAMPLES} times (seed {BOOTSTRAP_SEED}). Where all tasks have the same one: Newcombe's.",
        source="https://doi.org/10.1214/aos/1176344552",
    ),
    Formula(
        name="Newcombe interval",
        text="method 10 for proportions of paired data: the ends of both Wilson intervals, joined with their correlation φ; of several epochs φ = 0.",
        source="https://pubmed.ncbi.nlm.nih.gov/9839354/",
    ),
    Formula(
        name="McNemar, exact",
        text="one epoch: of the tasks that flipped, m = min(gained, lost) of n; p = min(1, 2·Σ C(n, i)/2ⁿ, i = 0…m).",
        source="https://doi.org/10.1007/BF02295996",
    ),
    Formula(
        name="paired permutation",
        text=f"several epochs: the sign of each task's difference is changed at random ({PERMUTATIONS} times, seed {BOOTSTRAP_SEED}; all of them up "
        f"to {EXACT_UP_TO} tasks that differ); p is the share with a difference at least as large.",
        source="https://doi.org/10.2307/2332008",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """The attempts of both at one task in one epoch."""

    a: Attempt
    b: Attempt


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """B against A over some tasks. `gained` pairs passed only in B, `lost` only in A."""

    name: str
    tasks: int
    pairs: int
    a: float
    b: float
    difference: float
    interval: Interval
    gained: int
    lost: int
    test: str
    p: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """A task on which the two differ."""

    task: str
    environment: str
    kind: str
    level: int
    a: float
    b: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """All of it. `unpaired` counts (task, epoch) pairs that one of the two lacks or has masked."""

    overall: Difference
    slices: dict[str, tuple[Difference, ...]]
    flips: tuple[Flip, ...]
    unpaired_a: int
    unpaired_b: int


def compare(a: Counted, b: Counted) -> Comparison:
    """Holds B against A where both have a scored attempt at the same task in the same epoch."""
    of_a, of_b = ({(one.task, one.epoch): one for one in side.scored} for side in (a, b))
    pairs = [Pair(a=one, b=of_b[place]) for place, one in of_a.items() if place in of_b]
    ways: dict[str, Callable[[Attempt], str]] = {
        "environment": lambda one: one.environment,
        "level": lambda one: str(one.level),
        "kind": lambda one: one.kind,
    }
    return Comparison(
        overall=difference("all", pairs),
        slices={way: _sliced(pairs, value) for way, value in ways.items()},
        flips=_flips(pairs),
        unpaired_a=len(of_a) - len(pairs),
        unpaired_b=len(of_b) - len(pairs),
    )


def difference(name: str, pairs: Sequence[Pair]) -> Difference:
    """B against A over some pairs."""
    tasks = list(_by_task(pairs).values())
    steps = [mean([reward(one.b) - reward(one.a) for one in ones]) for ones in tasks]
    gained, lost = (sum(reward(one.b) - reward(one.a) == sign for one in pairs) for sign in (1, -1))
    single = all(len(ones) == 1 for ones in tasks)
    of_a, of_b = ([mean([reward(getattr(one, side)) for one in ones]) for ones in tasks] for side in ("a", "b"))
    return Difference(
        name=name,
        tasks=len(tasks),
        pairs=len(pairs),
        a=mean(of_a),
        b=mean(of_b),
        difference=mean(steps),
        # Drawn again and again from the same number, the bootstrap would show no doubt at all.
        interval=bootstrap(steps, -1.0, 1.0) if len(set(steps)) > 1 else newcombe(of_a, of_b),
        gained=gained,
        lost=lost,
        test="McNemar, exact" if single else "paired permutation",
        p=mcnemar(gained, lost) if single else permutation(steps),
    )


def mcnemar(gained: int, lost: int) -> float:
    """Two-sided exact p-value that gains and losses are equally likely."""
    n = gained + lost
    return min(1.0, 2 * sum(comb(n, i) for i in range(min(gained, lost) + 1)) / (1 << n))


def permutation(steps: Sequence[float]) -> float:
    """Two-sided p-value that each task's difference could as well have the other sign."""
    moved = [step for step in steps if step]
    if not moved:
        return 1.0
    seen = abs(sum(moved)) - 1e-9
    if len(moved) <= EXACT_UP_TO:
        sums = [_signed(moved, mask) for mask in range(2 ** len(moved))]
        return sum(abs(one) >= seen for one in sums) / len(sums)
    chance = random.Random(BOOTSTRAP_SEED)
    hits = sum(abs(_signed(moved, chance.getrandbits(len(moved)))) >= seen for _ in range(PERMUTATIONS))
    return (hits + 1) / (PERMUTATIONS + 1)


def _signed(moved: Sequence[float], mask: int) -> float:
    return sum(step if mask >> place & 1 else -step for place, step in enumerate(moved))


def _by_task(pairs: Sequence[Pair]) -> dict[str, list[Pair]]:
    found: dict[str, list[Pair]] = {}
    for one in pairs:
        found.setdefault(one.a.task, []).append(one)
    return found


def _sliced(pairs: Sequence[Pair], value: Callable[[Attempt], str]) -> tuple[Difference, ...]:
    found: dict[str, list[Pair]] = {}
    for one in pairs:
        found.setdefault(value(one.a), []).append(one)
    return tuple(difference(name, found[name]) for name in sorted(found))


def _flips(pairs: Sequence[Pair]) -> tuple[Flip, ...]:
    """Tasks whose mean reward differs, the greatest losses first."""
    flips = []
    for task, ones in _by_task(pairs).items():
        a, b = (mean([reward(getattr(one, side)) for one in ones]) for side in ("a", "b"))
        if a != b:
            first = ones[0].a
            flips.append(Flip(task=task, environment=first.environment, kind=first.kind, level=first.level, a=a, b=b))
    return tuple(sorted(flips, key=lambda one: (one.b - one.a, one.environment, one.task)))
