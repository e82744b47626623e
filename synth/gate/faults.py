"""Errors of a seed that show only when its tools are tried: what can never happen, told so that its author can mend it."""

from collections import Counter
from collections.abc import Iterator, Mapping

from synth.gate.goals import Goal
from synth.gate.seek import Sought, unshown_goals, wanted
from synth.graph.states import moves
from synth.lang.domain import Domain, Entity, Field
from synth.reference.interpret import Reference
from synth.reference.state import Ref, State

AMBIGUOUS = 0.1
"""The greatest share of rows that may be called as another row is."""


def unshown(sought: list[Sought]) -> list[str]:
    """Goals for which no call was found, one sentence each."""
    return list(dict.fromkeys(_unshown(one, goal) for goal, one in unshown_goals(sought).items()))


def _unshown(sought: Sought, goal: Goal) -> str:
    where = f"{goal.where}: tools.{goal.tool}"
    tries = f"none in {sought.looked} tries"
    match goal.kind:
        case "success":
            return f"{where}: expected {wanted(goal)} calls that succeed, found {len(sought.found.get(goal, ()))} in {sought.looked} tries{_blamed(sought)}. Change its rules, or the data, so that it can succeed."  # noqa: E501
        case "rule":
            return f"{where}.{goal.code}: expected a call that breaks this rule alone, found {tries}{_company(sought, goal)}. Remove the rule if it can never be broken, or change the one that always goes before it."  # noqa: E501
        case "branch":
            return f"{where}: expected a call that takes branch {goal.number + 1} of this choice, found {tries}. Change its condition, or leave the branch out."  # noqa: E501
        case _:
            side = ("below", "at", "above")[goal.number + 1]
            return f"{where}: expected a call {side} the boundary of this comparison, found {tries}. Compare with a value that can be reached."


def _blamed(sought: Sought) -> str:
    code, count = sought.refusals.most_common(1)[0] if sought.refusals else ("", 0)
    return f" (it broke {code} in {count} of them)" if code else ""


def _company(sought: Sought, goal: Goal) -> str:
    if not sought.refusals.get(goal.code):
        return " (it was never broken at all)"
    other = Counter({code: count for (one, code), count in sought.together.items() if one == goal.code}).most_common(1)
    return f" (when it is broken, {other[0][0]} mostly is too)" if other else ""


def unreachable(domain: Domain, state: State) -> list[str]:
    """States in which no row can ever be, and moves that no tool makes."""
    made: dict[tuple[str, str], set[str]] = {}
    moved: set[tuple[str, str, str, str]] = set()
    for tool in domain.tools:
        found = moves(domain, tool)
        for place, states in found.makes.items():
            made.setdefault(place, set()).update(states)
        for place, states in found.changes.items():
            before = found.needs.get(place)
            moved.update((*place, was, now) for now in states for was in before or _states(domain, place))
    return [sentence for entity in domain.entities for field in entity.fields for sentence in _stuck(entity, field, state, made, moved)]


def _states(domain: Domain, place: tuple[str, str]) -> tuple[str, ...]:
    lifecycle = domain.entity(place[0]).field(place[1]).lifecycle
    return lifecycle.states if lifecycle is not None else ()


def _stuck(
    entity: Entity, field: Field, state: State, made: Mapping[tuple[str, str], set[str]], moved: set[tuple[str, str, str, str]]
) -> Iterator[str]:
    if field.lifecycle is None:
        return
    held = {str(row[field.columns[0].name]) for row in state.rows(entity.name)}
    where = f"{field.where}: entities.{entity.name}.fields.{field.name}"
    for one in field.lifecycle.states:
        if one not in held and one not in made.get((entity.name, field.name), ()):
            yield f"{where}.{one}: expected a tool or data that bring a row into this state, found none. Add a tool, or remove the state."
    for was, now in field.lifecycle.moves:
        if (entity.name, field.name, was, now) not in moved:
            yield f"{where}: expected a tool that moves a row from {was} to {now}, found none. Add a tool, or remove the move."


def ambiguous(reference: Reference, state: State) -> list[str]:
    """Entities whose rows cannot be told apart by what they are called."""
    run = reference.run(state, reference.now)
    found = []
    for entity in reference.domain.entities:
        if entity.called is None or entity.single or len(state.tables[entity.name]) < 2:
            continue
        names = Counter(reference.expressions.called(run, Ref(entity.name, key)) for key in state.keys(entity.name))
        shared = sum(count for count in names.values() if count > 1)
        total = len(state.tables[entity.name])
        if shared > max(2, AMBIGUOUS * total):
            name = names.most_common(1)[0][0]
            found.append(
                f"{entity.where}: entities.{entity.name}.called: expected that it tells rows apart, got {shared} of {total} rows that are called as "
                f"another one is (such as {name!r}). Add a field to it that differs."
            )
    return found


def all_faults(domain: Domain, reference: Reference, state: State, sought: list[Sought]) -> list[str]:
    """Every error of the seed that was found."""
    return [*unreachable(domain, state), *ambiguous(reference, state), *unshown(sought)]
