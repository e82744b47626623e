"""What a report says about an evaluation, as one JSON object: the JSON report itself, and what the page shows."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from evals.metrics.counting import Counted, by_task, count, reward
from evals.metrics.folder import Evaluation, read_evaluation
from evals.metrics.formulas import FORMULAS
from evals.metrics.labels import RULES, UNTOLD, Labelled, label
from evals.metrics.records import Attempt
from evals.metrics.summary import Figures, figures, slices, twins

FORMAT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """The report, and what it was made from."""

    evaluation: Evaluation
    counted: Counted
    labels: dict[str, Labelled]
    json: dict[str, Any]


def contents(evaluation: Evaluation) -> Contents:
    """Counts, figures, labels and every run of an evaluation; the same folder gives the same object."""
    manifest = evaluation.manifest
    counted = count(evaluation.attempts, manifest.tasks, manifest.epochs)
    labels = _labels(evaluation, counted)
    overall = figures("all", counted.scored, counted.masked)
    body = {
        "format": FORMAT,
        "agent": manifest.agent,
        "headline": headline(evaluation, counted, overall),
        "manifest": manifest.model_dump(mode="json"),
        "counts": _counts(counted, len(manifest.tasks)),
        "overall": asdict(overall),
        "slices": {way: [asdict(one) for one in ones] for way, ones in slices(counted, manifest.noise.profile).items()},
        "twins": asdict(twins(counted.scored)),
        "baselines": baselines(evaluation.folder),
        "failures": _failures(labels.values()),
        "invalid": [_named(one) for one in counted.invalid],
        "masked": [_named(one) for one in counted.masked],
        "formulas": [asdict(one) for one in FORMULAS],
        "tasks": _tasks(counted),
        "runs": [run_line(one, labels.get(one.run)) for one in counted.last],
    }
    return Contents(evaluation=evaluation, counted=counted, labels=labels, json=body)


def baselines(folder: Path) -> list[dict[str, Any]]:
    """What the built-in agents came to over the same tasks, as far as `envfarm eval --baselines` has played them."""
    found = []
    for path in sorted(folder.glob("baselines/*/manifest.json")):
        beside = read_evaluation(path.parent)
        counted = count(beside.attempts, beside.manifest.tasks, beside.manifest.epochs)
        body = asdict(figures(beside.manifest.agent, counted.scored, counted.masked))
        kept = ("name", "tasks", "passed", "reward", "reward_interval", "partial", "invalid", "masked")
        found.append({**{name: body[name] for name in kept}, "twins": asdict(twins(counted.scored)), "missing": counted.missing})
    return found


def headline_of(evaluation: Evaluation) -> list[str]:
    """What must be read together with the mean of an evaluation."""
    manifest = evaluation.manifest
    counted = count(evaluation.attempts, manifest.tasks, manifest.epochs)
    return headline(evaluation, counted, figures("all", counted.scored, counted.masked))


def headline(evaluation: Evaluation, counted: Counted, overall: Figures) -> list[str]:
    """What must be read together with the mean: remarks of the manifest, and whatever makes the mean say less."""
    found = list(evaluation.manifest.headline)
    if counted.missing:
        found.append(f"unfinished: {counted.missing} runs missing")
    if counted.invalid:
        found.append(f"{len(counted.invalid)} INVALID runs count 0")
    if counted.masked:
        found.append(f"{len(counted.masked)} masked runs left out")
    if overall.tasks == 0:
        found.append("nothing was scored")
    return found


def _labels(evaluation: Evaluation, counted: Counted) -> dict[str, Labelled]:
    found = {}
    for one in counted.last:
        if one.verdict == "FAIL":
            labelled = label(one, evaluation.run(one.run))
            if labelled is not None:
                found[one.run] = labelled
    return found


def _counts(counted: Counted, tasks: int) -> dict[str, Any]:
    return {
        "tasks": tasks,
        "runs": len(counted.last),
        "scored": len(counted.scored),
        "passed": sum(reward(one) == 1 for one in counted.scored),
        "failed": sum(one.verdict == "FAIL" for one in counted.scored),
        "invalid": len(counted.invalid),
        "masked": len(counted.masked),
        "missing": counted.missing,
        "attempts": counted.attempts,
        "invalid_attempts": counted.invalid_attempts,
        "masked_attempts": counted.masked_attempts,
        "invalid_rate": counted.invalid_rate,
    }


def _failures(labels: Iterable[Labelled]) -> list[dict[str, Any]]:
    """Every label with its meaning, how often it was the main one, how often it fitted too."""
    every = list(labels)
    main = Counter(one.main for one in every)
    others = Counter(other for one in every for other in one.others)
    meanings = [*((rule.label, rule.meaning) for rule in RULES), (UNTOLD, "the log does not say")]
    return [{"label": name, "meaning": meaning, "main": main[name], "also": others[name]} for name, meaning in meanings]


def _named(one: Attempt) -> dict[str, Any]:
    return {"task": one.task, "epoch": one.epoch, "run": one.run, "cause": one.masked, "remark": one.remark}


def _tasks(counted: Counted) -> list[dict[str, Any]]:
    """Each task with its scored attempts n and those that passed, c."""
    rows = []
    for task, ones in by_task(counted.scored).items():
        first = ones[0]
        passed = sum(reward(one) == 1 for one in ones)
        place = {"environment": first.environment, "kind": first.kind, "level": first.level, "twin": first.twin}
        rows.append({"task": task, **place, "n": len(ones), "c": passed})
    return rows


def run_line(one: Attempt, labelled: Labelled | None) -> dict[str, Any]:
    """A run as lists of runs have it."""
    body = one.model_dump(mode="json", by_alias=True, exclude={"final"})
    return {**body, "label": labelled.main if labelled else "", "also": list(labelled.others) if labelled else []}
