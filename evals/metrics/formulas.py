"""Formulas of the figures, each with what it is called, how it goes and where it comes from."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, sqrt

Z = 1.959963984540054
"""Quantile of the normal distribution that leaves 2.5 % on each side."""
RESAMPLES = 1000
BOOTSTRAP_SEED = 20240915
"""Fixed, so that the same evaluation always gives the same interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Formula:
    """A formula as reports name it."""

    name: str
    text: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A 95 % confidence interval and how it was computed."""

    low: float
    high: float
    method: str


FORMULAS = (
    Formula(
        name="mean reward",
        text="mean over tasks of c/n; n: scored attempts of the task, c: those that passed. INVALID counts 0, MASKED is left out of n.",
        source="https://arxiv.org/abs/2411.00640",
    ),
    Formula(name="mean partial", text="mean over tasks of the mean share of checks passed in the attempts of the task.", source=""),
    Formula(
        name="Wilson interval",
        text="for a proportion p of n tasks with one attempt each: (p + z²/2n ± z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n), z = 1.96.",
        source="https://doi.org/10.1080/01621459.1927.10502953",
    ),
    Formula(
        name="cluster bootstrap",
        text=f"several attempts at a task are not independent, so that whole tasks are drawn with replacement, {RESAMPLES} times (seed "
        f"{BOOTSTRAP_SEED}); 2.5 % and 97.5 % of the means. Where all tasks agree, Wilson over tasks. The two of a pair of twins count as two tasks.",
        source="https://doi.org/10.1214/aos/1176344552",
    ),
    Formula(
        name="pass@k",
        text="1 − C(n−c, k) / C(n, k), mean over the tasks with at least k scored attempts: one of k attempts passes.",
        source="https://arxiv.org/abs/2107.03374",
    ),
    Formula(
        name="pass^k",
        text="C(c, k) / C(n, k), mean over the tasks with at least k scored attempts: all of k attempts pass.",
        source="https://arxiv.org/abs/2406.12045",
    ),
    Formula(name="INVALID rate", text="INVALID attempts / attempts that were not masked, repeated ones included.", source=""),
)


def pass_at(n: int, c: int, k: int) -> float:
    """Chance that one of k attempts passes, where c of n did; 1 <= k <= n."""
    return 1 - comb(n - c, k) / comb(n, k)


def pass_hat(n: int, c: int, k: int) -> float:
    """Chance that all of k attempts pass, where c of n did; 1 <= k <= n."""
    return comb(c, k) / comb(n, k)


def mean(values: Sequence[float]) -> float:
    """The mean; 0 of nothing."""
    return sum(values) / len(values) if values else 0.0


def wilson(passed: float, n: int) -> Interval:
    """Wilson's interval for a proportion; the whole range where nothing was seen."""
    if n == 0:
        return Interval(low=0.0, high=1.0, method="Wilson")
    p, squared = passed / n, Z * Z
    middle = p + squared / (2 * n)
    reach = Z * sqrt(p * (1 - p) / n + squared / (4 * n * n))
    low, high = ((middle + side * reach) / (1 + squared / n) for side in (-1, 1))
    return Interval(low=max(0.0, min(low, p)), high=min(1.0, max(high, p)), method="Wilson")


def bootstrap(clusters: Sequence[float], low: float, high: float) -> Interval:
    """Percentile interval of the mean of `clusters`, one value each; `low` to `high` bound what values can be."""
    if not clusters:
        return Interval(low=low, high=high, method="cluster bootstrap")
    chance = random.Random(BOOTSTRAP_SEED)
    size = len(clusters)
    means = sorted(sum(chance.choices(clusters, k=size)) / size for _ in range(RESAMPLES))
    return Interval(low=means[round(0.025 * (RESAMPLES - 1))], high=means[round(0.975 * (RESAMPLES - 1))], method="cluster bootstrap")


def newcombe(a: Sequence[float], b: Sequence[float]) -> Interval:
    """Newcombe's interval (method 10) for the difference of two proportions over the same tasks, B − A; the whole range where nothing was seen.

    Args:
        a: Share of passes at each task; where all are 0 or 1 the two sides count as paired, else as if they had nothing to do with each other.
        b: Likewise, in the same order.
    """
    n, method = len(a), "Newcombe"
    if n == 0:
        return Interval(low=-1.0, high=1.0, method=method)
    one, other = mean(b), mean(a)
    of_one, of_other = wilson(sum(b), n), wilson(sum(a), n)
    related = _phi(a, b) if all(share in (0.0, 1.0) for share in (*a, *b)) else 0.0

    def reach(down: float, up: float) -> float:
        return sqrt(max(0.0, down * down - 2 * related * down * up + up * up))

    low = one - other - reach(one - of_one.low, of_other.high - other)
    high = one - other + reach(of_one.high - one, other - of_other.low)
    return Interval(low=max(-1.0, low), high=min(1.0, high), method=method)


def _phi(a: Sequence[float], b: Sequence[float]) -> float:
    """The correlation of two rows of 0 and 1, towards 0 by as much as few tasks allow; 0 where one of them is constant."""
    n = len(a)
    both = sum(x * y for x, y in zip(a, b, strict=True))
    of_a, of_b = sum(a), sum(b)
    spread = of_a * (n - of_a) * of_b * (n - of_b)
    product = both * (n - of_a - of_b + both) - (of_a - both) * (of_b - both)
    return 0.0 if spread == 0 else (max(product - n / 2, 0.0) if product > 0 else product) / sqrt(spread)


def interval_of_rates(rates: Sequence[float], *, single: bool) -> Interval:
    """The interval of a mean of shares: Wilson's for one attempt a task, else the bootstrap by task.

    Where all tasks agree on 0 or 1 the bootstrap would show no doubt at all: then Wilson's over tasks.
    """
    agreed = len(set(rates)) <= 1 and all(rate in (0.0, 1.0) for rate in rates)
    if single or agreed:
        return wilson(sum(rates), len(rates))
    return bootstrap(rates, 0.0, 1.0)
