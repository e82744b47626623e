"""Which attempts count, and how: the last one of each task and epoch."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evals.metrics.records import Attempt


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """Attempts by what they count for.

    Attributes:
        last: The last attempt of each (task, epoch), in the order of tasks, then epochs.
        scored: Those of `last` that go into means: PASS, FAIL, and INVALID, which counts 0.
        masked: Those of `last` where provider, network or simulator failed again; no part of any mean.
        invalid: Those of `last` that are INVALID.
        attempts: All attempts.
        invalid_attempts: INVALID among all attempts, whether repeated or not.
        masked_attempts: MASKED among all attempts.
        missing: (task, epoch) pairs that were planned and have no attempt.
    """

    last: tuple[Attempt, ...]
    scored: tuple[Attempt, ...]
    masked: tuple[Attempt, ...]
    invalid: tuple[Attempt, ...]
    attempts: int
    invalid_attempts: int
    masked_attempts: int = 0
    missing: int = 0

    @property
    def invalid_rate(self) -> float:
        """INVALID attempts among all that were not masked."""
        sound = self.attempts - self.masked_attempts
        return self.invalid_attempts / sound if sound else 0.0


def count(attempts: Iterable[Attempt], tasks: Sequence[str], epochs: int) -> Counted:
    """Sorts attempts by what they count for.

    Args:
        attempts: In the order in which they finished.
        tasks: That were planned, in order; attempts at other tasks come after them.
        epochs: Planned for each task.
    """
    every = tuple(attempts)
    kept: dict[tuple[str, int], Attempt] = {}
    for one in every:
        place = (one.task, one.epoch)
        if place not in kept or one.tried >= kept[place].tried:
            kept[place] = one
    order = {task: number for number, task in enumerate(tasks)}
    last = sorted(kept.values(), key=lambda one: (order.get(one.task, len(order)), one.task, one.epoch))
    planned = {(task, epoch) for task in tasks for epoch in range(1, epochs + 1)}
    return Counted(
        last=tuple(last),
        scored=tuple(one for one in last if one.verdict != "MASKED"),
        masked=tuple(one for one in last if one.verdict == "MASKED"),
        invalid=tuple(one for one in last if one.verdict == "INVALID"),
        attempts=len(every),
        invalid_attempts=sum(one.verdict == "INVALID" for one in every),
        masked_attempts=sum(one.verdict == "MASKED" for one in every),
        missing=len(planned - kept.keys()),
    )


def reward(attempt: Attempt) -> float:
    """What an attempt that is scored adds to a mean; INVALID 0, whatever was written."""
    return 0.0 if attempt.verdict == "INVALID" else float(attempt.reward)


def partial(attempt: Attempt) -> float:
    """The share of checks that an attempt adds to a mean; INVALID 0."""
    return 0.0 if attempt.verdict == "INVALID" else attempt.partial


def by_task(scored: Iterable[Attempt]) -> dict[str, list[Attempt]]:
    """The attempts that are scored, together by task."""
    found: dict[str, list[Attempt]] = {}
    for one in scored:
        found.setdefault(one.task, []).append(one)
    return found
