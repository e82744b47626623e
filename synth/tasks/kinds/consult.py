"""Questions that one of the seed's own reading tools answers: a figure that it works out, how many things it lists, the first time of those."""

import re
from collections.abc import Iterator
from typing import Any

from registry.package.pack import TypedAnswer
from registry.package.symbols import SymbolError, resolve
from synth.graph.access import access
from synth.lang.domain import Domain, Entity, Field, Tool, Wording
from synth.lang.types import Type
from synth.reference.state import Ref, Row, State
from synth.reference.values import encoder
from synth.tasks.chance import Chance
from synth.tasks.draft import Draft, Patch, Reading, answer_draft
from synth.tasks.kinds.chain import described_rows, refs
from synth.tasks.play import Play, Stuck
from synth.tasks.references.ask import Asked, ask, slots, wordings
from synth.tasks.rows.propose import Proposal
from synth.tasks.solving.allow import changed_rows
from synth.tasks.solving.planner import related
from synth.tasks.solving.readings import consulted
from synth.tasks.wording.english import is_plural, words_of
from synth.tasks.wording.nouns import figure_words, nouns
from synth.tasks.wording.phrase import Phrase, as_phrase
from synth.tasks.wording.smooth import smooth
from synth.tasks.wording.style import CLOSING
from synth.tasks.workshop import Workshop

TRIES, STRICT = 24, 8
"""How often rows are drawn for a question, and how often those are passed over of which one belongs to the other already."""
MOST_TIMES, MOST_MOVED = 2, 12
MOST_REGROUPED, MOST_READ = 3, 8
FEWEST = 3
"""A shorter list is a guess away."""
ASKING = ("what", "when", "which", "how", "where", "who", "can", "could", "is", "are", "does", "do")
_ASKS_FOR_MONEY = re.compile(r"\b(?:costs?|owes?|pays?|charge|price|come to|how much)\b")
WHOLE = ("total", "owed", "price", "amount", "cost", "difference")
"""Figures that are all of it."""
SUMS = ("total", "owed")
"""Those to which something is added up."""
LEFT = ("left", "free")
"""Figures of what there still is."""
MEASURES = {"minutes": ("time",), "hours": ("time",), "megabytes": ("size", "space")}
"""What is asked for in words that do not name the unit of the figure."""
_SUMS = re.compile(r"add up |how much is open")
_TELLS = re.compile(r"(?:list|show|find|check|count|work out|add up|look up|quote|preview)\b")
"""What can be followed by `, and tell me …`."""
_WHICH = re.compile(r"which (?:[a-z]+s|people) ")
_SLOT = re.compile(r"\{[^}]*\}")
STEM = 3
"""So many letters of a figure's name in a question make it the one that is meant."""
FIGURES = ("money", "integer", "decimal", "list")
"""What a record may hold that can be asked for; of a list, how long it is."""
COUNT = ("It is enough to tell me how many there are.", "Just tell me how many there are.", "I only need to know how many there are.")
EARLIEST = ("The earliest time will do.", "I only need the earliest time.", "Just tell me the earliest time.")
ONLY = ("Just tell me the {}.", "All I need is the {}.", "I only need the {}.", "The {} is all that I want to know.")


def make_consulting(shop: Workshop) -> Draft | None:
    """A question for a tool that reads and can be asked for; None when this try fails."""
    tools = [tool for tool in shop.domain.tools if can_be_consulted(tool)]
    for tool in shop.aimed(shop.in_turn(tools, "consult"))[:2]:
        wording = shop.rng.choice(asking(shop.domain, tool))
        for attempt in range(TRIES):
            proposal = shop.proposer(shop.state).propose(tool, slots(wording))
            if proposal is None:
                break
            if attempt < STRICT and is_so(shop.domain, shop.state, proposal):
                continue
            prediction = Play(shop.domain, shop.state).try_call(tool.name, proposal.arguments())
            chosen = [one for one in wanted_of(tool.result) if prediction.kind == "ok" and _telling(consulted(prediction.result, *one), one)]
            asked = ask(shop.view, wording, proposal, "s0", shop.rng, {}) if chosen else None
            meant = _meant(shop, wording, chosen if chosen and chosen[0][0] != "field" else wanted_of(tool.result), dict(tool.result.fields))
            draft = None if asked is None or meant not in chosen else _finish(shop, asked, wording, meant)
            if draft is not None:
                return draft
        shop.miss(tool, "consult")
    return None


