"""The verdict on a run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from registry.package.change import RowChange
from registry.package.errors import PackageError
from registry.package.meta import Meta
from registry.package.pack import Alternative, Declined, Gold, Reason
from registry.score.answers import judge_answer
from registry.score.columns import Columns
from registry.score.judge import Judge
from registry.score.netchange import Compared, Expected
from registry.score.report import AnswerJudged, Check, ScoreReport, Submission, invalid

_NOTHING = Alternative(changes=())


@dataclass(frozen=True, slots=True)
class _Judged:
    """One alternative judged: its report, how good it is."""

    report: ScoreReport
    index: int

    @property
    def rank(self) -> tuple[int, float, int]:
        return (self.report.reward, self.report.partial, -self.index)


def score(gold: Gold, changes: Sequence[RowChange], submission: Submission | None, meta: Meta, *, broken: str = "") -> ScoreReport:
    """Judges the net changes and the submission of a run.

    Args:
        gold: What the task's author proved to be right.
        changes: Net changes between the episode's first and last state.
        submission: The accepted `submit_answer` call; None where there was none.
        meta: Match classes of the environment that the episode ran in.
        broken: What made the run say nothing about the agent (a defect, an interruption); empty for a sound run.

    Returns:
        PASS or FAIL with every check; INVALID where the run is broken or gold has nothing to check.
    """
    return invalid(broken) if broken else Scorer(gold, meta).score(changes, submission)


class Scorer:
    """Judges any number of runs of one task; changes that are judged again, with another submission, are compared once.

    Args:
        gold: What is right.
        meta: Of the environment.
    """

    def __init__(self, gold: Gold, meta: Meta) -> None:
        self._gold = gold
        self._judge = Judge(Columns.of(meta), gold.facts)
        self._expected: dict[int, Expected] = {}
        self._compared: tuple[Sequence[RowChange], list[Compared]] | None = None

    def score(self, changes: Sequence[RowChange], submission: Submission | None) -> ScoreReport:
        """The verdict on one run, as `score` gives it."""
        try:
            return _score(self._gold, submission, lambda: self._against(changes))
        except PackageError as problem:
            return invalid(str(problem))

    def _against(self, changes: Sequence[RowChange]) -> list[Compared]:
        if self._compared is None or (self._compared[0] is not changes and (changes or self._compared[0])):
            gold = self._gold
            alternatives = gold.accepted if gold.accepted and gold.outcome != "declined" else (_NOTHING,)
            self._compared = changes, [self._expect(number, one).against(changes) for number, one in enumerate(alternatives)]
        return self._compared[1]

    def _expect(self, number: int, alternative: Alternative) -> Expected:
        """What is the same of an alternative whatever it is compared with."""
        found = self._expected.get(number)
        if found is None:
            found = self._expected[number] = Expected(alternative.changes, self._judge)
        return found


def _score(gold: Gold, submission: Submission | None, against: Callable[[], list[Compared]]) -> ScoreReport:
    extra = _submission_checks(gold, submission)
    if extra is None:
        return invalid(f"gold of {gold.task}: expected an answer or the grounds of a decline, got none. Rebuild the task pack.")
    checks, answer = extra
    judged = [_Judged(_report(checks, answer, compared, index), index) for index, compared in enumerate(against())]
    empty = next((one for one in judged if not any(check.counts for check in one.report.checks)), None)
    if empty is not None:
        return invalid(f"gold of {gold.task}: accepted change {empty.index} has nothing to check, doing nothing fulfils it. Rebuild the task pack.")
    return max(judged, key=lambda one: one.rank).report


def _submission_checks(gold: Gold, submission: Submission | None) -> tuple[list[Check], AnswerJudged | None] | None:
    """Checks of outcome, answer and grounds; None where gold does not say what is right."""
    outcome = submission.outcome if submission else None
    right = outcome == gold.outcome or (gold.outcome == "done" and outcome is None)
    taken = "no submission is taken as done" if right and outcome is None else ""
    first = Check(table="", key="", column="outcome", cls="outcome", expected=gold.outcome, actual=outcome, passed=right, counts=False, why=taken)
    if gold.outcome == "done":
        return [first], None
    if gold.outcome == "answered":
        return _answer_checks(gold, first, submission)
    if gold.declined is None or not gold.declined.reasons:
        return None
    return [first, *_decline_checks(gold.declined, submission)], None


def _answer_checks(gold: Gold, first: Check, submission: Submission | None) -> tuple[list[Check], AnswerJudged | None] | None:
    if gold.answer is None:
        return None
    given = submission.answer if submission else None
    judged = judge_answer(gold.answer, given)
    due = gold.answer.value
    check = Check(table="", key="", column="answer", cls="typed", expected=due, actual=given, passed=judged.passed, why=judged.why)
    return [first, check], AnswerJudged(kind=gold.answer.kind, expected=due, actual=given, passed=judged.passed, why=judged.why)


def _decline_checks(declined: Declined, submission: Submission | None) -> list[Check]:
    """The code and the evidence against the ground that fits best: all required rows cited, none beyond the optional ones."""
    code = submission.reason_code if submission else None
    cited = frozenset(submission.evidence) if submission else frozenset[str]()
    said = submission is not None and submission.outcome == "declined"

    def fits(reason: Reason) -> tuple[bool, bool]:
        evidence = set(reason.required) <= cited <= {*reason.required, *reason.optional}
        return (said and code == reason.code, said and evidence)

    best = max(declined.reasons, key=lambda reason: (sum(fits(reason)), fits(reason)))
    right_code, right_evidence = fits(best)
    codes = sorted({reason.code for reason in declined.reasons})
    return [
        Check(table="", key="", column="reason_code", cls="decline", expected=codes[0] if len(codes) == 1 else codes, actual=code, passed=right_code),
        Check(table="", key="", column="evidence", cls="decline", expected=sorted(best.required), actual=sorted(cited), passed=right_evidence),
    ]


def _report(extra: Sequence[Check], answer: AnswerJudged | None, compared: Compared, index: int) -> ScoreReport:
    """Puts the parts together; what was broken although it held at the start counts as a failed check, as collateral does, all of it as one."""
    checks = (*compared.checks, *extra)
    counted = [check for check in checks if check.counts or not check.passed]
    due = len(counted) + bool(compared.collateral)
    passed = all(check.passed for check in checks) and not compared.collateral
    partial = round(sum(check.passed for check in counted) / due, 6) if due else 0.0
    return ScoreReport(
        verdict="PASS" if passed else "FAIL",
        reward=1 if passed else 0,
        partial=partial,
        checks=checks,
        collateral=compared.collateral,
        answer=answer,
        alternative=index,
    )
