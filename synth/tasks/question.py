"""Tasks of kind `answer`: a question whose answer must be looked up."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from registry.package.pack import Alternative, Source, TypedAnswer
from synth.lang.domain import Entity, Field, Filter, Tool
from synth.lang.types import Type
from synth.reference.values import fixed, scalar_json
from synth.tasks.chain import Workshop
from synth.tasks.describe import Described, describe, truth, value_words
from synth.tasks.draft import Draft, Reading, Script
from synth.tasks.english import be
from synth.tasks.lookup import argument_of, result_source
from synth.tasks.nouns import field_words, is_noun, nouns
from synth.tasks.phrase import Phrase, as_phrase, fact, joined
from synth.tasks.play import Stuck
from synth.tasks.smooth import smooth
from synth.tasks.style import CLOSING
from synth.tasks.view import Leaf

FEWEST = 4
MOST = 40


def make_question(shop: Workshop) -> Draft | None:
    """A question about one described row, a count or a sum; None when this try fails."""
    maker = shop.rng.choice((_attribute, _aggregate, _aggregate))
    return maker(shop)


def typed(kind: Type, value: Any) -> TypedAnswer | None:
    """The right answer in the form in which it is submitted; None for values that make no question."""
    if value is None:
        return None
    match kind.kind:
        case "money":
            return TypedAnswer(kind="money", value=fixed(Fraction(value), 2), tolerance="0")
        case "integer" | "decimal":
            return TypedAnswer(kind="number", value=fixed(Fraction(value), kind.places))
        case "date" | "datetime":
            return TypedAnswer(kind=kind.kind, value=str(scalar_json(kind)(value)))
        case "enum":
            return TypedAnswer(kind="enum", value=str(value))
        case _:
            return None


def _attribute(shop: Workshop) -> Draft | None:
    """What is X's Y? over a row found by its description."""
    entity = shop.rng.choice([one for one in shop.domain.entities if not one.single])
    keys = shop.view.keys(entity.name)
    if not keys:
        return None
    key = shop.rng.choice(keys)
    described = describe(shop.view, entity.name, key, "q", shop.rng)
    if described is None:
        return None
    stated = {leaf.path for leaf in described.leaves}
    fields = [
        one
        for one in entity.fields
        if one.role == "value" and one.match == "exact" and (one.name,) not in stated and is_noun(shop.domain, entity.name, one)
    ]
    shop.rng.shuffle(fields)
    for field in fields:
        answer = typed(field.type, shop.view.value(entity.name, key, (field.name,)))
        if answer is not None:
            return _ask_attribute(shop, described, field, answer)
    return None


def _ask_attribute(shop: Workshop, described: Described, field: Field, answer: TypedAnswer) -> Draft | None:
    named = field_words(shop.domain, described.entity, field)
    words = smooth(as_phrase(f"What {be(named)} the {named} of ") + described.phrase + "?" + CLOSING)
    script = Script(shop.domain, shop.state, words)
    try:
        found = script.find(described)
    except Stuck:
        return None
    if not _visible(script, found, field):
        return None
    call = result_source(found).call
    reading = Reading(what="value", call=call, entity=described.entity, column=field.columns[0].name, key=described.key)
    return _draft(script, words, answer, reading, (described,))


def _visible(script: Script, found: str, field: Field) -> bool:
    """Whether the look-up's result shows the field."""
    source = result_source(found)
    return field.columns[0].name in str(script.play.results[source.call])


def _aggregate(shop: Workshop) -> Draft | None:
    """How many, or how much in all, of the rows that fit one or two filters of a search."""
    searches = [tool for tool in shop.domain.tools if tool.kind == "search" and tool.search]
    if not searches:
        return None
    tool = shop.rng.choice(searches)
    chosen = _filters(shop, tool)
    if chosen is None:
        return None
    filters, leaves, described = chosen
    entity = shop.domain.entity(tool.entity)
    rows = _rows(shop, tool.entity, filters, leaves, described)
    if not FEWEST <= len(rows) <= MOST or not _each_matters(shop, tool.entity, filters, leaves, described, len(rows)):
        return None
    return _ask_aggregate(shop, tool, entity, filters, leaves, described, rows)


Chosen = tuple[list[Filter], list[Leaf | None], list[Described | None]]


def _filters(shop: Workshop, tool: Tool) -> Chosen | None:
    """One or two equality filters with values from some row, so that the set is not empty."""
    assert tool.search is not None
    keys = shop.view.keys(tool.entity)
    if not keys:
        return None
    key = shop.rng.choice(keys)
    entity = shop.domain.entity(tool.entity)
    usable = [one for one in tool.search.filters if one.mode == "equal" and entity.field(one.field).type.kind in ("enum", "row", "bool")]
    shop.rng.shuffle(usable)
    filters: list[Filter] = []
    leaves: list[Leaf | None] = []
    described: list[Described | None] = []
    for one in usable[: shop.rng.choice((1, 2, 2))]:
        field = entity.field(one.field)
        if field.role == "reference":
            parent = shop.view.parent(tool.entity, key, one.field)
            words = None if parent is None else describe(shop.view, parent[0], parent[1], f"q{one.field}", shop.rng)
            if words is None or words.extra:
                return None
            filters.append(one)
            leaves.append(None)
            described.append(words)
            continue
        leaf = shop.view.leaf(tool.entity, key, (one.field,))
        if leaf.value is None:
            return None
        filters.append(one)
        leaves.append(leaf)
        described.append(None)
    return (filters, leaves, described) if filters else None


