"""Figures: what was measured, beside what is wanted."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

OUT = Path(__file__).parent / "out" / "latest.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One row of the table.

    Attributes:
        target: The bound; None for a figure that others are compared with.
        met: Whether the value keeps the bound; None without one.
    """

    name: str
    value: float
    unit: str
    target: float | None = None
    met: bool | None = None


def plain(name: str, value: float, unit: str) -> Figure:
    """A figure without a bound."""
    return Figure(name=name, value=round(value, 4), unit=unit)


def at_most(name: str, value: float, unit: str, target: float) -> Figure:
    """A figure that should not be higher."""
    return Figure(name=name, value=round(value, 4), unit=unit, target=target, met=value <= target)


def at_least(name: str, value: float, unit: str, target: float) -> Figure:
    """A figure that should not be lower."""
    return Figure(name=name, value=round(value, 4), unit=unit, target=target, met=value >= target)


def show(figures: Sequence[Figure]) -> None:
    """Prints the table."""
    width = max(len(one.name) for one in figures)
    for one in figures:
        bound = "" if one.target is None else f"target {one.target:g}"
        verdict = {None: "", True: "met", False: "NOT MET"}[one.met]
        print(f"{one.name:<{width}}  {one.value:>10.2f} {one.unit:<8} {bound:<14} {verdict}")


def keep(figures: Sequence[Figure]) -> None:
    """Writes `bench/out/latest.json`."""
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps([asdict(one) for one in figures], indent=1) + "\n", encoding="utf-8")
