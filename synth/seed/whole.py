"""Checks that need the whole seed: rules that exclude one another, work without bound."""

from synth.lang.contradictions import check_rules
from synth.lang.domain import Invariant, Maker, Tool
from synth.lang.nodes import Where
from synth.lang.work import MOST_STEPS, MOST_STEPS_OF_A_TOOL, MOST_STEPS_OF_DATA, Work
from synth.seed.reading import Reading


def check_whole(reading: Reading, tools: tuple[Tool, ...], invariants: tuple[Invariant, ...], makers: tuple[Maker, ...]) -> None:
    """Report what only shows when everything is known; nothing of it makes sense after other errors of types."""
    names = reading.names
    for tool in tools:
        check_rules(names, reading.report, f"tools.{tool.name}", tool.body)
    work = Work(names, names.functions)
    for tool in tools:
        _bounded(reading, work.body(tool.body), MOST_STEPS_OF_A_TOOL, tool.where, f"tools.{tool.name}")
    for one in invariants:
        _bounded(reading, work.body(one.bindings) + work.steps(one.condition, {}), MOST_STEPS, one.where, f"invariants.{one.name}")
    for entity in names.entities.values():
        for field in entity.fields:
            if field.always is not None:
                _bounded(reading, work.steps(field.always, {}), MOST_STEPS, field.where, f"entities.{entity.name}.fields.{field.name}")
    for maker in makers:
        steps = work.body(maker.body) * names.size(maker.entity)
        _bounded(reading, steps, MOST_STEPS_OF_DATA, maker.where, f"data.{maker.entity}")


def _bounded(reading: Reading, steps: int, most: int, where: Where, field: str) -> None:
    if steps > most:
        digits = len(str(steps)) - 1
        got = f"about {round(steps, -digits):,}, by the declared numbers of rows"
        fix = "Loop over a reverse set instead of a whole entity, filter first, or declare fewer rows"
        reading.report.add(where, field, expected=f"at most {most:,} steps", got=got, fix=fix, code="UNBOUNDED")