def is_so(domain: Domain, state: State, proposal: Proposal) -> bool:
    """Whether one of the rows refers to another, as a subscription to the plan that it has: nobody asks what a change to that would cost."""
    rows = refs(proposal)
    held = [state.tables[one.entity][one.key] for one in rows]
    fields = [[field for field in domain.entity(one.entity).fields if field.role == "reference"] for one in rows]
    named = {
        (name, row[field.columns[0].name]) for row, own in zip(held, fields, strict=True) for field in own for name in field.columns[0].references
    }
    return any((one.entity, one.key) in named for one in rows)


def can_be_consulted(tool: Tool) -> bool:
    """Whether a question can be put to the tool, and its answer submitted."""
    return tool.read_only and tool.kind == "declared" and bool(wordings(tool)) and bool(wanted_of(tool.result))


Wanted = tuple[str, str]
"""`field` and the name of a figure in a record, `length` or `first` of a list (and an empty name)."""


def wanted_of(result: Type) -> list[Wanted]:
    """What can be asked of such a result."""
    if result.kind == "list" and result.item is not None:
        return [("first", ""), ("length", "")] if result.item.kind == "datetime" else [("length", "")] if result.item.kind == "row" else []
    return [("field", name) for name, kind in result.fields if kind.kind in FIGURES] if result.kind == "record" else []


def asking(domain: Domain, tool: Tool) -> list[Wording]:
    """The wordings that ask for one thing: those that name what is counted or the figure, else requests that can go on, else all of them."""
    every, offered, kinds = wordings(tool), wanted_of(tool.result), dict(tool.result.fields)
    if offered[0] == ("length", ""):
        rows = _rows_of(domain, tool.result)
        named = [one for one in every if any(word in _said(one) for word in rows) and (_WHICH.match(one.text) or _TELLS.match(one.text))]
        return named or every
    if offered[0][0] != "field":
        return every
    naming = [one for one in every if spoken(one, offered, kinds)]
    return naming or [one for one in every if _TELLS.match(one.text)] or every


def _rows_of(domain: Domain, result: Type) -> tuple[str, ...]:
    """What the rows of a list are called, in the plural: by people, and by the seed."""
    holders = [domain.entity(name) for name in (result.item.entities if result.item is not None else ())]
    return tuple(dict.fromkeys(word for one in holders for word in (nouns(domain, one), words_of(one.plural))))


def _said(wording: Wording) -> str:
    """The wording without its slots, whose names say nothing."""
    return _SLOT.sub("", wording.text)


def spoken(wording: Wording, offered: list[Wanted], kinds: dict[str, Type]) -> list[Wanted]:
    """The figures that the wording asks for."""
    text, figures = _said(wording), [one for one in offered if one[0] == "field"]
    sums = [one for one in figures if kinds[one[1]].kind == "money"]
    whole = SUMS if _SUMS.search(text) else WHOLE if _ASKS_FOR_MONEY.search(text) else ()
    if any(one[1] in whole for one in sums):
        named = [one for one in sums if one[1] in LEFT and f" {one[1]}" in text]
        return named or [one for one in sums if one[1] in whole][:1]
    if " left" in text and any(one[1] in LEFT for one in figures):
        return [one for one in figures if one[1] in LEFT][:1]
    measured = [one for one in figures if any(word in text for word in MEASURES.get(one[1], ()))]
    return measured or [one for one in figures if one[1][:STEM] in text] or (sums[:1] if _ASKS_FOR_MONEY.search(text) else [])


def _meant(shop: Workshop, wording: Wording, offered: list[Wanted], kinds: dict[str, Type]) -> Wanted:
    """The figure that the wording speaks of; the first of a record where it speaks of none."""
    named = spoken(wording, offered, kinds)
    return shop.rng.choice(named) if named else offered[0] if offered[0][0] == "field" else shop.rng.choice(offered)


def _telling(value: Any, wanted: Wanted) -> bool:
    """Whether an answer is there that nobody would guess."""
    if value is None or wanted[0] == "first":
        return value is not None
    return bool(value >= FEWEST)