def _rows(shop: Workshop, entity: str, filters: Sequence[Filter], leaves: Sequence[Leaf | None], described: Sequence[Described | None]) -> list[str]:
    found = []
    for key in shop.view.keys(entity):
        for one, leaf, words in zip(filters, leaves, described, strict=True):
            if leaf is not None and shop.view.value(entity, key, leaf.path) != leaf.value:
                break
            if words is not None and shop.view.parent(entity, key, one.field) != (words.entity, words.key):
                break
        else:
            found.append(key)
    return found


def _each_matters(
    shop: Workshop, entity: str, filters: list[Filter], leaves: list[Leaf | None], described: list[Described | None], count: int
) -> bool:
    """Whether leaving out any one filter changes the answer."""
    for index in range(len(filters)):
        rest = [items[:index] + items[index + 1 :] for items in (filters, leaves, described)]
        if len(_rows(shop, entity, *rest)) == count:  # type: ignore[arg-type]
            return False
    return True


def _ask_aggregate(
    shop: Workshop,
    tool: Tool,
    entity: Entity,
    filters: list[Filter],
    leaves: list[Leaf | None],
    described: list[Described | None],
    rows: list[str],
) -> Draft | None:
    clauses = [_clause(shop, entity, one, leaf, words) for one, leaf, words in zip(filters, leaves, described, strict=True)]
    amounts = [one for one in entity.fields if one.role == "value" and one.type.kind == "money" and not one.type.optional]
    amounts = [one for one in amounts if is_noun(shop.domain, entity.name, one)]
    column = ""
    if amounts and shop.rng.random() < 0.6:
        field = shop.rng.choice(amounts)
        total = sum((Fraction(str(shop.view.value(entity.name, key, (field.name,)))) for key in rows), Fraction(0))
        column = field.columns[0].name
        opening = f"What is the total {field_words(shop.domain, entity.name, field)} of the {nouns(shop.domain, entity)} "
        answer = typed(field.type, total)
    else:
        opening = f"How many {nouns(shop.domain, entity)} are there "
        answer = TypedAnswer(kind="number", value=str(len(rows)))
    if answer is None:
        return None
    words = smooth(as_phrase(opening) + joined(clauses) + "?" + CLOSING)
    script = Script(shop.domain, shop.state, words)
    try:
        call = _search_all(script, tool, filters, leaves, described)
    except Stuck:
        return None
    reading = Reading(what="sum" if column else "count", call=call, entity=entity.name, column=column)
    return _draft(script, words, answer, reading, tuple(one for one in described if one is not None))


def _clause(shop: Workshop, entity: Entity, one: Filter, leaf: Leaf | None, words: Described | None) -> Phrase:
    named = field_words(shop.domain, entity.name, entity.field(one.field))
    if leaf is not None and isinstance(leaf.value, bool):
        return fact(truth(shop.view, entity.name, leaf, several=True), f"q.{one.field}")
    said = words.phrase if words is not None else fact(value_words(leaf, shop.view), f"q.{one.field}") if leaf else as_phrase("")
    return as_phrase(f"whose {named} {be(named)} ") + said


def _search_all(script: Script, tool: Tool, filters: list[Filter], leaves: list[Leaf | None], described: list[Described | None]) -> int:
    """The search and all its pages; index of its first call."""
    arguments: dict[str, Any] = {}
    sources: dict[str, Source] = {}
    for one, leaf, words in zip(filters, leaves, described, strict=True):
        name = argument_of(tool, one.param)
        if words is not None:
            arguments[name] = script.find(words)
            sources[name] = result_source(arguments[name])
        elif leaf is not None:
            arguments[name] = scalar_json(leaf.type)(leaf.value)
            sources[name] = script.span(f"q.{one.field}")
    first = index = script.play.call(tool.name, arguments, sources)
    while (script.play.results[index])["next_offset"] is not None:
        following = f"${index}.next_offset"
        index = script.play.call(tool.name, {**arguments, "offset": following}, {**sources, "offset": result_source(following)})
    return first


def _draft(script: Script, words: Phrase, answer: TypedAnswer, reading: Reading, rows: tuple[Described, ...]) -> Draft:
    return Draft(
        kind="answer",
        instruction=str(words),
        calls=tuple(script.play.calls),
        outcome="answered",
        accepted=(Alternative(changes=()),),
        tools=tuple(dict.fromkeys(call.tool for call in script.play.calls)),
        answer=answer,
        rows=rows,
        reading=reading,
    )
