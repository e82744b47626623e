"""Policies that read nothing: none may pass a task, or both of a pair of twins."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from registry.package.change import RowChange
from registry.package.symbols import is_symbol
from registry.score import Submission
from synth.audit.case import Case, Step, submission_of
from synth.audit.findings import Tally
from synth.audit.values import parameter_of

COMMON = ("yes", "no", "0", "1", "2", "none", "true", "false")
DONE = Submission(outcome="done")


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What a blind policy has learnt from the tasks of the same pack, without the one that it plays (and its twin)."""

    cases: tuple[Case, ...]

    def others(self, case: Case) -> Iterator[Case]:
        """All tasks but this and its twin."""
        own = {case.task.public.task, case.gold.twin}
        return (one for one in self.cases if one.task.public.task not in own)


def check_blind(known: Known, tally: Tally) -> None:
    """First group: policies that may pass no task at all."""
    codes = _codes(known.cases)
    by_start: dict[str, list[Case]] = defaultdict(list)
    for case in known.cases:
        by_start[_start(case)].append(case)
        name = next((said for said in _blind_declines(known, case, codes)), "") or _guessing(case)
        _note(tally, case, name)
    routes = Routes(known)
    for cases in by_start.values():
        for case, name in _writes_of_others(known, cases, routes):
            _note(tally, case, name)


def _note(tally: Tally, case: Case, name: str) -> None:
    tally.count("blind_passes", bool(name))
    if name:
        tally.blame(case.task.public.task, "a blind policy passes", name)


def _start(case: Case) -> str:
    return f"{case.task.public.world} {case.task.public.patch}"


def _codes(cases: Sequence[Case]) -> tuple[str, ...]:
    found = {reason.code for case in cases if case.gold.declined for reason in case.gold.declined.reasons}
    found |= {code for case in cases for tool in case.environment.meta.tools for code in (*tool.requires, *tool.policies)}
    return tuple(sorted(found))


def _blind_declines(known: Known, case: Case, codes: Sequence[str]) -> Iterator[str]:
    """Passing ones of: every code with its most frequent evidence, with that of all, with none; the majority of the operation; guessed rows."""
    if case.gold.outcome != "declined":
        return
    for said in dict.fromkeys(_declines(known, case, codes)):
        if case.judge((), said).verdict == "PASS":
            yield f"declining with {said.reason_code} and {list(said.evidence)}"


def _declines(known: Known, case: Case, codes: Sequence[str]) -> Iterator[Submission]:
    grounds = [
        (one.gold.declined.tool, reason.code, reason.required)
        for one in known.others(case)
        if one.gold.declined
        for reason in one.gold.declined.reasons
    ]
    overall = _most(evidence for _, _, evidence in grounds)
    for code in codes:
        usual = _most(evidence for _, other, evidence in grounds if other == code)
        yield from (Submission(outcome="declined", reason_code=code, evidence=evidence) for evidence in {(): 0, usual: 0, overall: 0})
    declined = case.gold.declined
    assert declined is not None
    for tool_code in dict.fromkeys((code, evidence) for tool, code, evidence in grounds if tool == declined.tool):
        yield Submission(outcome="declined", reason_code=tool_code[0], evidence=tool_code[1])
    for pick in (0, -1):
        for reason in declined.reasons:
            yield Submission(outcome="declined", reason_code=reason.code, evidence=tuple(_guess(case, key, pick) for key in reason.required))


def _most(values: Iterator[tuple[str, ...]]) -> tuple[str, ...]:
    counted = Counter(values)
    return min(counted, key=lambda one: (-counted[one], one)) if counted else ()


def _guess(case: Case, key: str, pick: int) -> str:
    table = next((name for name, known in case.by_id if known == key), "")
    return case.ids[table][pick] if table else key


def _guessing(case: Case) -> str:
    """Gold's own writes with the values of the instruction, on the first or the last row of each table."""
    if case.gold.outcome != "done":
        return ""
    for pick, word in ((0, "first"), (-1, "last")):
        if case.play([_on_rows(case, step, pick) for step in case.writes], DONE).passed:
            return f"every call on the {word} row"
    return ""


def _on_rows(case: Case, step: Step, pick: int) -> Step:
    def guess(argument: str, value: Any) -> Any:
        parameter = parameter_of(case, step, argument)
        if parameter.kind == "rows" and isinstance(value, list):
            ids = case.ids[parameter.tables[0]]
            return ids[: len(value)] if pick == 0 else ids[-len(value) :]
        if parameter.kind == "row" and not is_symbol(value) and case.ids[parameter.tables[0]]:
            return case.ids[parameter.tables[0]][pick]
        return value

    return step._replace(arguments={name: guess(name, value) for name, value in step.arguments.items()})


Touched = tuple[frozenset[tuple[str, str]], tuple[str, ...]]
"""Table and id of the rows that were there and changed, and the tables of new ones: a run can only pass where these are gold's."""


