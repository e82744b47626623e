"""Tasks of kind `bulk`: one operation on every row of a set that a query describes."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from registry.package.change import Stored
from registry.package.pack import Source
from synth.lang.domain import Domain, Param, Tool, Wording
from synth.reference.state import Ref, State
from synth.tasks.draft import Draft, Gathered, Patch, Script, Wanted, done_draft
from synth.tasks.kinds.sets import RowSet, members, near, row_sets, search_set, set_phrase
from synth.tasks.play import Play, Stuck
from synth.tasks.references.ask import say_parameter, slot_places, slots
from synth.tasks.references.describe import Described, describe
from synth.tasks.references.lookup import result_source, tool_of
from synth.tasks.rows.propose import Proposal
from synth.tasks.solving.gather import operations, write
from synth.tasks.wording.phrase import Phrase, as_phrase
from synth.tasks.wording.smooth import smooth
from synth.tasks.wording.style import CLOSING
from synth.tasks.workshop import Workshop

SETS = 12
"""How many sets are looked at before a wording is given up."""
PROPOSALS = 4
"""So often other values are thought of that all rows of a set get: few rows of a set can be moved to a place drawn by chance."""
PREFIX = "b"
_CLAUSE = re.compile(r" (?:whose|that|who) ")


def make_bulk(shop: Workshop) -> Draft | None:
    """A request to do one thing with all rows of a set; None when this try fails."""
    tools = [tool for tool in shop.domain.tools if not tool.read_only and plurals(shop.domain, tool)]
    for tool in shop.aimed(shop.in_turn(tools, "bulk")):
        wording, param = shop.rng.choice(plurals(shop.domain, tool))
        search = tool_of(shop.domain, "search", param.type.entities[0])
        for _ in range(PROPOSALS if search is not None and len(slots(wording)) > 1 else 1):
            shared = None if search is None else shop.proposer(shop.state).propose(tool, slots(wording))
            if search is None or shared is None:
                continue
            legal = frozenset(key for key in shop.view.keys(param.type.entities[0]) if allowed(shop, shop.state, param, shared, [key]))
            sets = (rows for rows in row_sets(shop.view, search, shop.rng) if legal.issuperset(rows.keys))
            for rows in islice(sets, SETS):
                draft = _try(shop, wording, param, shared, rows, legal)
                if draft is not None:
                    return draft
    return None


def plurals(domain: Domain, tool: Tool) -> list[tuple[Wording, Param]]:
    """Wordings for several rows with the parameter that the plural stands for; all others that are required are named, and take other rows."""
    names = {param.name for param in tool.params}
    required = {param.name for param in tool.params if param.required}
    rows = [param for param in tool.params if param.type.kind == "row" and len(param.type.entities) == 1]
    found = []
    for one in tool.bulk:
        plural = slots(one) - names
        meant = [param for param in rows if plural == {domain.entity(param.type.entities[0]).plural}]
        others = [param for param in tool.params if param.name in slots(one)]
        if len(meant) != 1 or any(_of_several(param) or param.type.entities == meant[0].type.entities for param in others):
            continue
        if required - {meant[0].name} <= slots(one):
            found.append((one, meant[0]))
    return found


def _of_several(param: Param) -> bool:
    """Whether it takes several rows, or rows of several entities."""
    return (param.type.kind == "list" and param.type.item is not None and param.type.item.kind == "row") or len(param.type.entities) > 1


def _try(shop: Workshop, wording: Wording, param: Param, shared: Proposal, rows: RowSet, legal: frozenset[str]) -> Draft | None:
    if not allowed(shop, shop.state, param, shared, rows.keys):
        return None
    near_by = [(one, [key for key in near(shop.view, rows.entity, rows.wanted, one) if key in legal]) for one in rows.wanted]
    close = tuple((one, shop.rng.choice(keys)) for one, keys in near_by if keys)
    references = [
        (column, value)
        for one, (column, value) in zip(rows.filters, rows.wanted, strict=True)
        if shop.domain.entity(rows.entity).field(one.field).role == "reference"
    ]
    if not close or any(one not in {known for known, _ in close} for one in references):
        return None
    parents, others = _parents(shop, rows), _others_named(shop, shared)
    if parents is None or others is None or any((one.entity, one.key) == (two.entity, two.key) for one in others.values() for two in parents if two):
        return None
    those = set_phrase(shop.view, rows, parents, PREFIX)
    if _runs_on(wording, shared, str(those)):
        return None
    words = _words(shop, wording, shared, those, others)
    return _finish(shop, words, param, shared, rows, parents, close, others)


def allowed(shop: Workshop, state: State, param: Param, shared: Proposal, keys: Sequence[str]) -> bool:
    """Whether the operation can be done on all of them, one after the other, and breaks no rule."""
    play = Play(shop.domain, state)
    for key in keys:
        arguments = {**shared.arguments(), param.argument: key}
        prediction = play.try_call(shared.tool.name, arguments)
        if not play.lawful(prediction, shared.tool.name, arguments):
            return False
        play.state = prediction.state
    return True


def _parents(shop: Workshop, rows: RowSet) -> tuple[Described | None, ...] | None:
    """Words for the rows that the set's references point at."""
    found: list[Described | None] = []
    for one, (_, value) in zip(rows.filters, rows.wanted, strict=True):
        field = shop.domain.entity(rows.entity).field(one.field)
        if field.role != "reference":
            found.append(None)
            continue
        words = describe(shop.view, field.columns[0].references[0], str(value), f"{PREFIX}{one.field}", shop.rng)
        if words is None or words.extra:
            return None
        found.append(words)
    return tuple(found)


