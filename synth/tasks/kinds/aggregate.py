"""Questions about sets of rows: how many, how much in all, on average, at most and at least, and which group is the greatest."""

import datetime as dt
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from registry.package.pack import Source, TypedAnswer
from synth.lang.domain import Entity, Field, Filter, Tool
from synth.reference.values import scalar_json
from synth.tasks.chance import Chance
from synth.tasks.draft import Draft, Reading, ReadingKind, Script, answer_draft
from synth.tasks.play import Play, Stuck
from synth.tasks.references.describe import called_pieces, describe
from synth.tasks.references.lookup import MOST_PAGES, PAGE, argument_of, result_source, tool_of
from synth.tasks.references.plural import Bounds, Condition, SetWords, set_words
from synth.tasks.rows.view import View
from synth.tasks.solving.readings import computed, greatest, lead, places_of
from synth.tasks.wording.nouns import field_words, is_extreme, is_noun, measure_words, noun
from synth.tasks.wording.phrase import Phrase, as_phrase
from synth.tasks.wording.smooth import smooth
from synth.tasks.wording.style import CLOSING
from synth.tasks.workshop import Workshop

FEWEST, MOST = 4, MOST_PAGES * PAGE
"""A smaller set is a guess away, a larger one has more pages than gold reads."""
DRAWS = 4
"""How often conditions are drawn for one search."""
PREFIX = "q"
WAYS: tuple[ReadingKind, ...] = ("count", "count", "sum", "average", "max", "min", "most", "most")
STEPS = (500, 200, 100, 50, 20, 10, 5, 1)


def make_aggregate(shop: Workshop) -> Draft | None:
    """A question about the rows that fit some conditions, of which each changes the answer; None when this try fails."""
    searches = [tool for tool in shop.domain.tools if tool.kind == "search" and tool.search]
    if not searches:
        return None
    tool = shop.aimed(shop.in_turn(searches, "aggregate"))[0]
    shop.miss(tool, "aggregate")
    entity = shop.domain.entity(tool.entity)
    for _ in range(DRAWS):
        conditions = draw_conditions(shop.view, tool, shop.rng)
        if not FEWEST <= len(members(shop.view, entity, conditions)) <= MOST:
            continue
        for way in dict.fromkeys(shop.rng.sample(WAYS, len(WAYS))):
            draft = _asked(shop, tool, entity, conditions, way)
            if draft is not None:
                return draft
    return None


def draw_conditions(view: View, tool: Tool, rng: Chance) -> tuple[Condition, ...]:
    """One to three conditions that some row meets, by filters of the search."""
    assert tool.search is not None
    entity = view.domain.entity(tool.entity)
    keys = view.keys(entity.name)
    if not keys:
        return ()
    key = rng.choice(keys)
    by_field: dict[str, list[Filter]] = {}
    for one in tool.search.filters:
        by_field.setdefault(one.field, []).append(one)
    found: list[Condition] = []
    for name, filters in rng.sample(list(by_field.items()), rng.choice((1, 2, 2, 3))):
        condition = _condition(view, entity, key, entity.field(name), filters, rng) if name != "id" else None
        found += [condition] if condition is not None else []
    return tuple(found)


def _condition(view: View, entity: Entity, key: str, field: Field, filters: list[Filter], rng: Chance) -> Condition | None:
    if {one.mode for one in filters} == {"from", "to"} and len(filters) == 2 and field.role == "value" and is_noun(view.domain, entity.name, field):
        return _bounded(view, entity, key, field, filters, rng)
    equal = next((one for one in filters if one.mode == "equal"), None)
    if equal is None:
        return None
    if field.role == "reference":
        up = view.parent(entity.name, key, field.name) if len(field.columns[0].references) == 1 else None
        words = None if up is None else describe(view, *up, f"{PREFIX}{field.name}", rng)
        return None if words is None or words.extra else Condition(field=field, filters=(equal,), parent=words)
    if field.role != "value" or field.type.kind not in ("enum", "bool"):
        return None
    leaf = view.leaf(entity.name, key, (field.name,))
    return None if leaf.value is None else Condition(field=field, filters=(equal,), leaf=leaf)


