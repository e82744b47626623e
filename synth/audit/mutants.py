"""Mutants of gold: one edit each, executed to its end, and whether the scorer notices."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from registry.package.symbols import is_symbol
from registry.score import Submission
from synth.audit.case import Case, Step, submission_of
from synth.audit.distractors import distractors_of
from synth.audit.findings import Tally
from synth.audit.others import accepted_nets
from synth.audit.same import Rows, canonical_rows
from synth.audit.values import other_scalar, parameter_of, wrong_texts, wrong_values

Fate = Literal["killed", "vacuous", "equivalent", "survived"]
FATES: tuple[Fate, ...] = ("killed", "vacuous", "equivalent", "survived")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """Gold with one edit.

    Attributes:
        edit: What was done to it.
        edited: Place among `steps` of the call that is not gold's; none where a call is missing or the submission is another.
    """

    edit: str
    steps: tuple[Step, ...]
    submission: Submission | None
    edited: int | None = None


def check_mutants(case: Case, tally: Tally) -> None:
    """Executes all mutants of a task; gold's reads are not repeated, for no edit reaches them."""
    right = [canonical_rows(case.environment.meta, case.play(case.writes, submission_of(case.gold)).changes), *accepted_nets(case)]
    for mutant in mutants(case):
        fate = _fate(case, right, mutant)
        tally.count(f"mutants {fate}")
        if fate == "survived":
            tally.blame(case.task.public.task, "a mutant survives", mutant.edit)


def _fate(case: Case, right: Sequence[Rows], mutant: Mutant) -> Fate:
    """What becomes of a mutant; one that comes to one of the `right` net changes is no mistake."""
    attempt = case.play(mutant.steps, mutant.submission)
    if mutant.edited is not None and mutant.edited in attempt.undone:
        return "vacuous"
    if not attempt.passed:
        return "killed"
    same = canonical_rows(case.environment.meta, attempt.changes) in right and mutant.submission == submission_of(case.gold)
    return "equivalent" if same else "survived"


def mutants(case: Case) -> Iterator[Mutant]:
    """Every mutant of a task."""
    yield from _of_calls(case)
    yield from _of_submission(case)


def _of_calls(case: Case) -> Iterator[Mutant]:
    right, writes = submission_of(case.gold), case.writes
    if case.gold.outcome != "done":
        yield from _acting_all_the_same(case)
        return
    for number, step in enumerate(writes):
        before, after = writes[:number], writes[number + 1 :]
        yield Mutant(edit=f"drop {step.tool}", steps=before + after, submission=right)
        if number and after:
            yield Mutant(edit=f"stop before {step.tool}", steps=before, submission=right)
        yield Mutant(edit=f"repeat {step.tool}", steps=(*before, step, step._replace(place=-1), *after), submission=right, edited=number + 1)
        for edit, changed in (*edits(case, step), *_taken_back(case, step)):
            yield Mutant(edit=f"{step.tool}: {edit}", steps=(*before, changed, *after), submission=right, edited=number)
        for edit, changed in rows_swapped(case, step):
            extra = changed._replace(place=-1)
            yield Mutant(edit=f"{step.tool} as well: {edit}", steps=(*writes, extra), submission=right, edited=len(writes))


def _acting_all_the_same(case: Case) -> Iterator[Mutant]:
    """What a decline refuses, done and then declined: only a rule that no tool enforces lets it happen."""
    declined = case.gold.declined
    if declined is not None:
        step = Step(declined.tool, declined.arguments)
        yield Mutant(edit=f"{step.tool} all the same", steps=(step,), submission=submission_of(case.gold), edited=0)


def edits(case: Case, step: Step) -> Iterator[tuple[str, Step]]:
    """The call with one argument changed or, where it may be, left out."""
    for argument, value in step.arguments.items():
        for edit, other in wrong_values(case, step, argument):
            yield f"{argument}: {edit}", _with(step, argument, other)
        if not parameter_of(case, step, argument).required and value is not None:
            yield f"{argument} left out", step._replace(arguments={name: one for name, one in step.arguments.items() if name != argument})
    yield from rows_swapped(case, step)


