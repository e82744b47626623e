"""Why a run failed: labels read off its log by fixed rules; the first rule that fits gives the main label."""

from collections.abc import Callable
from dataclasses import dataclass

from evals.metrics.evidence import Evidence
from evals.metrics.records import Attempt, Run

UNTOLD = "untold"


@dataclass(frozen=True, slots=True)
class Rule:
    """A label, when it is given (as reports tell it), and the rule itself."""

    label: str
    meaning: str
    fits: Callable[[Evidence], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """The main label of a failed run, and all others that fit it too."""

    main: str
    others: tuple[str, ...] = ()


def _ran_out(seen: Evidence) -> bool:
    codes = [call.refusal.code for call in seen.run.calls if call.refusal is not None]
    return seen.attempt.stopped in ("timeout", "max_calls") or "CALL_LIMIT" in codes


def _format(seen: Evidence) -> bool:
    own = seen.run.calls
    if seen.errors and not any(call.outcome == "ok" for call in own):
        return True
    if seen.errors and own[-1].outcome in ("error", "invalid") and seen.submitted is None:
        return True
    return _answered_in_prose(seen)


def _answered_in_prose(seen: Evidence) -> bool:
    """The right answer stands in the last text, and was never submitted."""
    due = next((one.get("expected") for one in seen.checks if one.get("column") == "answer"), None)
    return seen.submitted is None and isinstance(due, str) and bool(due) and due.lower() in (seen.attempt.final or "").lower()


def _never_looked(seen: Evidence) -> bool:
    return (bool(seen.writes) or seen.submitted is not None) and not seen.looked_first


def _gave_up(seen: Evidence) -> bool:
    if seen.attempt.stopped in ("gave_up", "crashed"):
        return True
    if seen.said == "declined":
        return seen.due != "declined"
    return not seen.writes and seen.said != "answered" and (seen.due != "declined" or seen.submitted is None)


def _rule_broken(seen: Evidence) -> bool:
    return seen.due == "declined" and (bool(seen.writes) or seen.said == "done")


def _distractor(seen: Evidence) -> bool:
    known = set(seen.run.gold.distractors) if seen.run.gold is not None else set()
    return any(used in known or seen.shown_together(used, due) for used, due in seen.instead)


def _wrong_row(seen: Evidence) -> bool:
    known = set(seen.run.gold.distractors) if seen.run.gold is not None else set()
    return any(used not in known and not seen.shown_together(used, due) for used, due in seen.instead)


def _wrong_answer(seen: Evidence) -> bool:
    return seen.submitted is not None and bool(seen.failed_submission or (seen.said == "answered" and seen.due != "answered"))


def _wrong_value(seen: Evidence) -> bool:
    ids = {due for _, due in seen.instead}
    return any(one.get("expected") not in ids for one in seen.touched_wrongly)


def _stopped_early(seen: Evidence) -> bool:
    swapped = {due for _, due in seen.instead}
    left = [one for one in seen.untouched if one.get("key") not in swapped]
    return bool(left) or (seen.submitted is None and bool(seen.failed_submission))


RULES = (
    Rule("ran out", "the time-out or the limit of calls ended the run", _ran_out),
    Rule(
        "format",
        "no call fitted a tool, or the last one did not and nothing was submitted, or the right answer was only said and never submitted",
        _format,
    ),
    Rule("never looked", "changed something or submitted before any call that reads had succeeded", _never_looked),
    Rule(
        "gave up", "changed and submitted nothing, changed nothing where a change was due, declined what was possible, or stopped by itself", _gave_up
    ),
    Rule("rule broken", "did what a rule forbids, where a decline was due", _rule_broken),
    Rule(
        "distractor chosen",
        "did the right thing to a look-alike: a declared distractor, or a row that one result showed beside the right one",
        _distractor,
    ),
    Rule("wrong row", "did the right thing to another row, which was never shown beside the right one", _wrong_row),
    Rule("wrong answer", "submitted another answer than was due, or another ground or other evidence for a decline", _wrong_answer),
    Rule("wrong value", "wrote another value than was due into the right row", _wrong_value),
    Rule("collateral", "changed what nobody asked for", lambda seen: bool(seen.collateral)),
    Rule("stopped early", "left a part of what was due undone", _stopped_early),
)
"""In the order of causes: what comes first explains what comes later."""

LABELS = (*(rule.label for rule in RULES), UNTOLD)


def label(attempt: Attempt, run: Run | None) -> Labelled | None:
    """Why an attempt failed; None for one that did not fail by itself (PASS, INVALID, MASKED).

    Exactly one label is the main one; `untold` where the log does not say (no log was kept, or no rule fits).
    """
    if attempt.verdict != "FAIL":
        return None
    seen = Evidence(attempt, run or Run(run=attempt.run, task=attempt.task, environment=attempt.environment))
    if run is None and not _ran_out(seen):
        return Labelled(main=UNTOLD)
    found = [rule.label for rule in RULES if rule.fits(seen)]
    return Labelled(main=found[0], others=tuple(found[1:])) if found else Labelled(main=UNTOLD)
