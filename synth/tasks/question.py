"""Tasks of kind `answer`: a question whose answer must be looked up."""

from fractions import Fraction
from typing import Any

from registry.package.pack import TypedAnswer
from synth.lang.domain import Field
from synth.lang.types import Type
from synth.reference.values import fixed, scalar_json
from synth.tasks.aggregate import make_aggregate
from synth.tasks.branch import tells
from synth.tasks.chain import Workshop
from synth.tasks.describe import Described
from synth.tasks.draft import Draft, Reading, Script, answer_draft
from synth.tasks.english import be, is_plural
from synth.tasks.lookup import result_source
from synth.tasks.nouns import field_words, is_noun, measure_words
from synth.tasks.phrase import as_phrase
from synth.tasks.play import Stuck
from synth.tasks.refer import refer
from synth.tasks.smooth import smooth
from synth.tasks.style import CLOSING


def make_question(shop: Workshop) -> Draft | None:
    """A question about one described row or a set; None when this try fails."""
    maker = shop.rng.choice((_attribute, make_aggregate, make_aggregate))
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
    return answer_draft(script, answer, reading, (described,))


def _visible(script: Script, found: str, field: Field) -> bool:
    """Whether the look-up's result shows the field."""
    source = result_source(found)
    return field.columns[0].name in str(script.play.results[source.call])
