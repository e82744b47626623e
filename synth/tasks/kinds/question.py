"""Tasks of kind `answer`: a question whose answer must be looked up."""

import re
from fractions import Fraction
from typing import Any

from registry.package.pack import TypedAnswer
from synth.lang.domain import Field, Tool
from synth.lang.types import Type
from synth.reference.values import fixed, scalar_json
from synth.tasks.draft import Draft, Reading, answer_draft
from synth.tasks.kinds.aggregate import make_aggregate
from synth.tasks.kinds.branch import tells
from synth.tasks.kinds.consult import make_consulting
from synth.tasks.play import Stuck
from synth.tasks.references.describe import Described
from synth.tasks.references.lookup import result_source, tool_of
from synth.tasks.references.refer import refer
from synth.tasks.wording.english import be, is_plural
from synth.tasks.wording.nouns import field_words, is_noun, measure_words
from synth.tasks.wording.phrase import as_phrase
from synth.tasks.wording.smooth import smooth
from synth.tasks.wording.style import CLOSING
from synth.tasks.workshop import Workshop

FRESH = 0.7
"""How often a question goes to a reading tool that no task uses yet, while there is one."""
ASKED = (
    ("What {be} the {named} of ", "?"),
    ("What {be} the {named} of ", "?"),
    ("Could you tell me the {named} of ", "?"),
    ("I need to know the {named} of ", "."),
    ("Please look up the {named} of ", "."),
    ("Can you find out the {named} of ", "?"),
)
"""What stands before and behind the row that is asked about."""
MANY = 3
"""Stands for the use of a `get` that there is not; a tool of which so often nothing came is no more preferred."""


def make_question(shop: Workshop) -> Draft | None:
    """A question about one described row or a set; None when this try fails."""
    aim = _aim(shop)
    if aim is not None:
        return make_consulting(shop) if aim.kind == "declared" else (make_aggregate(shop) if aim.search else None) or _attribute(shop)
    makers = list(dict.fromkeys(shop.rng.sample(MAKERS, len(MAKERS))))
    reading = [tool.name for tool in shop.domain.tools if tool.read_only and tool.kind == "declared"]
    fresh = shop.rng.random() < FRESH and any(not shop.used.get(name) and shop.missed.get(("consult", name), 0) < MANY for name in reading)
    if shop.aim.chooses:
        makers = list(dict.fromkeys([shop.aim.way("maker", MAKERS, shop.rng), *makers]))
    elif fresh:
        makers = [make_consulting, *(one for one in makers if one is not make_consulting)]
    return next((draft for maker in makers if (draft := maker(shop)) is not None and not shop.off(draft)), None)


def _aim(shop: Workshop) -> Tool | None:
    """The reading tool in focus."""
    return next((tool for tool in shop.domain.tools if tool.name == shop.focus and tool.read_only), None)


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
    """What is X's Y? over a row found by its description; rather of an entity whose `get` no task uses yet."""
    entities = [one for one in shop.domain.entities if not one.single]
    shop.rng.shuffle(entities)
    entity = min(entities, key=lambda one: _use_of_get(shop, one.name))
    aim = _aim(shop)
    entity = shop.domain.entity(aim.entity) if aim is not None else entity
    shop.missed["get", entity.name] = shop.missed.get(("get", entity.name), 0) + 1
    keys = shop.view.keys(entity.name)
    if not keys:
        return None
    key = shop.rng.choice(keys)
    described = refer(shop.view, entity.name, key, "q", shop.rng)
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
        if field.name == "position" or tells(shop.domain, field.type, described.phrase):
            continue
        answer = typed(field.type, shop.view.value(entity.name, key, (field.name,)))
        if answer is not None:
            return _ask_attribute(shop, described, field, answer)
    return None


def _ask_attribute(shop: Workshop, described: Described, field: Field, answer: TypedAnswer) -> Draft | None:
    named = field_words(shop.domain, described.entity, field)
    named = measure_words(shop.domain, described.entity, field) if is_plural(named) else named
    before, end = shop.rng.choice(ASKED)
    asked = as_phrase(before.format(be=be(named), named=named)) + described.phrase + end
    counted = named.removeprefix("number of ")
    if field.type.kind == "integer" and is_plural(counted) and re.fullmatch("[a-z]+", counted):
        asked = as_phrase(f"How many {counted} does ") + described.phrase + " have?"
    words = smooth(asked + CLOSING)
    script = shop.script(shop.state, words)
    try:
        found = script.find(described)
    except Stuck:
        return None
    call = result_source(found).call
    if field.columns[0].name not in str(script.play.results[call]):
        return None
    reading = Reading(what="value", call=call, entity=described.entity, column=field.columns[0].name, key=described.key)
    return answer_draft(script, answer, reading, (described,))


def _use_of_get(shop: Workshop, entity: str) -> int:
    """How often `get` or `list` of the entity was used, and the entity was tried."""
    tools = [tool for kind in ("get", "list") if (tool := tool_of(shop.domain, kind, entity)) is not None]
    return min((shop.used.get(tool.name, 0) for tool in tools), default=MANY) + shop.missed.get(("get", entity), 0) + shop.aim.behind(entity)


MAKERS = (_attribute, make_consulting, make_aggregate, make_aggregate)
