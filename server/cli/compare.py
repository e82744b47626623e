"""`envfarm compare`: whether one evaluation is better than another, paired by task and epoch."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from server.cli.answer import JsonFlag, show, table

if TYPE_CHECKING:
    from evals.metrics.comparison import Comparison, Difference

FLIPS = 40
"""Flipped tasks that are printed for people; JSON has all."""
SIGNIFICANT = 0.05
"""What belongs to an interval of 95 %."""


def compare(
    a: Path = typer.Argument(help="Folder of the first evaluation."),
    b: Path = typer.Argument(help="Folder of the second evaluation, which is held against the first."),
    json: bool = JsonFlag,
) -> None:
    """Compare two evaluations on the tasks and epochs that both scored: difference of mean rewards, its interval, a paired test, tasks that flipped.

    Example: envfarm compare runs/monday runs/tuesday
    """
    from dataclasses import asdict

    from evals.metrics.comparison import COMPARE_FORMULAS
    from evals.metrics.comparison import compare as held_against
    from evals.metrics.counting import count
    from evals.metrics.folder import read_evaluation
    from evals.report.contents import headline_of

    sides = [read_evaluation(folder) for folder in (a, b)]
    found = held_against(*(count(side.attempts, side.manifest.tasks, side.manifest.epochs) for side in sides))
    remarks = [*differences_of(sides[0].manifest.model_dump(), sides[1].manifest.model_dump()), *disagreement(found.overall)]
    agents = [side.manifest.agent for side in sides]
    headlines = [headline_of(side) for side in sides]
    answer = {
        **{"a": agents[0], "b": agents[1], "headlines": {"a": headlines[0], "b": headlines[1]}, "remarks": remarks},
        **asdict(found),
        "formulas": [asdict(one) for one in COMPARE_FORMULAS],
    }
    show(answer, json=json, text=_text(agents, headlines, remarks, found))


def differences_of(a: dict[str, object], b: dict[str, object]) -> list[str]:
    """In what two evaluations differ besides their agents: then a difference may have another cause."""
    found = [f"{name} differ" for name in ("environments", "packs") if _clash(a[name], b[name])]
    if not found and a["packs"] != b["packs"]:
        found.append("packs differ: what only one of the two has played is left out")
    if a["headline"] != b["headline"]:
        found.append(f"what agents could reach differs: {_words(a['headline'])} and {_words(b['headline'])}")
    return found + [
        f"{name} differs: {a[name]} and {b[name]}" for name in ("noise", "persona", "limits", "generator", "envfarm", "seed") if a[name] != b[name]
    ]


def disagreement(found: "Difference") -> list[str]:
    """Why interval and p-value may say different things of the same runs; nothing where they agree."""
    apart = not found.interval.low <= 0.0 <= found.interval.high
    if apart == (found.p < SIGNIFICANT):
        return []
    moved = f"p = {found.p:.3f}, as {found.gained + found.lost} of {found.pairs} pairs differ"
    said = f"the interval leaves out 0, yet {moved}" if apart else f"the interval holds 0, yet {moved}"
    return [f"{said}: with so few the interval is approximate, the test is not; go by p, or play more tasks"]


def _words(headline: object) -> str:
    """Remarks of a manifest in one line; none of a program that was kept from everything, and of agents that run no program."""
    return ", ".join(map(str, headline)) if isinstance(headline, Sequence) and headline else "nothing remarked"


def _clash(a: object, b: object) -> bool:
    """Whether something that both have has another digest in each."""
    return isinstance(a, dict) and isinstance(b, dict) and any(a[name] != b[name] for name in a.keys() & b.keys())


def _text(agents: list[str], headlines: list[list[str]], remarks: list[str], found: "Comparison") -> str:
    overall = found.overall
    lines = [f"{side}  {agent}{''.join(f'  {word.upper()}' for word in words)}" for side, agent, words in zip("AB", agents, headlines, strict=True)]
    lines += [*(f"note: {remark}" for remark in remarks), ""]
    lines.append(f"{overall.tasks} tasks, {overall.pairs} pairs; only in A {found.unpaired_a}, only in B {found.unpaired_b}")
    interval = f"95 % {overall.interval.low:+.3f} to {overall.interval.high:+.3f}, {overall.interval.method}"
    lines.append(f"A {overall.a:.3f}  B {overall.b:.3f}  difference {overall.difference:+.3f} ({interval})")
    lines.append(f"gained {overall.gained}, lost {overall.lost}; {overall.test}: p = {overall.p:.4f}")
    for way, ones in found.slices.items():
        lines += ["", table((way, "tasks", "A", "B", "B - A", "p"), [_row(one) for one in ones])]
    if found.flips:
        rows = [(one.task, one.kind, one.level, f"{one.a:.2f}", f"{one.b:.2f}") for one in found.flips[:FLIPS]]
        lines += ["", table(("flipped", "kind", "level", "A", "B"), rows)]
        lines += [f"and {len(found.flips) - FLIPS} more"] * (len(found.flips) > FLIPS)
    return "\n".join(lines)


def _row(one: "Difference") -> tuple[object, ...]:
    return (one.name, one.tasks, f"{one.a:.3f}", f"{one.b:.3f}", f"{one.difference:+.3f}", f"{one.p:.3f}")
