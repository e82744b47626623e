"""Second routes: other ways to the same net change, all of which must pass."""

import re
from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Any

from registry.package.meta import ToolMeta
from registry.package.pack import Gold
from registry.score import Submission
from synth.audit.case import Attempt, Case, Step, submission_of
from synth.audit.findings import Tally
from synth.audit.same import canonical_rows
from synth.audit.values import other_scalar, parameter_of

MOST_ORDERS = 5
Route = tuple[str, tuple[Step, ...], Submission | None]


def check_routes(case: Case, tally: Tally) -> None:
    """Plays every second route; one that comes to another net change (its steps do not commute, its detour leaves a trace) is none."""
    meta = case.environment.meta
    right = canonical_rows(meta, case.truth.changes)
    for name, steps, submission in routes(case):
        attempt = case.play(steps, submission)
        if not name.startswith("other words") and canonical_rows(meta, attempt.changes) != right:
            continue
        tally.count("routes tried")
        tally.count("routes passed", attempt.passed)
        if not attempt.passed:
            tally.blame(case.task.public.task, "a second route fails", f"{name}: {_why(attempt)}")


def _why(attempt: Attempt) -> str:
    failed = next((f"{one.table}.{one.column} {one.why}" for one in attempt.report.checks if not one.passed), "collateral")
    return f"{attempt.report.verdict}, {failed}"


def routes(case: Case) -> Iterator[Route]:
    """All routes with their names."""
    right, writes = submission_of(case.gold), case.writes
    reads = _reads(case)
    yield "extra reads", (*reads, *writes, *reads), right
    for step in writes[:1] or _refused_call(case):
        yield "a refused call first", (_astray(case, step), *writes), right
    for order in list(permutations(writes))[1:][:MOST_ORDERS]:
        yield "another order", order, right
    detour = next(_detours(case), ())
    if detour:
        yield "a detour that is undone", (*detour, *writes), right
    yield from _in_other_words(case)
    for submission in _other_submissions(case.gold):
        yield "another right submission", writes, submission
    if case.gold.outcome == "done" and right.outcome == "done":
        yield "no submission", writes, None


def _reads(case: Case) -> tuple[Step, ...]:
    reading = {tool.name for tool in case.environment.meta.tools if tool.read_only}
    free = [tool.name for tool in case.environment.meta.tools if tool.read_only and not any(one.required for one in tool.parameters)]
    own = [Step(step.tool, step.arguments, step.place) for step in case.steps if step.tool in reading]
    return (*own, *(Step(name, {}) for name in free[:3]))


def _refused_call(case: Case) -> tuple[Step, ...]:
    declined = case.gold.declined
    return () if declined is None else (Step(declined.tool, declined.arguments),)


def _astray(case: Case, step: Step) -> Step:
    """The call on a row that is not there, or without a row the call with nothing said."""
    for argument, value in step.arguments.items():
        if parameter_of(case, step, argument).kind == "row" and isinstance(value, str):
            return Step(step.tool, {**step.arguments, argument: re.sub(r"\d", "9", value)})
    return Step(step.tool, {})


def _detours(case: Case) -> Iterator[tuple[Step, Step]]:
    """A value of some other row changed and set back."""
    taken = {value for step in case.writes for value in step.arguments.values() if isinstance(value, str)}
    for tool in case.environment.meta.tools:
        if tool.kind != "update":
            continue
        for table in next((one.tables for one in tool.parameters if one.kind == "row" and one.required), ()):
            for key in case.ids[table][:3]:
                if key not in taken:
                    yield from _there_and_back(tool, table, key, case.by_id[table, key][1])


def _there_and_back(tool: ToolMeta, table: str, key: str, row: dict[str, Any]) -> Iterator[tuple[Step, Step]]:
    named = next(one.argument for one in tool.parameters if one.kind == "row" and one.required)
    for parameter in tool.parameters:
        before = row.get(parameter.argument)
        if parameter.kind in ("integer", "date", "bool", "text") and before not in (None, ""):
            value = bool(before) if parameter.kind == "bool" else before
            other = f"{value} x" if parameter.kind == "text" else other_scalar(value)
            yield Step(tool.name, {named: key, parameter.argument: other}), Step(tool.name, {named: key, parameter.argument: value})


def _in_other_words(case: Case) -> Iterator[Route]:
    """Texts said otherwise: letters, spaces and the last stop changed; a declared fact by a synonym."""
    for number, step in enumerate(case.writes):
        for argument, value in step.arguments.items():
            parameter = parameter_of(case, step, argument)
            if parameter.kind != "text" or parameter.match != "text" or not isinstance(value, str):
                continue
            for said in dict.fromkeys(_paraphrases(case.gold, value)):
                changed = step._replace(arguments={**step.arguments, argument: said})
                yield f"other words {said!r} for {value!r}", (*case.writes[:number], changed, *case.writes[number + 1 :]), submission_of(case.gold)


def _paraphrases(gold: Gold, text: str) -> Iterator[str]:
    yield text.lower().rstrip(".")
    yield f"  {text.rstrip('.')} . "
    for groups in gold.facts.values():
        for group in groups:
            for word in group:
                if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE):
                    yield from (re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", other, text, flags=re.IGNORECASE) for other in group if other != word)
                    break


def _other_submissions(gold: Gold) -> Iterator[Submission]:
    if gold.outcome == "answered" and gold.answer is not None:
        yield from (Submission(outcome="answered", answer=said) for said in _other_forms(gold.answer.kind, gold.answer.value))
    if gold.outcome == "declined" and gold.declined is not None:
        for reason in gold.declined.reasons:
            for evidence in dict.fromkeys((reason.required, reason.required[::-1], (*reason.required, *reason.optional))):
                yield Submission(outcome="declined", reason_code=reason.code, evidence=evidence)


def _other_forms(kind: str, value: str) -> Sequence[str]:
    if kind == "money":
        whole, _, rest = value.partition(".")
        return (f" {value} ", f"{int(whole):,}.{rest or '00'}")
    return (f" {value} ",) if kind != "enum" else (value.replace("_", " "), value.upper())