def _bounded(view: View, entity: Entity, key: str, field: Field, filters: list[Filter], rng: Chance) -> Condition | None:
    """Bounds around the value of a row: whole days, or a round amount."""
    value = view.value(entity.name, key, (field.name,))
    low, high = sorted(filters, key=lambda one: one.mode)
    if isinstance(value, dt.date):
        day = value.date() if isinstance(value, dt.datetime) else value
        first, last = day - dt.timedelta(days=rng.randint(1, 9)), day + dt.timedelta(days=rng.randint(1, 9))
        if isinstance(value, dt.datetime):
            bounds = Bounds(dt.datetime.combine(first, dt.time()), dt.datetime.combine(last, dt.time(23, 59, 59)))
        else:
            bounds = Bounds(first, last)
        return Condition(field=field, filters=(low, high), bounds=bounds)
    if not isinstance(value, int | Fraction) or value <= 0:
        return None
    step = next(one for one in STEPS if one <= max(1, value))
    least = Fraction(int(value) // step * step) if field.type.kind != "integer" else int(value) // step * step
    if least > value or least == 0:
        return None
    return Condition(field=field, filters=(low,), bounds=Bounds(low=least))


def members(view: View, entity: Entity, conditions: Sequence[Condition]) -> list[str]:
    """Ids of the rows that meet all conditions, in order."""
    return [key for key in view.keys(entity.name) if all(_meets(view, entity, key, one) for one in conditions)]


def _meets(view: View, entity: Entity, key: str, one: Condition) -> bool:
    if one.parent is not None:
        return view.parent(entity.name, key, one.field.name) == (one.parent.entity, one.parent.key)
    value: Any = view.value(entity.name, key, (one.field.name,))
    if one.leaf is not None:
        return bool(value == one.leaf.value)
    low, high = one.bounds
    return value is not None and (low is None or value >= low) and (high is None or value <= high)


def answer_of(view: View, entity: Entity, keys: Sequence[str], way: ReadingKind, field: Field | None) -> str | None:
    """The answer over these rows; None where there is none, or two."""
    if way == "count":
        return str(len(keys))
    assert field is not None
    if way == "most":
        return greatest(_groups(view, entity, keys, field))
    values = [Fraction(str(view.value(entity.name, key, (field.name,)))) for key in keys]
    return computed(values, way, places_of(field.columns[0]))


def _groups(view: View, entity: Entity, keys: Sequence[str], field: Field) -> list[object]:
    return [view.state.tables[entity.name][key][field.columns[0].name] for key in keys]


def _asked(shop: Workshop, tool: Tool, entity: Entity, conditions: tuple[Condition, ...], way: ReadingKind) -> Draft | None:
    field = _subject(shop, entity, conditions, way)
    if (field is None and way != "count") or (not conditions and way in ("count", "most")):
        return None
    answers = [answer_of(shop.view, entity, members(shop.view, entity, some), way, field) for some in _without_each(conditions)]
    if answers[0] is None or answers[0] in answers[1:]:
        return None
    if way == "most" and field is not None and lead(_groups(shop.view, entity, members(shop.view, entity, conditions), field)) != 1:
        return None  # one row decides: else no twin that differs in one fact
    named = answers[0]
    if way == "most" and field is not None and field.role == "reference":
        named = _name(shop.view, field, answers[0])
    answer = _typed(shop.view, way, field, named)
    words = _words(shop, entity, set_words(shop.view, entity, conditions, PREFIX), way, field)
    script = shop.script(shop.state, words)
    try:
        call = search_all(script, tool, conditions)
        if field is not None and field.role == "reference":
            _read_group(script.play, field)
    except Stuck:
        return None
    by_name = name_column(shop.view, field.columns[0].references[0]) if field is not None and field.role == "reference" else ""
    reading = Reading(what=way, call=call, entity=entity.name, column="" if field is None else field.columns[0].name, key=by_name)
    return answer_draft(script, answer, reading, tuple(one.parent for one in conditions if one.parent is not None))


def _without_each(conditions: tuple[Condition, ...]) -> Iterator[tuple[Condition, ...]]:
    """All of them, then all but one, for each of them."""
    yield conditions
    yield from (tuple(other for other in conditions if other is not one) for one in conditions)


def _subject(shop: Workshop, entity: Entity, conditions: Sequence[Condition], way: ReadingKind) -> Field | None:
    """The field that is summed, compared or counted by; one that no condition fixes."""
    taken = {one.field.name for one in conditions if one.leaf is not None or one.parent is not None}
    free = [one for one in entity.fields if one.name not in taken and not one.history and one.match == "exact" and not one.type.optional]
    free = [one for one in free if is_noun(shop.domain, entity.name, one)]
    if way == "most":
        fields = [one for one in free if one.type.kind == "enum" and one.role == "value"]
        fields += [one for one in free if one.role == "reference" and _readable(shop.view, one)]
    else:
        fields = [one for one in free if one.role == "value" and one.type.kind in ("money", "integer", "decimal") and one.name != "position"]
        fields = [one for one in fields if one.type.kind == "money" or (way in ("max", "min") and not is_extreme(shop.domain, entity.name, one))]
    return shop.rng.choice(fields) if fields else None


def _readable(view: View, field: Field) -> bool:
    """Whether the rows referred to are few enough to be read, and called by one name of their own."""
    if len(field.columns[0].references) != 1:
        return False
    target = view.domain.entity(field.columns[0].references[0])
    paths = [one for one in called_pieces(view.domain, target) if isinstance(one, tuple)]
    reads = tool_of(view.domain, "list", target.name) or tool_of(view.domain, "search", target.name)
    return reads is not None and len(paths) == 1 and len(paths[0]) == 1 and len(view.keys(target.name)) <= MOST


def name_column(view: View, entity: str) -> str:
    """The column by which rows of the entity are called."""
    return next(one[0] for one in called_pieces(view.domain, view.domain.entity(entity)) if isinstance(one, tuple))


def _name(view: View, field: Field, key: str) -> str:
    entity = field.columns[0].references[0]
    return str(view.value(entity, key, (name_column(view, entity),)))


def _typed(view: View, way: ReadingKind, field: Field | None, value: str) -> TypedAnswer:
    if way == "count" or field is None:
        return TypedAnswer(kind="number", value=value)
    if way == "most" and field.role == "reference":
        pieces = called_pieces(view.domain, view.domain.entity(field.columns[0].references[0]))
        called = "".join(one if isinstance(one, str) else value for one in pieces)
        return TypedAnswer(kind="text", value=value, facts=(tuple(dict.fromkeys((value, called))),))
    if way == "most":
        return TypedAnswer(kind="enum", value=value)
    tolerance = "0.01" if way == "average" else "0"
    return TypedAnswer(kind="money" if field.type.kind == "money" else "number", value=value, tolerance=tolerance)


def _words(shop: Workshop, entity: Entity, rows: SetWords, way: ReadingKind, field: Field | None) -> Phrase:
    if way == "count" or field is None:
        if rows.owner is not None and not rows.tail:
            return smooth(as_phrase("How many ") + rows.head + " does " + rows.owner + " have?" + CLOSING)
        stated = rows.stated()
        if stated is not None:
            return smooth(as_phrase("How many ") + stated + "?" + CLOSING)
        if rows.short:
            return smooth(as_phrase("How many ") + rows.phrase() + " are there?" + CLOSING)
        of = as_phrase("") if rows.owner is None else as_phrase(" of ") + rows.owner
        return smooth(as_phrase("How many ") + rows.head + of + " are there" + rows.clauses() + "?" + CLOSING)
    named = field_words(shop.domain, entity.name, field)
    if way == "most" and field.role == "reference":
        group = noun(shop.domain, shop.domain.entity(field.columns[0].references[0]))
        return smooth(as_phrase(f"Which {group} has the most ") + rows.phrase() + "? The name will do." + CLOSING)
    if way == "most":
        return smooth(as_phrase(f"Which {named} is the most frequent among the ") + rows.phrase() + "?" + CLOSING)
    measured = measure_words(shop.domain, entity.name, field)
    asked = {"sum": "total", "average": "average", "max": "highest", "min": "lowest"}[way]
    joint = "among" if way in ("max", "min") else "of"
    rounded = " Round it to two decimal places." if way == "average" else ""
    return smooth(as_phrase(f"What is the {asked} {measured} {joint} the ") + rows.phrase() + "?" + rounded + CLOSING)


def search_all(script: Script, tool: Tool, conditions: Sequence[Condition]) -> int:
    """The search and all its pages; index of its first call.

    Raises:
        Stuck: A row that the words describe cannot be found, or there are too many pages.
    """
    arguments: dict[str, Any] = {}
    sources: dict[str, Source] = {}
    for one in conditions:
        tag = f"{PREFIX}.{one.field.name}"
        if one.parent is not None:
            name = argument_of(tool, one.filters[0].param)
            arguments[name] = script.find(one.parent)
            sources[name] = result_source(arguments[name])
        elif one.leaf is not None:
            name = argument_of(tool, one.filters[0].param)
            arguments[name], sources[name] = scalar_json(one.leaf.type)(one.leaf.value), script.span(tag)
        else:
            for each in one.filters:
                name = argument_of(tool, each.param)
                end = one.bounds.low if each.mode == "from" else one.bounds.high
                arguments[name], sources[name] = scalar_json(one.field.type)(end), script.span(f"{tag}.{each.mode}")
    return read_pages(script.play, tool, arguments, sources)


def read_pages(play: Play, tool: Tool, arguments: dict[str, Any], sources: dict[str, Source]) -> int:
    """The call and those for the pages after it.

    Raises:
        Stuck: There are too many pages.
    """
    first = index = play.call(tool.name, arguments, sources)
    for _ in range(MOST_PAGES):
        if play.results[index].get("next_offset") is None:
            return first
        following = f"${index}.next_offset"
        index = play.call(tool.name, {**arguments, "offset": following}, {**sources, "offset": result_source(following)})
    raise Stuck(f"{tool.name} has too many pages")


def _read_group(play: Play, field: Field) -> None:
    """Reads all rows that the field may refer to, so that their names are known."""
    entity = field.columns[0].references[0]
    tool = tool_of(play.domain, "list", entity) or tool_of(play.domain, "search", entity)
    if tool is None:
        raise Stuck(f"no tool lists {entity}")
    read_pages(play, tool, {}, {})
