"""One thing that is wrong with what a model wrote, in the words in which the model is told."""

import re
from dataclasses import dataclass

from synth.author.suspicious import suspicious
from synth.lang.problems import Problem, short


@dataclass(frozen=True, slots=True, kw_only=True)
class Complaint:
    """One thing that is wrong.

    Attributes:
        code: A stable name for this kind, for counting.
        line: Where in the seed, from 1; None where no one line is to blame.
    """

    code: str
    sentence: str
    line: int | None = None


def of_problem(problem: Problem) -> Complaint:
    """A problem of the checker; its place names the line."""
    return Complaint(code=problem.code, sentence=str(problem), line=problem.where.line)


def of_sentence(code: str, sentence: str, file: str) -> Complaint:
    """A sentence of a later stage, which may begin with a place in the file."""
    place = re.match(re.escape(file) + r":(\d+):\d+: ", sentence)
    told = sentence.replace(file, SEED)
    return Complaint(code=code, sentence=short(told, 400), line=int(place[1]) if place else None)


SEED = "seed.yaml"
"""What the seed is called in complaints, wherever it lies."""


def unfit_texts(seed: str) -> tuple[Complaint, ...]:
    """Lines whose words do not belong into a seed."""
    found = []
    for number, line in enumerate(seed.split("\n"), 1):
        got = suspicious(line)
        if got:
            sentence = f"{SEED}:{number}:1: seed: expected words of the domain, got {got}. Write plain words, or leave them out."
            found.append(Complaint(code="UNFIT_TEXT", sentence=sentence, line=number))
    return tuple(found)