def _touched(case: Case, changes: Iterable[RowChange]) -> Touched:
    seen = case.columns.visible(changes)
    return frozenset((one.table, one.key) for one in seen if one.op != "insert"), tuple(sorted(one.table for one in seen if one.op == "insert"))


def _touched_by_gold(case: Case) -> tuple[Touched, ...]:
    return tuple(_touched(case, one.changes) for one in case.gold.accepted if one.changes)


class Routes:
    """The writes of all tasks, alone and together, and what they come to in a start state that no patch has changed.

    In a start state with a patch only those are played again that could come to something else there, or to what is right there: a route that
    was done to its end, and neither names nor touches a row of the patch or of gold, changes the same rows as before.
    """

    def __init__(self, known: Known) -> None:
        self.steps: dict[str, tuple[Step, ...]] = {}
        self.makers: dict[str, list[str]] = {}
        for one in known.cases:
            alone = [(step,) for step in one.writes] if len(one.writes) > 1 else []
            for steps in filter(None, [*alone, one.writes]):
                self.steps.setdefault(repr(steps), steps)
                self.makers.setdefault(repr(steps), []).append(one.task.public.task)
        self._bare: dict[str, Case] = {}
        for one in known.cases:
            if not one.task.public.patch:
                self._bare.setdefault(one.task.public.world, one)
        self._known: dict[tuple[str, str], tuple[bool, Touched, frozenset[str]]] = {}

    def concerns(self, name: str, case: Case, wanted: Iterable[tuple[Touched, ...]]) -> bool:
        """Whether the route has to be played in the start state of this case."""
        bare = self._bare.get(case.task.public.world)
        if bare is None or not case.task.public.patch:
            return True
        done, (rows, made), named = self._base(name, bare)
        ids = {key for _, key in rows} | named
        golds = [one for several in wanted for one in several]
        if not done or ids & {key for _, key, _ in case.task.public.patch}:
            return True
        return any(rows & there or {key for _, key in there} & named or (not there and made == new) for there, new in golds)

    def _base(self, name: str, bare: Case) -> tuple[bool, Touched, frozenset[str]]:
        place = (name, bare.task.public.world)
        if place not in self._known:
            attempt = bare.play(self.steps[name])
            arguments = [value for step in self.steps[name] for value in step.arguments.values()]
            named = frozenset(one for value in arguments for one in (value if isinstance(value, list) else [value]) if isinstance(one, str))
            self._known[place] = (not attempt.undone, _touched(bare, attempt.changes), named)
        return self._known[place]


def _writes_of_others(known: Known, cases: Sequence[Case], base: Routes) -> Iterator[tuple[Case, str]]:
    """Each task of one start state that the writes of another task pass, one call alone or all of them."""
    wanted = {case.task.public.task: _touched_by_gold(case) for case in cases}
    for name, steps in base.steps.items():
        if not any(wanted.values()):
            return
        if not base.concerns(name, cases[0], wanted.values()):
            continue
        changes = cases[0].play(steps).changes
        touched = _touched(cases[0], changes)
        for case in [case for case in cases if touched in wanted[case.task.public.task]]:
            own = {case.task.public.task, case.gold.twin}
            others = [maker for maker in base.makers[name] if maker not in own]
            if others and changes and case.judge(changes, DONE).verdict == "PASS":
                wanted[case.task.public.task] = ()
                yield case, f"{', '.join(step.tool for step in steps)} of {others[0]}"


def check_pairs(known: Known, tally: Tally) -> None:
    """Second group: policies that may pass one of two twins, never both."""
    by_name = {case.task.public.task: case for case in known.cases}
    answers = _common_answers(known)
    for case in known.cases:
        twin = by_name.get(case.gold.twin)
        if twin is None or case.task.public.task > case.gold.twin:
            continue
        tally.count("twins made")
        for said in _both(case, twin, answers):
            tally.count("twins both_passed_by_blind")
            tally.blame(case.task.public.task, "a blind policy passes both twins", said)
            break


def _common_answers(known: Known) -> tuple[str, ...]:
    counted = Counter(case.gold.answer.value for case in known.cases if case.gold.answer)
    return (*COMMON, *sorted(counted, key=lambda one: (-counted[one], one))[:5])


def _both(case: Case, twin: Case, answers: Sequence[str]) -> Iterator[str]:
    """Policies that pass both of the twins."""
    for steps, owner in ((case.writes, case), (twin.writes, twin)):
        if steps and case.play(steps, DONE).passed and twin.play(steps, DONE).passed:
            yield f"the calls of {owner.task.public.task}"
    said = [Submission(outcome="answered", answer=answer) for answer in answers] + [submission_of(case.gold), submission_of(twin.gold)]
    for submission in said:
        if case.judge((), submission).verdict == "PASS" == twin.judge((), submission).verdict:
            yield f"submitting {submission.model_dump(exclude_none=True)}"
