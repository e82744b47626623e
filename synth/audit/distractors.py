"""Rows that fit a description but for one fact: acting on them must be legal, and must fail."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from registry.package.errors import PackageError
from registry.package.pack import Gold
from registry.score import Submission
from synth.audit.case import Case, Step, submission_of
from synth.audit.findings import Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class Distractor:
    """A row that fits what the words say of `target` but for the fact `fact` (a path of fields).

    Attributes:
        row: Number of the description among those of the task.
        made: Whether it was made for this task, and did not just happen to be there.
    """

    row: int
    table: str
    target: str
    fact: str
    distractor: str
    made: bool


def distractors_of(case: Case) -> tuple[Distractor, ...]:
    """The distractors that the maker recorded with gold."""
    return _recorded(case.gold)


def _recorded(gold: Gold) -> tuple[Distractor, ...]:
    try:
        return tuple(Distractor(**one) for one in gold.proofs.get("distractors", ()))
    except TypeError as error:
        raise PackageError(f"gold of {gold.task}: expected distractors as this version records them, got {error}. Rebuild the task pack.") from error


def check_distractors(case: Case, twin: Case | None, tally: Tally) -> None:
    """Each fact of a description that has distractors made for it: on one of them at least it is legal to act, and wrong.

    Twins share their words, and in one of them a described row may have no part (the other branch is due, or nothing may be done): a fact bears
    load where it does so for one of the two.
    """
    bearing: dict[tuple[int, str], bool] = {}
    for one in (case, twin) if twin is not None else (case,):
        tally.count("distractors without", len(one.gold.proofs.get("bare", ())))
        for distractor in distractors_of(one):
            place = (distractor.row, distractor.fact)
            if not bearing.get(place) and (distractor.made or place in bearing):
                bearing[place] = _bears(one, distractor)
    for (row, fact), bears in sorted(bearing.items()):
        tally.count("distractors made")
        tally.count("distractors load_bearing", bears)
        if not bears:
            tally.count("distractors weak")
            tally.blame(case.task.public.task, "weak distractor", f"{fact} of description {row}: acting on what fits but for it is refused or passes")


def _bears(case: Case, one: Distractor) -> bool:
    """Whether acting on the distractor is legal and fails."""
    if case.gold.outcome == "declined":
        return _declines_otherwise(case, one)
    if case.gold.outcome == "answered":
        return _answers_otherwise(case, one)
    steps = [_swapped(step, one) for step in case.writes]
    if steps == list(case.writes) or not _legal(case, steps):
        return False
    attempt = case.play(steps, submission_of(case.gold))
    return not attempt.undone and attempt.report.verdict == "FAIL"


def _legal(case: Case, steps: list[Step]) -> bool:
    """Whether no call breaks a rule, not even one that only the policy states."""
    episode = case.episode()
    try:
        for step in steps:
            if any(_symbolic(value) for value in step.arguments.values()):
                return True
            if episode.broken(step.tool, step.arguments) or episode.call(step.tool, step.arguments).kind != "ok":
                return False
        return True
    finally:
        episode.close()


def _symbolic(value: Any) -> bool:
    return any(isinstance(one, str) and one.startswith("$") for one in (value if isinstance(value, list) else [value]))


def _swapped(step: Step, one: Distractor) -> Step:
    def swap(value: Any) -> Any:
        return one.distractor if value == one.target else value

    arguments = {name: [swap(part) for part in value] if isinstance(value, list) else swap(value) for name, value in step.arguments.items()}
    return step._replace(arguments=arguments)


def _declines_otherwise(case: Case, one: Distractor) -> bool:
    """Whether the request, on the distractor, is either allowed or forbidden on grounds that fail here."""
    declined = case.gold.declined
    if declined is None:
        return False
    step = _swapped(Step(declined.tool, declined.arguments), one)
    episode = case.episode()
    try:
        rules = episode.broken(step.tool, step.arguments)
    finally:
        episode.close()
    said = [Submission(outcome="declined", reason_code=rule.code, evidence=rule.evidence) for rule in rules]
    if not said:
        return case.play([step], Submission(outcome="done")).report.verdict == "FAIL"
    return not any(case.judge((), submission).verdict == "PASS" for submission in said)


def _answers_otherwise(case: Case, one: Distractor) -> bool:
    """Whether the same reads, made of the distractor, give an answer that fails."""
    answers = list(answers_on(case, one))
    return all(case.judge((), Submission(outcome="answered", answer=answer)).verdict == "FAIL" for answer in answers)


def answers_on(case: Case, one: Distractor) -> Iterator[str]:
    """What the column that was asked for holds in the distractor, where the question asks for one column of one row."""
    column = case.gold.proofs.get("column", "")
    found = case.by_id.get((one.table, one.distractor))
    if column and found is not None:
        yield str(found[1].get(column))