def _finish(shop: Workshop, asked: Asked, wording: Wording, wanted: Wanted) -> Draft | None:
    tool = asked.proposal.tool
    script = shop.script(shop.state, words_for(shop.domain, asked, wording, wanted, shop.rng))
    try:
        script.find_all(asked)
        call = script.perform(asked)
    except (Stuck, SymbolError):
        return None
    what, name = wanted
    value = consulted(script.play.results[call], what, name)
    reading = Reading(what="field" if what == "field" else "first" if what == "first" else "length", call=call, entity="", column=name)
    return answer_draft(script, _typed(tool, wanted, value), reading, described_rows([asked]))


def _typed(tool: Tool, wanted: Wanted, value: Any) -> TypedAnswer:
    what, name = wanted
    if what == "first":
        return TypedAnswer(kind="datetime", value=str(value))
    kind = dict(tool.result.fields)[name].kind if what == "field" else ""
    if kind == "money":
        return TypedAnswer(kind="money", value=f"{value:.2f}")
    return TypedAnswer(kind="number", value=str(value))


def words_for(domain: Domain, asked: Asked, wording: Wording, wanted: Wanted, rng: Chance) -> Phrase:
    """`How many tickets are overdue in …?`, `List the …, and tell me how many there are.`; else the question, and what of it is wanted."""
    phrase, (what, name) = asked.phrase.stripped("."), wanted
    result = asked.proposal.tool.result
    if what == "length" and _WHICH.match(wording.text) and any(wording.text.startswith(f"which {word} ") for word in _rows_of(domain, result)):
        return smooth((as_phrase("how many ") + phrase.after("which ")).capitalized() + "?" + CLOSING)
    figure = "" if what != "field" else _figure(domain, name, dict(result.fields)[name])
    counts = wording.text.startswith("how many ") and ", and " not in wording.text
    if counts and (wording.text.startswith(f"how many {figure.removeprefix('number of ')} ") or name in LEFT):
        return smooth(phrase.capitalized() + "?" + CLOSING)
    if what != "first" and _TELLS.match(wording.text):
        alone = what == "length" or len(spoken(wording, wanted_of(result), dict(result.fields))) == 1
        counted = what == "length" or (alone and figure.startswith("number of ") and figure.removeprefix("number of ") in _said(wording).split())
        told = "how many there are" if counted else "what it is" if re.search(rf"\b{figure}\b", _said(wording)) else f"the {figure}"
        return smooth(phrase.capitalized() + f", and tell me {told}." + CLOSING)
    question = wording.text.startswith(ASKING)
    rest = {"length": rng.choice(COUNT), "first": rng.choice(EARLIEST)}.get(what, "") or rng.choice(ONLY).format(figure)
    return smooth(phrase.capitalized() + ("? " if question else ". ") + as_phrase(rest) + CLOSING)


def _figure(domain: Domain, name: str, kind: Type) -> str:
    """What a figure is called; of a list, what it lists: `number of missing courses`."""
    if kind.kind != "list":
        return figure_words(name, kind)
    rows = _rows_of(domain, kind)
    return f"number of {words_of(name)}" if is_plural(words_of(name)) or not rows else f"number of {words_of(name)} {rows[0]}"


def other_results(shop: Workshop, draft: Draft) -> Iterator[Patch]:
    """Patches of one cell of a row that the result shows, that the call names, or that belongs to those."""
    assert draft.reading is not None
    play = Play(shop.domain, shop.state)
    for call in draft.calls:
        play.repeat(call)
    call = draft.calls[draft.reading.call]
    told = [*_ids(play.results[draft.reading.call]), *_ids(resolve(dict(call.arguments), play.results))]
    shown = [Ref(entity.name, key) for key in dict.fromkeys(told) for entity in shop.domain.entities if key in shop.state.tables[entity.name]]
    stated = {(one.entity, one.key, leaf.path[0]) for one in draft.rows for leaf in one.leaves if len(leaf.path) == 1}
    if draft.reading.what in ("first", "length"):
        yield from _moved(shop, shown, play.results[draft.reading.call]["items"][:MOST_TIMES])
    shown = shop.rng.sample(shown, len(shown))
    rows = list(dict.fromkeys([*shown, *related(shop.domain, shop.state, shown[-2:])]))
    ways = (_recounted, _revalued) if draft.reading.what == "length" or not _is_worked_out(shop, draft) else (_revalued, _recounted)
    for way in ways:
        for ref in rows:
            yield from (((ref.entity, ref.key, row),) for row in way(shop, ref, stated))
    yield from _read(shop, shop.domain.tool(call.tool), stated)


