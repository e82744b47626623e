"""Twins: the same words in a world that differs in one fact, so that another outcome is right."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from synth.lang.domain import Entity, Field
from synth.reference.interpret import reference
from synth.reference.state import Ref, State
from synth.reference.values import encoder
from synth.tasks.draft import Draft, Patch, start_of
from synth.tasks.kinds.branch import otherwise
from synth.tasks.kinds.bulk import other_sets
from synth.tasks.kinds.consult import other_results
from synth.tasks.kinds.mind import stays
from synth.tasks.kinds.mixup import other_values
from synth.tasks.kinds.turns import other_answers
from synth.tasks.kinds.undo import elsewhere
from synth.tasks.proving.exchange import swaps
from synth.tasks.proving.figures import other_figures
from synth.tasks.proving.retold import retold
from synth.tasks.rows.view import View
from synth.tasks.solving.allow import allowing, evidence
from synth.tasks.solving.recheck import outcome_in, same_outcome
from synth.tasks.workshop import Workshop

TRIES = 60


def make_twin(shop: Workshop, draft: Draft) -> Draft | None:
    """A draft with the words of `draft` and a patch of one fact (or two facts swapped) that changes what is right; None when none is found."""
    if draft.taken_back is not None:
        twin = stays(shop, draft)
        return None if twin is None else replace(twin, other_calls=draft.calls)
    if draft.held_back:
        return next((replace(one, other_calls=draft.calls) for one in other_answers(shop, draft)), None)
    patches = _patches(shop, draft)
    feasible = draft.kind == "decline" or draft.condition is not None
    return _first(shop, draft, chain((draft.likely,), patches) if draft.likely else patches, feasible=feasible)


def by_swap(draft: Draft) -> bool:
    """Whether the twin swaps a fact of a described row and of its distractor, so that there is none before there are distractors."""
    told = draft.held_back or draft.taken_back or draft.reading or draft.condition or draft.mistake or draft.gathered
    return draft.kind != "decline" and not told


def _patches(shop: Workshop, draft: Draft) -> Iterator[Patch]:
    """What may make another outcome right."""
    if draft.kind == "decline":
        return allowing(shop, draft, evidence(shop, draft))
    if draft.condition is not None:
        return otherwise(shop, draft)
    if draft.reading is not None and draft.reading.what == "value":
        return _cells(shop, draft, [Ref(draft.reading.entity, draft.reading.key)], draft.reading.column)
    if draft.reading is not None and draft.reading.what in ("field", "length", "first"):
        return other_results(shop, draft)
    if draft.reading is not None:
        return other_figures(shop, draft)
    if draft.mistake is not None:
        return other_values(shop, draft)
    if draft.gathered is not None:
        return other_sets(shop, draft)
    return elsewhere(shop, draft, swaps(shop, draft)) if draft.undone is not None else swaps(shop, draft)


def _first(shop: Workshop, draft: Draft, patches: Iterator[Patch], *, feasible: bool) -> Draft | None:
    """The first patch under which the words still mean something, invariants hold, and the outcome is another.

    Args:
        feasible: The twin plays the draft's other calls: what was refused can be done, or the other branch is due.
    """
    machine = reference(shop.domain)
    given = (
        replace(draft, calls=draft.other_calls, declined=None, kind="do" if draft.kind == "decline" else draft.kind, outcome="done")
        if feasible
        else draft
    )
    for _ in range(TRIES):
        patch = next(patches, None)
        if patch is None:
            return None
        state = start_of(shop.state, patch)
        if feasible and draft.declined is not None and machine.broken(state, draft.declined.tool, draft.declined.arguments, machine.now, most=1):
            continue
        if by_swap(draft) and not _means_others(shop, state, draft):
            continue
        rows = [Ref(table, key) for table, key, row in patch if row is not None]
        if not shop.guard.admits(state, rows) or not shop.guard.holds(state):
            continue
        calls = retold(shop.domain, start_of(shop.state, draft.patch), state, draft.rows, given.calls)
        there = None if calls is None else outcome_in(shop.domain, shop.state, replace(given, calls=calls, patch=patch))
        if there is None or same_outcome(there, draft) or not _does_as_much(there, draft):
            continue
        if feasible and draft.condition is not None and not _flipped(draft, state):
            continue
        if not _exact(shop, state, draft):
            continue
        return replace(there, likely=(), other_calls=draft.calls, tools=tuple(dict.fromkeys(call.tool for call in there.calls)))
    return None


def _means_others(shop: Workshop, state: State, draft: Draft) -> bool:
    """Whether the words mean another row in `state` (of a repair the one to repair): else the calls that are right in one twin are so in both."""
    view = View(shop.domain, state)
    rows = [one for one in draft.rows if draft.undone is None or (one.entity, one.key) == draft.undone[:2]]
    return any(view.meant(one.entity, one.leaves) not in (one.key, None) for one in rows)


def _flipped(draft: Draft, state: State) -> bool:
    """Whether the stated condition is otherwise in `state`."""
    if draft.condition is None or draft.statement is None:
        return False
    entity, key, column = draft.condition
    return draft.statement(state.tables[entity][key][column]) != draft.holds


def _does_as_much(there: Draft, draft: Draft) -> bool:
    """Whether something is changed where something is asked for: as many rows as in the draft itself."""
    if there.outcome != "done":
        return True
    least = len(draft.accepted[0].changes) if draft.condition is None and draft.gathered is None else 1
    return len(there.accepted[0].changes) >= max(1, least)


def _exact(shop: Workshop, state: State, draft: Draft) -> bool:
    """Whether each description still fits exactly one row."""
    view = View(shop.domain, state)
    return all(view.meant(one.entity, one.leaves) is not None for one in draft.rows)


def _cells(shop: Workshop, draft: Draft, rows: list[Ref], column: str = "") -> Iterator[Patch]:
    """Patches of one cell of one of the rows: a value that other rows have. Facts that the words state stay."""
    stated = {(one.entity, one.key, leaf.path[0]) for one in draft.rows for leaf in one.leaves if len(leaf.path) == 1}
    while rows:
        ref = shop.rng.choice(rows)
        entity = shop.domain.entity(ref.entity)
        fields = [one for one in entity.fields if _changeable(one, column) and (ref.entity, ref.key, one.name) not in stated]
        if not fields:
            if column:
                return
            continue
        field = shop.rng.choice(fields)
        value = encoder(field.type)(_other(shop, entity, field, ref.key))
        row = shop.state.tables[ref.entity][ref.key]
        if value is not None and value != row[field.columns[0].name]:
            yield ((ref.entity, ref.key, {**row, field.columns[0].name: value}),)
        else:
            yield ()


def _changeable(field: Field, column: str) -> bool:
    return field.role == "value" and len(field.columns) == 1 and not field.unique and (not column or field.columns[0].name == column)


def _other(shop: Workshop, entity: Entity, field: Field, key: str) -> object:
    if field.type.kind == "enum" and shop.rng.random() < 0.5:
        words = next((one.words for one in shop.domain.enums if one.name == field.type.name), ())
        return shop.rng.choice(words) if words else None
    value: object = shop.proposer(shop.state).near((entity.name, field.name), shop.view.value(entity.name, key, (field.name,)))
    return value
