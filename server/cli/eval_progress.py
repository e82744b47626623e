"""Live progress of an evaluation, or of the demo, on stderr: a bar on a terminal, else a line now and then."""

import contextlib
import sys
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from server.cli.answer import note

if TYPE_CHECKING:
    from evals.running.evaluation import Heard

LINES = 20
"""Lines that an evaluation says without a terminal."""
AGAIN = "tried again"
"""Counted apart: the verdict of a try that is repeated is not that of its run."""


class Count(Protocol):
    """Told of each try of a run."""

    def __call__(self, verdict: str, settled: int, total: int, *, last: bool = True) -> None:
        """Counts it: `settled` of `total` runs are done; `last` unless the run is tried again."""


@contextlib.contextmanager
def progress(agent: str) -> "Iterator[Heard]":
    """What is to be told of each attempt."""
    with counting(agent) as count:
        yield lambda attempt, settled, total: count(attempt.verdict, settled, total, last=attempt.settled)


@contextlib.contextmanager
def counting(label: str) -> Iterator[Count]:
    """What is to be told of each try of a run, whoever plays."""
    if sys.stderr.isatty():
        with _bar(label) as shown:
            yield shown
        return
    verdicts: Counter[str] = Counter()

    def count(verdict: str, settled: int, total: int, *, last: bool = True) -> None:
        verdicts[verdict if last else AGAIN] += 1
        if last and (settled == total or settled % max(1, total // LINES) == 0):
            note(f"{label}: {settled} of {total}: {_counts(verdicts)}")

    yield count


@contextlib.contextmanager
def _bar(label: str) -> Iterator[Count]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    verdicts: Counter[str] = Counter()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[counts]}"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as shown:
        line = shown.add_task(label, total=None, counts="")

        def count(verdict: str, settled: int, total: int, *, last: bool = True) -> None:
            verdicts[verdict if last else AGAIN] += 1
            shown.update(line, total=total, completed=settled, counts=_counts(verdicts))

        yield count


def _counts(verdicts: "Counter[str]") -> str:
    return ", ".join(f"{verdicts[name]} {name}" for name in ("PASS", "FAIL", "INVALID", "MASKED", AGAIN) if verdicts[name])