def _runs_on(wording: Wording, shared: Proposal, those: str) -> bool:
    """Whether words that belong to the verb stand behind a clause about the rows, as in `move all documents whose owner is Ann Lee to …`."""
    behind = next(wording.text[end:] for _, end, name in slot_places(wording.text) if name not in shared.values)
    return bool(behind) and not behind.startswith((",", " and ", " because ")) and _CLAUSE.search(those) is not None


def _others_named(shop: Workshop, shared: Proposal) -> dict[str, Described] | None:
    """Words for the rows that the operation takes besides those of the set, by parameter."""
    found = {}
    for name, value in shared.values.items():
        if isinstance(value, Ref):
            words = describe(shop.view, value.entity, value.key, f"{PREFIX}{name}", shop.rng)
            if words is None or words.extra:
                return None
            found[name] = words
    return found


def _words(shop: Workshop, wording: Wording, shared: Proposal, rows: Phrase, others: Mapping[str, Described]) -> Phrase:
    phrase, at = as_phrase(""), 0
    for place in slot_places(wording.text):
        phrase = phrase + wording.text[at : place[0]]
        at = place[1]
        if place[2] in others:
            phrase = phrase + others[place[2]].phrase
        else:
            phrase = phrase + rows if place[2] not in shared.values else say_parameter(shop.view, phrase, shared, wording.text, place, PREFIX)
    return smooth((phrase + wording.text[at:]).capitalized() + "." + CLOSING)


def _finish(
    shop: Workshop,
    words: Phrase,
    param: Param,
    shared: Proposal,
    rows: RowSet,
    parents: tuple[Described | None, ...],
    close: tuple[tuple[Wanted, str], ...],
    others: Mapping[str, Described],
) -> Draft | None:
    script = shop.script(shop.state, words)
    try:
        given, sources = _shared_arguments(script, shared, others)
        call = search_set(script, rows, parents, PREFIX)
        shown = script.play.results[call]
        if [item["id"] for item in shown["items"]] != list(rows.keys) and {item["id"] for item in shown["items"]} != set(rows.keys):
            return None
        gathered = Gathered(
            entity=rows.entity,
            wanted=rows.wanted,
            call=call,
            proposal=shared,
            param=param,
            shared=given,
            sources=sources,
            near=close,
        )
        for item in shown["items"]:
            script.play.repeat(write(gathered, item["id"]))
    except Stuck:
        return None
    return replace(
        done_draft(
            script,
            "bulk",
            (*(one for one in parents if one is not None), *others.values()),
            operations(gathered, [item["id"] for item in shown["items"]]),
        ),
        gathered=gathered,
    )


