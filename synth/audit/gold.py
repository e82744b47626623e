"""Whether gold passes, passes again, passes late, and whether doing nothing does not."""

from registry.score import Submission
from synth.audit.case import Case, submission_of
from synth.audit.findings import Tally
from synth.audit.same import canonical_rows

IDLE = tuple(Submission(outcome=outcome) for outcome in ("done", "answered", "declined"))


def check_gold(case: Case, tally: Tally) -> None:
    """Gold through real tools with its reads: twice to the same bytes, and at the call limit to the same net change."""
    truth = case.truth
    name = case.task.public.task
    if not truth.passed or truth.undone:
        reason = "gold cannot be judged" if truth.report.verdict == "INVALID" else "gold fails"
        tally.blame(name, reason, truth.report.reason or f"calls {list(truth.undone)} could not be made, verdict {truth.report.verdict}")
        return
    again = case.play(case.steps, submission_of(case.gold), digest=True, afresh=True)
    if again.digest != truth.digest:
        tally.blame(name, "gold is not the same twice", "the second time gold led to another state")
        return
    if not _passes_late(case):
        tally.blame(name, "the clock matters", "gold after the greatest number of calls leads to something else")
        return
    tally.count("gold_passes")


def _passes_late(case: Case) -> bool:
    """Gold preceded by as many calls as the task allows."""
    before = case.task.public.call_limit - len(case.gold.calls) - 1
    late = case.play(case.steps, submission_of(case.gold), calls_before=before)
    meta = case.environment.meta
    return late.passed and canonical_rows(meta, late.changes) == canonical_rows(meta, case.truth.changes)


def check_noop(case: Case, tally: Tally) -> None:
    """Nothing done: without a submission, and with each outcome submitted bare."""
    passing = [one for one in (None, *IDLE) if case.judge((), one).verdict == "PASS"]
    tally.count("noop_passes", bool(passing))
    if passing:
        said = "no submission" if passing[0] is None else f"submitting {passing[0].outcome!r}"
        tally.blame(case.task.public.task, "doing nothing passes", f"{said} passes without any change")
