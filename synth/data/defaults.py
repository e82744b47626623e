"""Plausible values of fields that no maker binds, by type and name."""

import datetime as dt
from fractions import Fraction
from typing import Any

from synth.data.draws import Unmade
from synth.data.generators import Generators
from synth.data.named_texts import Texts
from synth.lang.domain import Domain, Entity, Field
from synth.lang.types import Type
from synth.reference.evaluate import Expressions
from synth.reference.run import Run
from synth.reference.state import Ref

PRICES = ("price", "value", "cost", "worth")
PAST = ("born", "birth", "joined", "created", "opened", "hired", "bought", "since", "registered", "ordered", "placed", "issued", "received", "sent")
AROUND = ("due", "until", "expires", "deadline", "valid_to", "due_on", "due_at")
FUTURE = ("end", "starts", "start", "scheduled", "return", "delivery")

INTEGERS: tuple[tuple[tuple[str, ...], int, int, int], ...] = (
    (("year",), 1990, 2025, 2015),
    (("age",), 1, 90, 35),
    (("rating", "stars", "score"), 1, 5, 4),
    (("percent", "discount"), 0, 40, 10),
    (("stock", "on_hand", "inventory"), 0, 120, 30),
    (("capacity", "seats", "places"), 4, 60, 16),
    (("minute", "length", "duration"), 15, 120, 45),
    (("floor", "level"), 0, 8, 1),
    (("pages",), 60, 700, 240),
    (("quantity", "amount", "units", "count"), 1, 12, 2),
)