def _shared_arguments(script: Script, shared: Proposal, others: Mapping[str, Described]) -> tuple[dict[str, Any], dict[str, Source]]:
    """Arguments that are the same for all rows, and where each comes from; other rows are looked up first."""
    given, sources = shared.arguments(), {}
    for one in shared.tool.params:
        if one.name in others:
            given[one.argument] = script.find(others[one.name])
            sources[one.argument] = result_source(given[one.argument])
        elif one.name in shared.values:
            sources[one.argument] = script.span(f"{PREFIX}.{one.name}")
    return given, sources


def other_sets(shop: Workshop, draft: Draft) -> Iterator[Patch]:
    """Patches of one fact by which a row joins the set or leaves it, a row on which the operation is allowed with and without the patch.

    Else the calls of the twin with more rows would do in both.
    """
    gathered = draft.gathered
    assert gathered is not None
    view = shop.view
    inside = members(view, gathered.entity, gathered.wanted)
    joining = [(key, one) for one in gathered.wanted for key in near(view, gathered.entity, gathered.wanted, one)]
    values = [(key, (one[0], other)) for key in inside for one in gathered.wanted for other in _others(view.state, gathered.entity, one)]
    for key, fact in shop.rng.sample([*joining, *values], len(joining) + len(values)):
        changes = _lawful(shop, gathered, key, fact)
        if changes is None:
            continue
        other = shop.state.fork()
        other.update(gathered.entity, key, changes)
        if all(allowed(shop, one, gathered.param, gathered.proposal, [key]) for one in (other, shop.state)):
            yield ((gathered.entity, key, {**view.state.tables[gathered.entity][key], **changes}),)


def _lawful(shop: Workshop, gathered: Gathered, key: str, fact: Wanted) -> dict[str, Stored] | None:
    """The fact, alone or else with what is there only beside it, as a parcel has a tracking number; None where no law of its row lets it in."""
    alone: dict[str, Stored] = {fact[0]: fact[1]}
    together = _with_company(shop, gathered, key, fact)
    for changes in (alone, together) if together != alone else (alone,):
        other = shop.state.fork()
        other.update(gathered.entity, key, changes)
        if shop.guard.admits(other, [Ref(gathered.entity, key)]):
            return changes
    return None


def _with_company(shop: Workshop, gathered: Gathered, key: str, fact: Wanted) -> dict[str, Stored]:
    """The fact and, from rows that have it, what is empty in one of the two rows and not in the other.

    Values come from another world, since this one's may be taken; references are to rows of this one.
    """
    changes: dict[str, Stored] = {fact[0]: fact[1]}
    worlds = [shop.state.tables[gathered.entity], shop.sibling.tables[gathered.entity]]
    donors = [world.where(gathered.entity, *fact) for world in (shop.state, shop.sibling)]
    if not all(donors):
        return changes
    here, there = (world[shop.rng.choice(keys)] for world, keys in zip(worlds, donors, strict=True))
    row, said = worlds[0][key], {column for column, _ in gathered.wanted}
    for field in shop.domain.entity(gathered.entity).fields:
        donor = here if field.role == "reference" else there
        for column in field.columns if field.role in ("value", "reference") else ():
            if column.name not in said and (row[column.name] is None) != (donor[column.name] is None):
                changes[column.name] = donor[column.name]
    return changes


def _others(state: State, entity: str, one: Wanted) -> Sequence[Stored]:
    """Other values that rows have in the column."""
    found = dict.fromkeys(row[one[0]] for row in state.rows(entity))
    return [value for value in found if value is not None and value != one[1]][:6]
