"""What models have cost and what came of it, kept in a file of the home."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from synth import disk
from synth.model.meter import Meter

FILE = "ledger.jsonl"


def record(path: Path, meter: Meter, *, work: str, about: str, model: str, outcome: str) -> None:
    """Adds one line for each stage of a piece of work.

    Args:
        work: Which command.
        about: What it was to make, an id or keyword.
        outcome: What came of it: `registered`, `quarantined`, `budget`, ….
    """
    number = max((int(one["run"]) for one in entries(path)), default=0) + 1
    for stage, spent in meter.stages.items():
        line = {
            "run": number,
            "work": work,
            "about": about[:200],
            "model": model,
            "stage": stage,
            "outcome": outcome,
            "asked": spent.asked,
            "tries": spent.tries,
            "tokens_in": spent.tokens_in,
            "tokens_out": spent.tokens_out,
            "estimated": spent.estimated,
            "cost": round(meter.cost(stage), 6),
            "seconds": round(spent.seconds, 3),
            "rejected": dict(sorted(spent.rejected.items())),
        }
        disk.append_text(path, json.dumps(line, ensure_ascii=False, sort_keys=True) + "\n")


def entries(path: Path) -> tuple[dict[str, Any], ...]:
    """All lines; one that was written half, by a process that was killed, is left out."""
    found = []
    for line in (disk.read_file(path) or b"").decode("utf-8", "replace").splitlines():
        try:
            one = json.loads(line)
        except ValueError:
            continue
        if isinstance(one, dict) and "run" in one and "stage" in one:
            found.append(one)
    return tuple(found)


def by_stage(lines: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    """Totals of each kind of work and stage, in the order in which they first came."""
    whole: dict[tuple[str, str], dict[str, Any]] = {}
    runs: dict[tuple[str, str], set[int]] = {}
    for one in lines:
        key = (str(one["work"]), str(one["stage"]))
        total = whole.setdefault(key, {"work": key[0], "stage": key[1], "runs": 0, "outcomes": Counter(), "rejected": Counter()})
        runs.setdefault(key, set()).add(one["run"])
        for name in ("asked", "tries", "tokens_in", "tokens_out", "cost", "seconds"):
            total[name] = round(total.get(name, 0) + one[name], 6)
        total["outcomes"][one["outcome"]] += 1
        total["rejected"].update(one["rejected"])
        total["runs"] = len(runs[key])
    return tuple(
        {**one, "outcomes": dict(sorted(one["outcomes"].items())), "rejected": dict(sorted(one["rejected"].items()))} for one in whole.values()
    )