class Defaults:
    """Draws values of fields. A field that is computed, has a default, or may be None and is no remark or reference, is left to the language."""

    def __init__(self, domain: Domain, generators: Generators, expressions: Expressions) -> None:
        self._domain = domain
        self._generators = generators
        self._expressions = expressions
        self._texts = Texts(domain, generators)
        self._words = {one.name: one.words for one in domain.enums}
        self._structs = {one.name: one.fields for one in domain.structs}

    def fill(self, run: Run, entity: Entity, values: dict[str, Any]) -> None:
        """Adds a value for each field that has none and needs one, in the order of the fields."""
        for field in entity.fields:
            if field.name not in values and not self._left_alone(entity, field):
                values[field.name] = self._value(run, entity, field, values)

    def _left_alone(self, entity: Entity, field: Field) -> bool:
        if field.lifecycle is not None:
            return False
        if field.role == "always" or field.computed is not None or field.start is not None or field.history:
            return True
        if (field.name == "archived" and entity.archive) or (field.name == "position" and any(one.position for one in entity.fields)):
            return True
        if field.role == "links":
            return False
        return field.type.optional and field.role != "reference" and not (field.type.kind == "text" and self._texts.is_remark(field.name))

    def _value(self, run: Run, entity: Entity, field: Field, values: dict[str, Any]) -> Any:
        stream = self._generators.stream
        if field.role == "links":
            return self._linked(run, field)
        if field.role == "reference":
            return self._referred(run, entity, field)
        if field.lifecycle is not None:
            states = field.lifecycle.states
            return stream.weighted(states, [3.0] + [1.0] * (len(states) - 1))
        if field.closed:
            return stream.choice(field.closed)
        if field.type.optional and not stream.chance(0.3):
            return None
        if field.type.kind == "text":
            return self._texts.text(entity, field.name, values)[: field.length]
        if field.type.kind == "money" and field.name.endswith(PRICES) and isinstance(values.get("name"), str):
            return self._generators.remarks.price_of(values["name"])
        return self._scalar(run, entity, field, field.type)

    def _linked(self, run: Run, field: Field) -> list[Ref]:
        targets = field.type.item.entities if field.type.item else ()
        pool = [Ref(one, key) for one in targets for key in run.state.keys(one)]
        return self._generators.stream.sample(pool, self._generators.stream.between(0, 3))

    def _referred(self, run: Run, entity: Entity, field: Field) -> Ref | None:
        stream = self._generators.stream
        pool = [(one, run.state.keys(one)) for one in field.columns[0].references]
        total = sum(len(keys) for _, keys in pool)
        if total == 0 or (field.type.optional and stream.chance(0.6)):
            if field.type.optional:
                return None
            raise Unmade
        at = stream.below(total)
        for name, keys in pool:
            if at < len(keys):
                return Ref(name, keys[at])
            at -= len(keys)
        raise Unmade

    def _scalar(self, run: Run, entity: Entity, field: Field, of: Type) -> Any:
        stream, draws = self._generators.stream, self._generators.draws
        match of.kind:
            case "enum":
                return stream.choice(self._words[of.name])
            case "bool":
                return stream.chance(0.5)
            case "integer":
                return self._integer(run, field)
            case "money":
                low, high = self._limits(run, field, Fraction(5), Fraction(250))
                return self._generators.remarks.amount(low, high)
            case "decimal":
                low, high = self._limits(run, field, Fraction(1), Fraction(50))
                return draws.decimal(low, high)
            case "date":
                return draws.date_between(*_span(field.name))
            case "datetime":
                first, last = _span(field.name)
                return draws.pick(draws.slots_between(first, last, dt.time(8), dt.time(18), dt.timedelta(minutes=15)))
            case "time":
                return draws.time_between(dt.time(8), dt.time(18), dt.timedelta(minutes=30))
            case "duration":
                return dt.timedelta(minutes=15 * stream.between(1, 8))
            case _:
                return self._compound(run, entity, field, of)

    def _compound(self, run: Run, entity: Entity, field: Field, of: Type) -> Any:
        stream = self._generators.stream
        if of.kind == "struct":
            return {name: self._part(run, entity, field, name, one) for name, one in self._structs[of.name]}
        if of.kind == "list" and of.item is not None:
            if of.item.kind == "enum":
                words = self._words[of.item.name]
                return stream.sample(words, stream.between(1, len(words)))
            item = of.item
            return list(dict.fromkeys(self._part(run, entity, field, field.name, item) for _ in range(stream.between(0, 3))))
        if of.kind == "map":
            return {}
        return self._texts.text(entity, field.name, {})

    def _part(self, run: Run, entity: Entity, field: Field, name: str, of: Type) -> Any:
        if of.kind == "text":
            return self._texts.text(entity, name, {})
        return self._scalar(run, entity, field, of)

    def _integer(self, run: Run, field: Field) -> int:
        for words, low, high, usual in INTEGERS:
            if any(word in field.name for word in words):
                first, last = self._limits(run, field, Fraction(low), Fraction(high))
                return self._generators.stream.near(int(first), int(last), usual)
        first, last = self._limits(run, field, Fraction(1), Fraction(20))
        return self._generators.stream.between(int(first), int(last))

    def _limits(self, run: Run, field: Field, low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
        """The usual range, within the limits of the field where they are constant."""
        first, last = self._limit(run, field.low), self._limit(run, field.high)
        if first is not None:
            low, high = max(low, first), max(high, first + (high - low if last is None else 0))
        if last is not None:
            low, high = min(low, last), min(high, last)
        return low, high

    def _limit(self, run: Run, node: Any) -> Fraction | None:
        if node is None:
            return None
        try:
            value = self._expressions.code(node)(run, {})
        except KeyError:
            return None
        return Fraction(value) if isinstance(value, int | Fraction) else None


def _span(name: str) -> tuple[dt.timedelta, dt.timedelta]:
    """From when to when a date of this name usually lies."""
    if "born" in name or "birth" in name:
        return dt.timedelta(days=-28_000), dt.timedelta(days=-6_600)
    if name.endswith(AROUND):
        return dt.timedelta(days=-25), dt.timedelta(days=60)
    if name.startswith(PAST) or name.endswith(PAST):
        return dt.timedelta(days=-120), dt.timedelta(days=-1)
    if name.startswith(FUTURE) or name.endswith(FUTURE):
        return dt.timedelta(days=1), dt.timedelta(days=45)
    return dt.timedelta(days=-60), dt.timedelta(days=-1)
