"""Exports of an evaluation, written to disk by the name of their format."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from evals.errors import EvalError
from evals.exports.atif import atif
from evals.exports.conversations import Offers, openai, sharegpt
from evals.exports.parquet import write_parquet
from evals.exports.turns import told
from evals.metrics.folder import Evaluation
from evals.metrics.labels import label

FORMATS = ("openai", "sharegpt", "atif", "parquet")


def export(evaluation: Evaluation, form: str, out: Path, offers: Offers, *, passed_only: bool = False) -> tuple[Path, ...]:
    """Writes the runs that count into `out`.

    Args:
        evaluation: To export.
        form: One of FORMATS.
        out: A folder: gets `openai.jsonl`, `sharegpt.jsonl`, `atif/RUN.json`, or `runs.parquet` and `calls.parquet`.
        offers: Of the environments; lines carry those that are known.
        passed_only: Whether only runs with verdict PASS are wanted.

    Returns:
        The files, in order.
    """
    runs = told(evaluation, passed_only=passed_only)
    manifest = evaluation.manifest
    if form == "openai":
        return (_lines(out / "openai.jsonl", (openai(one, offers) for one in runs)),)
    if form == "sharegpt":
        return (_lines(out / "sharegpt.jsonl", (sharegpt(one, offers) for one in runs)),)
    if form == "atif":
        return tuple(_lines(out / "atif" / f"{one.run.run}.json", [atif(one, manifest)]) for one in runs)
    if form == "parquet":
        every = list(runs)
        labels = {one.attempt.run: found.main for one in every if (found := label(one.attempt, one.run))}
        return write_parquet(every, out, labels, agent=manifest.agent, noise=manifest.noise.profile)
    raise EvalError(f"--format: expected one of {', '.join(FORMATS)}, got '{form[:40]}'.")


def _lines(path: Path, values: Iterable[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        for value in values:
            file.write((json.dumps(value, ensure_ascii=False) + "\n").encode("utf-8", "replace"))
    return path
