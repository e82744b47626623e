"""Tasks of kind `repair`: a request that should never have been carried out has to be undone."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations
from typing import Any, NamedTuple

from registry.package.pack import Source
from registry.package.symbols import SymbolError
from synth.lang.domain import Param, Tool
from synth.reference.state import Ref, State
from synth.tasks.draft import Draft, Patch, Script, accepted_change, done_draft
from synth.tasks.kinds.chain import described_rows, refs
from synth.tasks.play import Play, Stuck
from synth.tasks.references.ask import Asked, ask, slots, wordings
from synth.tasks.references.describe import Described
from synth.tasks.references.lookup import result_source
from synth.tasks.rows.propose import Proposal
from synth.tasks.rows.view import View
from synth.tasks.wording.english import is_plural, say
from synth.tasks.wording.nouns import field_words, measure_words, unit_after
from synth.tasks.wording.phrase import Phrase, as_phrase, fact
from synth.tasks.wording.smooth import smooth
from synth.tasks.wording.style import CLOSING
from synth.tasks.workshop import Workshop

TOOLS, TRIES = 6, 10
GIVEN_UP = 3
"""A tool of which so often nothing came is not thought of any more."""
OLD = "old"
WORDS_BEFORE = (
    "Somebody carried out this request by mistake: ",
    "A colleague misunderstood an email and did this: ",
    "This has been done and should not have been: ",
    "I have changed my mind, but this has already been done: ",
    "Somebody was too quick and did this: ",
)
TAKE_BACK = (
    "Please undo that, so that everything is as it was.",
    "Please take it back and leave everything as it was before.",
    "Please put everything back the way it was.",
    "That has to be reversed, so that everything is as it was before.",
)


class Mistake(NamedTuple):
    """A call that was made, the state after it, and the call that takes it back; `said` tells of each of its values which words say it."""

    made: Proposal
    after: State
    back: Proposal
    said: dict[str, str]


def make_undo(shop: Workshop) -> Draft | None:
    """A request to take back what was done by mistake; None when this try fails."""
    for tool in shop.writes("undo")[:TOOLS]:
        if shop.missed.get(("undo", tool.name), 0) >= GIVEN_UP:
            continue
        wording = shop.rng.choice(wordings(tool))
        proposer = shop.proposer(shop.state)
        for _ in range(TRIES):
            proposal = proposer.propose(tool, slots(wording))
            mistake = None if proposal is None else _mistake(shop, proposal)
            if mistake is None:
                continue
            asked = ask(View(shop.domain, mistake.after), wording, mistake.made, "s0", shop.rng, {})
            draft = None if asked is None else _finish(shop, asked, mistake)
            if draft is not None:
                return draft
        shop.miss(tool, "undo")
    return None


def _mistake(shop: Workshop, made: Proposal) -> Mistake | None:
    """What the call leads to and how it is taken back; None unless it changes rows only, and one call takes it back."""
    prediction = Play(shop.domain, shop.state).try_call(made.tool.name, made.arguments())
    if prediction.kind != "ok" or not prediction.writes or any(one.op != "update" for one in prediction.writes):
        return None
    changes = accepted_change(shop.domain, shop.state, prediction.state).changes
    if len(changes) != 1 or (changes[0].table, changes[0].key) not in refs(made):
        return None
    for back, said in _ways_back(shop, made):
        if _takes_back(shop, shop.state, prediction.state, back):
            return Mistake(made, prediction.state, back, said)
    return None


def _takes_back(shop: Workshop, before: State, after: State, back: Proposal) -> bool:
    """Whether the call is allowed and leads to the state as it was, as the score sees it."""
    play = Play(shop.domain, after)
    arguments = back.arguments()
    prediction = play.try_call(back.tool.name, arguments)
    if prediction.kind != "ok" or accepted_change(shop.domain, before, prediction.state).changes:
        return False
    return play.lawful(prediction, back.tool.name, arguments)


def _ways_back(shop: Workshop, made: Proposal) -> Iterator[tuple[Proposal, dict[str, str]]]:
    """Calls with the same rows, in any order, and values that the request says or that stood there before."""
    rows = refs(made)
    for tool in shop.writes():
        for wording in wordings(tool):
            sent = [param for param in tool.params if param.name in slots(wording)]
            places = [param for param in sent if param.type.kind == "row"]
            if len(places) != len(rows) or any(param.type.kind == "list" for param in sent):
                continue
            for order in permutations(rows):
                if all(one.entity in param.type.entities for one, param in zip(order, places, strict=True)):
                    values = {param.name: one for param, one in zip(places, order, strict=True)}
                    yield from _filled(shop, made, tool, [param for param in sent if param not in places], values, {})


def _filled(
    shop: Workshop, made: Proposal, tool: Tool, rest: list[Param], values: dict[str, Any], said: dict[str, str]
) -> Iterator[tuple[Proposal, dict[str, str]]]:
    if not rest:
        yield Proposal(tool=tool, values=values), said
        return
    param = rest[0]
    for value, tag in _candidates(shop, made, param, values):
        yield from _filled(shop, made, tool, rest[1:], {**values, param.name: value}, {**said, param.name: tag})


def _candidates(shop: Workshop, made: Proposal, param: Param, values: dict[str, Any]) -> list[tuple[Any, str]]:
    """Values for a parameter: what its field held before, else those of the request that have its type."""
    if param.of is not None:
        holder = next((one for one in values.values() if isinstance(one, Ref) and one.entity == param.of[0]), None)
        if holder is not None:
            before = shop.view.value(holder.entity, holder.key, (param.of[1],))
            return [] if before is None or isinstance(before, tuple) else [(before, OLD)]
    same = [one for one in made.tool.params if one.type.kind == param.type.kind and one.type.name == param.type.name and one.name in made.values]
    return [(made.values[one.name], f"s0.{one.name}") for one in same if not isinstance(made.values[one.name], Ref | list)]


def _words(shop: Workshop, asked: Asked, mistake: Mistake) -> Phrase:
    words = as_phrase(shop.rng.choice(WORDS_BEFORE)) + '"' + asked.phrase.stripped(".").capitalized() + f'". {shop.rng.choice(TAKE_BACK)}'
    for param in mistake.back.tool.params:
        if mistake.said.get(param.name) == OLD and param.of is not None:
            field = shop.domain.entity(param.of[0]).field(param.of[1])
            named = field_words(shop.domain, param.of[0], field)
            named = f"number of {named}" if is_plural(named) and param.type.kind == "integer" else named
            said = fact(say(mistake.back.values[param.name], param.type, shop.view.today), f"{OLD}.{param.name}")
            said = as_phrase('"') + said + '"' if param.type.kind == "enum" else said
            unit = unit_after(shop.domain, param.of[0], field)
            named = measure_words(shop.domain, param.of[0], field) if unit else named
            words = words + f" Before, the {named} {'were' if is_plural(named) else 'was'} " + said + unit + "."
    return smooth(words + CLOSING)


def _finish(shop: Workshop, asked: Asked, mistake: Mistake) -> Draft | None:
    (change,) = accepted_change(shop.domain, shop.state, mistake.after).changes
    rows = described_rows([asked])
    stated = {(one.entity, one.key, leaf.path[0]) for one in rows for leaf in one.leaves if len(leaf.path) == 1}
    fields = [one for one in shop.domain.entity(change.table).fields if any(column.name in change.values for column in one.columns)]
    if any((change.table, change.key, one.name) in stated for one in fields) or '"' in str(asked.phrase):
        return None
    words = _words(shop, asked, mistake)
    script = Script(shop.domain, mistake.after, words)
    described = {Ref(one.entity, one.key): one for one in rows}
    try:
        arguments, sources = _arguments(script, mistake, described)
        script.play.call(mistake.back.tool.name, arguments, sources)
    except (Stuck, SymbolError):
        return None
    return replace(
        done_draft(script, "repair", rows, (mistake.back,)),
        patch=((change.table, change.key, mistake.after.tables[change.table][change.key]),),
        undone=(change.table, change.key, tuple(name for name in change.values)),
        made_by=asked.proposal.tool.name,
    )


def _arguments(script: Script, mistake: Mistake, described: dict[Ref, Described]) -> tuple[dict[str, Any], dict[str, Source]]:
    """Arguments of the call that takes the mistake back, rows by symbols, and the words that say the rest."""
    arguments = mistake.back.arguments()
    sources: dict[str, Source] = {}
    for param in mistake.back.tool.params:
        value = mistake.back.values.get(param.name)
        if isinstance(value, Ref):
            arguments[param.argument] = script.find(described[value])
            sources[param.argument] = result_source(arguments[param.argument])
        elif param.name in mistake.back.values:
            tag = mistake.said[param.name]
            sources[param.argument] = script.span(f"{OLD}.{param.name}" if tag == OLD else tag)
    return arguments, sources


def elsewhere(shop: Workshop, draft: Draft, swaps: Iterator[Patch]) -> Iterator[Patch]:
    """Patches under which the words mean another row, and the mistake was made there.

    Args:
        swaps: Patches that swap a fact of the row meant and of another one.
    """
    assert draft.undone is not None
    table, key, columns = draft.undone
    unique = {column.name for field in shop.domain.entity(table).fields if field.unique for column in field.columns}
    mistaken = next(row for _, _, row in draft.patch if row is not None)
    for patch in swaps:
        rows = {(one, other): row for one, other, row in patch}
        others = [other for one, other in rows if one == table and other != key]
        if len(rows) == 2 and (table, key) in rows and len(others) == 1:
            other = rows[table, others[0]]
            if other is not None:
                moved = {**other, **{name: mistaken[name] for name in columns}}
                free = {name: other[name] for name in columns if name in unique}
                yield ((table, key, {**(rows[table, key] or {}), **free}), (table, others[0], moved))