def _taken_back(case: Case, step: Step) -> Iterator[tuple[str, Step]]:
    """The call with what the user said first and does not want any more."""
    back = case.gold.proofs.get("taken_back")
    if back is not None and back["call"] == step.place:
        yield f"{back['argument']} as the user said first", _with(step, back["argument"], back["value"])


def rows_swapped(case: Case, step: Step) -> Iterator[tuple[str, Step]]:
    """The call on another row: each distractor of the row if there are some, else its neighbour in the table."""
    for argument, value in step.arguments.items():
        parameter = parameter_of(case, step, argument)
        if parameter.kind not in ("row", "rows"):
            continue
        for index, target in enumerate(value if isinstance(value, list) else [value]):
            for other in _others(case, parameter.tables, target):
                swapped = [other if place == index else one for place, one in enumerate(value)] if isinstance(value, list) else other
                yield f"{argument} {other} for {target}", _with(step, argument, swapped)


def _others(case: Case, tables: Sequence[str], target: Any) -> list[str]:
    if not isinstance(target, str) or is_symbol(target):
        return []
    known = [one.distractor for one in distractors_of(case) if one.target == target]
    if known:
        return list(dict.fromkeys(known))[:3]
    table = next((name for name in tables if (name, target) in case.by_id), "")
    ids = case.ids.get(table, [])
    return [ids[ids.index(target) - 1]] if len(ids) > 1 else []


def _with(step: Step, argument: str, value: Any) -> Step:
    return step._replace(arguments={**step.arguments, argument: value})


def _of_submission(case: Case) -> Iterator[Mutant]:
    right, writes = submission_of(case.gold), case.writes
    steps = writes if case.gold.outcome == "done" else ()
    for outcome in ("done", "answered", "declined"):
        if outcome != case.gold.outcome:
            yield Mutant(edit=f"submitted as {outcome}", steps=steps, submission=right.model_copy(update={"outcome": outcome}))
    if case.gold.outcome == "answered":
        for edit, answer in _wrong_answers(case):
            yield Mutant(edit=edit, steps=(), submission=right.model_copy(update={"answer": answer}))
    if case.gold.outcome == "declined":
        for edit, changed in _wrong_grounds(case, right):
            yield Mutant(edit=edit, steps=(), submission=changed)


def _wrong_answers(case: Case) -> Iterator[tuple[str, str]]:
    answer = case.gold.answer
    if answer is None:
        return
    value = answer.value
    yield "empty answer", ""
    if answer.kind in ("number", "money"):
        whole, point, rest = value.partition(".")
        yield "one more", f"{int(whole) + 1}{point}{rest}"
        if float(value):
            yield "ten times as much", f"{whole}0{point}{rest}"
        yield "hedged", f"{value} or {int(whole) + 1}"
    elif answer.kind in ("date", "datetime"):
        yield "a day later", str(other_scalar(value))
    elif answer.kind == "text":
        yield from wrong_texts(value)
    else:
        yield "another word", f"{value} not"
        for column in (column for table in case.environment.meta.tables for column in table.columns if value in column.words):
            yield from ((f"the answer {word}", word) for word in column.words if word != value)
            return


def _wrong_grounds(case: Case, right: Submission) -> Iterator[tuple[str, Submission]]:
    declined = case.gold.declined
    assert declined is not None
    known = {reason.code for reason in declined.reasons}
    codes = [code for code in case.environment.meta.tool(declined.tool).requires if code not in known] or ["NOT_FOUND"]
    yield f"the code {codes[0]}", right.model_copy(update={"reason_code": codes[0]})
    yield "no code", right.model_copy(update={"reason_code": None})
    for one in right.evidence:
        yield f"without {one}", right.model_copy(update={"evidence": tuple(other for other in right.evidence if other != one)})
    allowed = {key for reason in declined.reasons for key in (*reason.required, *reason.optional)}
    strangers = [ids[0] for ids in case.ids.values() if ids and ids[0] not in allowed]
    if strangers:
        yield f"{strangers[0]} cited too", right.model_copy(update={"evidence": (*right.evidence, strangers[0])})
    for one in right.evidence:
        table = next((name for name, key in case.by_id if key == one), "")
        for other in _others(case, (table,), one):
            if other not in allowed:
                evidence = tuple(other if key == one else key for key in right.evidence)
                yield f"{other} cited for {one}", right.model_copy(update={"evidence": evidence})
