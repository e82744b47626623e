"""Which tasks come next, so that about a wanted share of tries succeeds.

Each task's rate of success is a Beta distribution. Before a task was tried it has the mean of its level, which is smoothed itself:

    mean of level L = (successes on L + 1) / (tries on L + 2)
    a = S * mean + successes,  b = S * (1 - mean) + tries - successes,  S = 2

To choose, one rate is drawn from each task's distribution (Thompson sampling); tasks whose draw is nearest to the wanted rate come first.
What is little known has wide draws, so it is tried now and then; what is known to be far off is left alone.

Source: goals of intermediate difficulty: Florensa et al. 2018, https://arxiv.org/abs/1705.06366. Draws from the posterior: Thompson 1933,
https://doi.org/10.1093/biomet/25.3-4.285. The prior of a level: empirical Bayes, as in Efron and Morris 1975, https://doi.org/10.1080/01621459.1975.10479864.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from server.sidecar.curriculum_store import Tally

STRENGTH = 2.0
"""The mean of the level counts as so many tries."""
NOTHING = Tally()


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A task that may be given out."""

    task: str
    level: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What is known of a task's rate of success: Beta(a, b)."""

    task: str
    level: int
    tries: int
    successes: float
    a: float
    b: float

    @property
    def mean(self) -> float:
        """The expected rate."""
        return self.a / (self.a + self.b)


def level_means(candidates: Sequence[Candidate], tallies: Mapping[str, Tally]) -> dict[int, float]:
    """Smoothed rate of success of each level that has a candidate, in order."""
    sums: dict[int, tuple[int, float]] = {}
    for one in candidates:
        tally = tallies.get(one.task, NOTHING)
        tries, successes = sums.get(one.level, (0, 0.0))
        sums[one.level] = (tries + tally.tries, successes + tally.successes)
    return {level: (successes + 1) / (tries + 2) for level, (tries, successes) in sorted(sums.items())}


def estimates(candidates: Sequence[Candidate], tallies: Mapping[str, Tally]) -> tuple[Estimate, ...]:
    """One for each candidate, in their order."""
    means = level_means(candidates, tallies)
    found = []
    for one in candidates:
        tally, prior = tallies.get(one.task, NOTHING), means[one.level]
        a = STRENGTH * prior + tally.successes
        b = STRENGTH * (1 - prior) + tally.tries - tally.successes
        found.append(Estimate(task=one.task, level=one.level, tries=tally.tries, successes=tally.successes, a=a, b=b))
    return tuple(found)


def choose(known: Sequence[Estimate], count: int, target: float, seed: str) -> tuple[Estimate, ...]:
    """The next tasks, each once, best first: a function of what is known and of the seed."""
    chance = random.Random(seed)  # noqa: S311 (reproducible is what is wanted)
    drawn = [(abs(chance.betavariate(one.a, one.b) - target), one.task, one) for one in known]
    return tuple(one for _, _, one in sorted(drawn, key=lambda entry: entry[:2])[:count])
