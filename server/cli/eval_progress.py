"""Live progress of an evaluation on stderr: a bar on a terminal, else a line now and then."""

import contextlib
import sys
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from server.cli.answer import note

if TYPE_CHECKING:
    from evals.running.attempt import Attempt
    from evals.running.evaluation import Heard

LINES = 20
"""Lines that an evaluation says without a terminal."""


@contextlib.contextmanager
def progress(agent: str) -> "Iterator[Heard]":
    """What is to be told of each attempt."""
    if sys.stderr.isatty():
        with _bar(agent) as shown:
            yield shown
        return
    verdicts: Counter[str] = Counter()

    def heard(attempt: "Attempt", settled: int, total: int) -> None:
        verdicts[attempt.verdict] += 1
        if attempt.settled and (settled == total or settled % max(1, total // LINES) == 0):
            note(f"{agent}: {settled} of {total}: {_counts(verdicts)}")

    yield heard


@contextlib.contextmanager
def _bar(agent: str) -> "Iterator[Heard]":
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    verdicts: Counter[str] = Counter()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[counts]}"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as shown:
        line = shown.add_task(agent, total=None, counts="")

        def heard(attempt: "Attempt", settled: int, total: int) -> None:
            verdicts[attempt.verdict] += 1
            shown.update(line, total=total, completed=settled, counts=_counts(verdicts))

        yield heard


def _counts(verdicts: "Counter[str]") -> str:
    return ", ".join(f"{verdicts[name]} {name}" for name in ("PASS", "FAIL", "INVALID", "MASKED") if verdicts[name])
