"""Tasks of kind `repair`: a value was entered for the wrong row, and has to be put where it belongs."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from registry.package.change import Stored
from registry.package.symbols import SymbolError, resolve
from synth.lang.domain import Field, Param, Tool
from synth.reference.state import Ref, State
from synth.reference.values import encoder, scalar_json
from synth.tasks.draft import Draft, Patch, Script, accepted_change, done_draft, start_of
from synth.tasks.play import Play, Stuck
from synth.tasks.references.ask import slots, wordings
from synth.tasks.references.describe import Described, describe
from synth.tasks.references.lookup import result_source
from synth.tasks.rows.propose import Proposal
from synth.tasks.wording.english import is_plural, of_or_own, say
from synth.tasks.wording.nouns import is_noun, measure_words, unit_after
from synth.tasks.wording.phrase import Phrase, as_phrase, fact
from synth.tasks.wording.smooth import smooth
from synth.tasks.wording.style import CLOSING
from synth.tasks.workshop import Workshop

ROWS = 6
DRAWS = 12
OLD = "old"
MISTAKES = (
    ("the new {} of ", " {} entered for ", " by mistake. "),
    ("somebody has entered the new {} of ", " for ", " instead. "),
    ("I am afraid the new {} of ", " {} put down for ", ". "),
    ("we have a mix-up: the new {} of ", " ended up with ", ". "),
)
"""What stands before the row to which a value belongs, between it and the other, and behind that."""
MEND = (" Please put both right.", " Please correct both.", " Could you set both right?", " Both need to be corrected.")


class Setter(NamedTuple):
    """A tool that, with two arguments, sets one field of one row and does nothing else."""

    tool: Tool
    row: Param
    value: Param
    entity: str
    field: Field


def setters(shop: Workshop) -> list[Setter]:
    """All of them that a person may ask for, in random order, those that came to nothing last."""
    found: list[Setter] = []
    for tool in shop.aimed(shop.writes()):
        for wording in wordings(tool):
            sent = [param for param in tool.params if param.name in slots(wording)]
            rows = [one for one in sent if one.type.kind == "row" and len(one.type.entities) == 1]
            values = [one for one in sent if one.of is not None and one.type.kind != "list" and one not in rows]
            if len(sent) == 2 and rows and values and values[0].of is not None and values[0].of[0] == rows[0].type.entities[0]:
                field = shop.domain.entity(values[0].of[0]).field(values[0].of[1])
                if field.role == "value" and len(field.columns) == 1 and is_noun(shop.domain, values[0].of[0], field):
                    found.append(Setter(tool, rows[0], values[0], values[0].of[0], field))
    once = {(one.tool.name, one.field.name): one for one in found}
    mixed = shop.rng.sample(tuple(once.values()), len(once))
    return sorted(mixed, key=lambda one: shop.missed.get(("mixup", one.tool.name), 0))


def make_mixup(shop: Workshop) -> Draft | None:
    """A request to mend what was entered for the wrong row; None when this try fails."""
    for setter in setters(shop):
        keys = shop.view.keys(setter.entity)
        if not _has_other_values(shop, setter):
            continue
        for wrong in shop.rng.sample(keys, ROWS):
            right = shop.rng.choice(keys)
            value = shop.proposer(shop.state).scalar(setter.value)
            value = shop.proposer(shop.state).fitted(
                (setter.entity, setter.field.name), shop.view.value(setter.entity, right, (setter.field.name,)), value
            )
            if value is None or right == wrong:
                continue
            draft = _try(shop, setter, wrong, right, value)
            if draft is not None:
                return draft
    return None


def _taken(shop: Workshop, entity: str, field: Field) -> set[Stored]:
    """Values of other tasks that no second row may have."""
    return shop.neighbours.reserved.get((entity, field.columns[0].name), set()) if field.unique else set()


def _has_other_values(shop: Workshop, setter: Setter) -> bool:
    """Whether values come up that no row has: else nothing else could have been entered by mistake, and there is no twin."""
    column = setter.field.columns[0].name
    present = {shop.state.tables[setter.entity][key][column] for key in shop.view.keys(setter.entity)}
    drawn = [shop.proposer(shop.state).like((setter.entity, setter.field.name)) for _ in range(DRAWS)]
    return sum(one is not None and encoder(setter.field.type)(one) not in present for one in drawn) > 1


def _try(shop: Workshop, setter: Setter, wrong: str, right: str, value: Any) -> Draft | None:
    before = [shop.view.value(setter.entity, key, (setter.field.name,)) for key in (wrong, right)]
    if None in before or value in before or encoder(setter.field.type)(value) in _taken(shop, setter.entity, setter.field):
        return None
    patch = _patch(shop, setter, wrong, encoder(setter.field.type)(value))
    start = start_of(shop.state, patch)
    ref = Ref(setter.entity, wrong)
    if not shop.guard.admits(start, [ref]) or not _mended(shop, setter, start, ((wrong, before[0]), (right, value))):
        return None
    rows = [describe(shop.view, setter.entity, key, prefix, shop.rng) for key, prefix in ((wrong, "w"), (right, "r"))]
    if rows[0] is None or rows[1] is None or any(setter.field.name in leaf.path for one in rows if one for leaf in one.leaves):
        return None
    return _finish(shop, setter, (rows[0], rows[1]), patch, (before[0], value))


def _patch(shop: Workshop, setter: Setter, wrong: str, stored: Any) -> Patch:
    row = shop.state.tables[setter.entity][wrong]
    return ((setter.entity, wrong, {**row, setter.field.columns[0].name: stored}),)


def _call(setter: Setter, key: str, value: Any) -> dict[str, Any]:
    return Proposal(tool=setter.tool, values={setter.row.name: Ref(setter.entity, key), setter.value.name: value}).arguments()


def _mended(shop: Workshop, setter: Setter, start: State, steps: tuple[tuple[str, Any], ...]) -> bool:
    """Whether the calls are allowed, one after the other, and change one column of one row each."""
    play = Play(shop.domain, start)
    for key, value in steps:
        arguments = _call(setter, key, value)
        prediction = play.try_call(setter.tool.name, arguments)
        if not play.lawful(prediction, setter.tool.name, arguments):
            return False
        changes = accepted_change(shop.domain, play.state, prediction.state).changes
        seen = {(one.key, name) for one in changes for name, column in one.values.items() if column.match != "exempt"}
        if seen != {(key, setter.field.columns[0].name)}:
            return False
        play.state = prediction.state
    return True


def _words(shop: Workshop, setter: Setter, rows: tuple[Described, Described], old: Any) -> Phrase:
    named = measure_words(shop.domain, setter.entity, setter.field)
    wrong, right = rows
    text = fact(say(old, setter.field.type, shop.view.today), OLD)
    said = as_phrase('"') + text + '"' if setter.field.match == "text" else text
    before, between, behind = shop.rng.choice(MISTAKES)
    first = as_phrase(before.format(named)) + right.phrase + between.format("were" if is_plural(named) else "was") + wrong.phrase + behind
    owned = wrong.phrase + f"'s own {named}"
    if of_or_own(named, str(wrong.phrase)) or wrong.extra:
        owned = as_phrase(f"The {named} of ") + wrong.phrase
    unit = unit_after(shop.domain, setter.entity, setter.field)
    second = owned.capitalized() + " used to be " + said + f"{unit}, and that was right." + shop.rng.choice(MEND)
    return smooth(first.capitalized() + second + CLOSING)


def _finish(shop: Workshop, setter: Setter, rows: tuple[Described, Described], patch: Patch, values: tuple[Any, Any]) -> Draft | None:
    wrong, right = rows
    old, value = values
    words = _words(shop, setter, rows, old)
    script = Script(shop.domain, start_of(shop.state, patch), words)
    column = setter.field.columns[0].name
    try:
        at, there = script.find(wrong), script.find(right)
        entered = at.removesuffix(".id") + f".{column}"
        if resolve(entered, script.play.results) != scalar_json(setter.field.type)(value):
            return None
        literal = _call(setter, wrong.key, old)[setter.value.argument]
        for row, said, source in ((at, literal, script.span(OLD)), (there, entered, result_source(entered))):
            arguments = {setter.row.argument: row, setter.value.argument: said}
            script.play.call(setter.tool.name, arguments, {setter.row.argument: result_source(row), setter.value.argument: source})
    except (Stuck, SymbolError):
        return None
    return replace(
        done_draft(
            script,
            "repair",
            rows,
            tuple(
                Proposal(tool=setter.tool, values={setter.row.name: Ref(setter.entity, key), setter.value.name: one})
                for key, one in ((wrong.key, old), (right.key, value))
            ),
        ),
        patch=patch,
        mistake=(setter.entity, wrong.key, column),
    )


def other_values(shop: Workshop, draft: Draft) -> Iterator[Patch]:
    """Patches under which another value was entered by mistake."""
    assert draft.mistake is not None
    entity, key, column = draft.mistake
    field = next(one for one in shop.domain.entity(entity).fields if any(each.name == column for each in one.columns))
    while True:
        value = shop.proposer(shop.state).like((entity, field.name))
        value = shop.proposer(shop.state).fitted((entity, field.name), shop.view.value(entity, draft.rows[-1].key, (field.name,)), value)
        stored = None if value is None else encoder(field.type)(value)
        start = start_of(shop.state, draft.patch)
        present = {start.tables[entity][one][column] for one in shop.view.keys(entity)} | _taken(shop, entity, field)
        yield () if stored is None or stored in present else ((entity, key, {**shop.state.tables[entity][key], column: stored}),)
