"""A classifier that learns from ids, positions and times alone which row of a pair is the target."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from registry.package.change import Stored

FOLDS = 5
TURNS = 60
RATE = 0.5
Features = tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Guessed:
    """How many pairs the classifier told apart, of those that it had not learnt from."""

    pairs: int
    right: int

    @property
    def accuracy(self) -> float:
        """The share; a half is chance."""
        return self.right / self.pairs if self.pairs else 0.5


def features(key: str, ids: Sequence[str], places: Mapping[str, int], row: Mapping[str, Stored], times: Mapping[str, Sequence[str]]) -> Features:
    """What can be seen of a row without reading what it says: its place, its neighbours, its number, the place of its times.

    Args:
        ids: Of its table, in order; `places` gives the place of each.
        times: All values of each column of times that no score sees, in order.
    """
    place = places[key]
    span = max(1, len(ids) - 1)
    number, before, after = (_number(ids[one]) if 0 <= one < len(ids) else None for one in (place, place - 1, place + 1))
    at = place / span
    found = [at, at * at, abs(at - 0.5), float((number or 0) % 2), ((number or 0) % 10) / 10]
    found += [_gap(number, before), _gap(after, number)]
    for name, values in sorted(times.items()):
        rank = _rank(str(row.get(name) or ""), values)
        found += [rank, abs(rank - at)]
    return tuple(found)


def _number(key: str) -> int | None:
    digits = re.findall(r"\d+", key)
    return int(digits[-1]) if digits else None


def _gap(high: int | None, low: int | None) -> float:
    return 0.0 if high is None or low is None else min(5.0, float(high - low)) / 5


def _rank(value: str, values: Sequence[str]) -> float:
    return sum(one < value for one in values) / max(1, len(values))


def guess(pairs: Sequence[tuple[Features, Features]]) -> Guessed:
    """Logistic regression on the differences between target and distractor, each fifth of the pairs judged by what the others teach."""
    differences = [tuple(one - other for one, other in zip(target, distractor, strict=True)) for target, distractor in pairs]
    right = 0
    for fold in range(FOLDS):
        learnt = _learn([one for number, one in enumerate(differences) if number % FOLDS != fold])
        judged = [one for number, one in enumerate(differences) if number % FOLDS == fold]
        # a score of exactly nothing counts as right for every other pair: it tells nothing
        right += sum(score > 0 or (score == 0 and number % 2 == 0) for number, score in enumerate(_score(learnt, one) for one in judged))
    return Guessed(pairs=len(differences), right=right)


def _learn(differences: Sequence[Features]) -> list[float]:
    if not differences:
        return []
    weights = [0.0] * len(differences[0])
    for _ in range(TURNS):
        slopes = [0.0] * len(weights)
        for one in differences:
            miss = 1 / (1 + math.exp(min(30.0, _score(weights, one))))
            for place, value in enumerate(one):
                slopes[place] += miss * value
        weights = [weight + RATE * slope / len(differences) - 0.001 * weight for weight, slope in zip(weights, slopes, strict=True)]
    return weights


def _score(weights: Sequence[float], one: Features) -> float:
    return sum(weight * value for weight, value in zip(weights, one, strict=False))