def _is_worked_out(shop: Workshop, draft: Draft) -> bool:
    """Whether what is asked for is a figure of a record, and not how many things it lists."""
    assert draft.reading is not None
    kind = dict(shop.domain.tool(draft.calls[draft.reading.call].tool).result.fields).get(draft.reading.column)
    return kind is not None and kind.kind != "list"


def _recounted(shop: Workshop, ref: Ref, stated: set[tuple[str, str, str]]) -> Iterator[Row | None]:
    """The row where it is in another group, or is not there, so that one more or less is counted."""
    yield from _regrouped(shop, ref, stated)
    if not any(_refer(shop, *one, ref) for one in _referring(shop, ref)):
        yield None


def _revalued(shop: Workshop, ref: Ref, stated: set[tuple[str, str, str]]) -> Iterator[Row]:
    """The row with another value in one field."""
    row = shop.state.tables[ref.entity][ref.key]
    yield from ({**row, column: value} for column, value in _cells(shop, ref, stated) if value is not None and value != row[column])


def _refer(shop: Workshop, entity: Entity, field: Field, ref: Ref) -> bool:
    """Whether rows of the entity refer to this one."""
    return bool(shop.state.where(entity.name, field.columns[0].name, ref.key))


def _read(shop: Workshop, tool: Tool, stated: set[tuple[str, str, str]]) -> Iterator[Patch]:
    """Patches of rows that the result does not show, in fields that the tool reads."""
    for entity, name in shop.rng.sample(sorted(access(shop.domain, tool).reads), MOST_READ):
        field = next((one for one in shop.domain.entity(entity).fields if one.name == name), None)
        if field is None or field.role not in ("value", "reference") or len(field.columns) != 1 or field.part or field.unique:
            continue
        for key in shop.rng.sample(shop.view.keys(entity), MOST_REGROUPED):
            if (entity, key, name) not in stated:
                for row in changed_rows(shop, shop.domain.entity(entity), field, Ref(entity, key), None)[:MOST_REGROUPED]:
                    yield ((entity, key, row),)


def _regrouped(shop: Workshop, ref: Ref, stated: set[tuple[str, str, str]]) -> Iterator[Row]:
    """The row in another state, with what goes with that, or belonging to another row: so it leaves a list, or comes into one."""
    entity = shop.domain.entity(ref.entity)
    for field in shop.rng.sample(entity.fields, len(entity.fields)):
        moves = field.lifecycle is not None or (field.role == "reference" and not field.part and field.name not in (entity.id_per, *entity.key))
        if moves and (ref.entity, ref.key, field.name) not in stated:
            yield from changed_rows(shop, entity, field, ref, None)[:MOST_REGROUPED]


def _moved(shop: Workshop, named: list[Ref], shown: list[Any]) -> Iterator[Patch]:
    """Where times are listed: patches that put a row that belongs to one of those named at one of these times."""
    for time in (one for one in shown if isinstance(one, str)):
        for ref in named:
            for entity, field in _referring(shop, ref):
                keys = shop.state.where(entity.name, field.columns[0].name, ref.key)
                times = [one.columns[0].name for one in entity.fields if one.type.kind == "datetime" and one.role == "value" and one.match == "exact"]
                for key in shop.rng.sample(keys, MOST_MOVED):
                    yield from (((entity.name, key, {**shop.state.tables[entity.name][key], column: time}),) for column in times[:1])


def _referring(shop: Workshop, ref: Ref) -> Iterator[tuple[Entity, Field]]:
    for entity in shop.domain.entities:
        yield from ((entity, one) for one in entity.fields if one.role == "reference" and ref.entity in one.columns[0].references)


def _cells(shop: Workshop, ref: Ref, stated: set[tuple[str, str, str]]) -> Iterator[tuple[str, Any]]:
    entity = shop.domain.entity(ref.entity)
    fields = [one for one in entity.fields if one.role == "value" and len(one.columns) == 1 and not one.unique and one.match == "exact"]
    for field in shop.rng.sample(fields, len(fields)):
        if (ref.entity, ref.key, field.name) not in stated:
            yield (
                field.columns[0].name,
                encoder(field.type)(shop.proposer(shop.state).near((entity.name, field.name), shop.view.value(entity.name, ref.key, (field.name,)))),
            )


def _ids(value: Any) -> Iterator[str]:
    """All texts in a JSON value; ids among them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _ids(one)
    elif isinstance(value, list):
        for one in value:
            yield from _ids(one)
