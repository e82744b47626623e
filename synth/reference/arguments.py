"""Arguments of a call from JSON to computed values, by the parameters of the seed alone."""

import datetime as dt
import math
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from synth.lang.domain import Domain, Entity, Field, Param
from synth.lang.nodes import Const
from synth.lang.types import Type
from synth.reference.identity import id_shape

LARGEST = 2**53 - 1
MOST_MONEY = 10**12
MOST_ITEMS = 100
TEXT_LENGTH = 10_000
ID_LENGTH = 200
YEARS = range(1900, 2200)
ACCEPTED = 10_000
"""So many ids that fit are known again: a fit depends on the text alone."""

SURROGATES = range(0xD800, 0xE000)
MINUTES = 60 * 24 * 366 * 100

Parse = Callable[[Any], Any]


class Invalid(Exception):
    """Arguments that do not fit; says which, what was expected and what came."""


class NotOfType(Exception):
    """A value is not of its type; says what is."""


def parser(domain: Domain, params: tuple[Param, ...], paging: Mapping[str, tuple[int, int]]) -> Callable[[Any], dict[str, Any]]:
    """The function that reads the arguments of one tool.

    It gives the values sent, by parameter; a row parameter as its id, a list of rows as the list of ids.

    Args:
        paging: Integers that may be sent too, with the least and the greatest value of each.
    """
    known = {param.argument: (param.name, param.required, _parse(domain, param)) for param in params}
    known.update({name: (name, False, _between(_integer, low, high)) for name, (low, high) in paging.items() if name not in known})

    def parse(arguments: Any) -> dict[str, Any]:
        if not isinstance(arguments, dict):
            raise Invalid(f"arguments: expected an object, got {type(arguments).__name__}. Send the arguments by name.")
        for name in arguments:
            if name not in known:
                raise Invalid(f"argument {name!a}: expected one of {', '.join(known) or 'none'}, got an unknown one. Leave it out.")
        found = {}
        for argument, (name, required, read) in known.items():
            if argument in arguments:
                found[name] = _read(argument, read, arguments[argument])
            elif required:
                raise Invalid(f"argument '{argument}': expected a value, got nothing. Send it.")
        return found

    return parse


def _read(argument: str, read: Parse, value: Any) -> Any:
    try:
        return read(value)
    except NotOfType as error:
        raise Invalid(f"argument '{argument}': expected {error}, got {ascii(value)[:60]}. Correct it and call again.") from None


def _parse(domain: Domain, param: Param) -> Parse:
    field = domain.entity(param.of[0]).field(param.of[1]) if param.of else None
    read = _of_type(domain, param.type.required(), field)
    if param.type.optional or (isinstance(param.default, Const) and param.default.value is None):
        return lambda value: None if value is None else read(value)
    return read


def _of_type(domain: Domain, of: Type, field: Field | None) -> Parse:
    match of.kind:
        case "row":
            return _row([domain.entity(name) for name in of.entities])
        case "list" if of.item is not None and of.item.kind == "row":
            return _rows(_row([domain.entity(name) for name in of.item.entities]))
        case "list":
            item = _of_type(domain, of.item or of, field)
            return lambda value: [item(one) for one in _sized(list, value, "a list")]
        case "map":
            value_of, key_of = _of_type(domain, of.item or of, None), _text(TEXT_LENGTH)
            return lambda value: {key_of(key): value_of(one) for key, one in _sized(dict, value, "an object").items()}
        case "struct":
            return _struct(domain, of.name)
        case "enum":
            return _one_of(_words(domain, of.name))
        case _:
            return _limited(_scalar(of, field), field)


def _struct(domain: Domain, name: str) -> Parse:
    fields = {key: (of, _of_type(domain, of.required(), None)) for key, of in next(one.fields for one in domain.structs if one.name == name)}

    def parse(value: Any) -> dict[str, Any]:
        for key in _is(dict, value, "an object"):
            if key not in fields:
                raise NotOfType(f"an object of {', '.join(fields)}")
        found: dict[str, Any] = {}
        for key, (of, read) in fields.items():
            if key not in value and not of.optional:
                raise NotOfType(f"an object with {key}")
            held = value.get(key)
            found[key] = None if held is None and of.optional else read(held)
        return found

    return parse


def _is(kind: type, value: Any, expected: str) -> Any:
    if not isinstance(value, kind):
        raise NotOfType(expected)
    return value


def _sized(kind: type, value: Any, expected: str) -> Any:
    if len(_is(kind, value, expected)) > MOST_ITEMS:
        raise NotOfType(f"{expected} of at most {MOST_ITEMS} items")
    return value


def _words(domain: Domain, name: str) -> tuple[str, ...]:
    """Words of an enum; of a lifecycle, its states."""
    for one in domain.enums:
        if one.name == name:
            return one.words
    entity, _, field = name.partition(".")
    lifecycle = domain.entity(entity).field(field).lifecycle
    return lifecycle.states if lifecycle is not None else ()


def _row(entities: list[Entity]) -> Parse:
    shapes = [id_shape(one) for one in entities if one.id_kind == "counter"]
    free, read = len(shapes) < len(entities), _text(TEXT_LENGTH)

    accepted: set[str] = set()

    def parse(value: Any) -> str:
        if type(value) is str and value in accepted:
            return value
        text: str = read(value)
        if free and not 1 <= len(text) <= ID_LENGTH:
            raise NotOfType(f"an id of 1 to {ID_LENGTH} characters")
        if not free and not any(shape.fullmatch(text) for shape in shapes):
            raise NotOfType(f"an id like {' or '.join(one.id_pattern or one.name for one in entities)}")
        if len(accepted) < ACCEPTED:
            accepted.add(text)
        return text

    return parse


def _rows(read: Parse) -> Parse:
    def parse(value: Any) -> list[str]:
        keys = [read(one) for one in _sized(list, value, "a list of ids")]
        if len(set(keys)) < len(keys):
            raise NotOfType("a list of ids without repeats")
        return keys

    return parse


def _one_of(words: tuple[str | int, ...]) -> Parse:
    def parse(value: Any) -> Any:
        if isinstance(value, bool) or not isinstance(value, str | int | float) or value not in words:
            raise NotOfType(f"one of {', '.join(map(str, words))}")
        return value if isinstance(value, str) else int(value)

    return parse


def _limited(read: Parse, field: Field | None) -> Parse:
    """Values that the field declares as the only ones, or between constant limits."""
    if field is None:
        return read
    if field.closed:
        return _one_of(field.closed)
    low = field.low.value if isinstance(field.low, Const) else None
    high = field.high.value if isinstance(field.high, Const) else None
    if field.type.kind not in ("integer", "decimal", "money"):
        return read
    return _between(read, low, high)


def _between(read: Parse, low: Any, high: Any) -> Parse:
    def parse(value: Any) -> Any:
        found = read(value)
        if (low is not None and found < low) or (high is not None and found > high):
            raise NotOfType(f"a number from {low} to {high}")
        return found

    return parse


def _scalar(of: Type, field: Field | None) -> Parse:
    match of.kind:
        case "text":
            return _text(field.length if field is not None else TEXT_LENGTH)
        case "integer":
            return _integer
        case "money":
            return _number(2)
        case "decimal":
            return _number(of.places)
        case "bool":
            return lambda value: _is(bool, value, "true or false")
        case "date":
            return _moment(dt.date.fromisoformat, r"\d{4}-\d\d-\d\d", "a date like 2026-03-02")
        case "time":
            return _moment(dt.time.fromisoformat, r"\d\d:\d\d(:\d\d)?", "a time like 09:30:00")
        case "datetime":
            return _moment(dt.datetime.fromisoformat, r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?", "a date and time like 2026-03-02T09:30:00")
        case "duration":
            return _duration
        case kind:
            raise ValueError(f"no parameter can be a {kind}")


def _text(length: int) -> Parse:
    def parse(value: Any) -> Any:
        text = _is(str, value, "text")
        if len(text) > length or "\x00" in text or not (text.isascii() or all(ord(letter) not in SURROGATES for letter in text)):
            raise NotOfType(f"Unicode text of at most {length} characters")
        return text

    return parse


def _integer(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value != int(value):
        raise NotOfType("an integer")
    if abs(value) > LARGEST:
        raise NotOfType(f"an integer from -{LARGEST} to {LARGEST}")
    return int(value)


def _duration(value: Any) -> dt.timedelta:
    minutes = _integer(value)
    if abs(minutes) > MINUTES:
        raise NotOfType(f"at most {MINUTES} minutes")
    return dt.timedelta(minutes=minutes)


def _number(places: int) -> Parse:
    def parse(value: Any) -> Fraction:
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise NotOfType("a number")
        exact = Fraction(Decimal(repr(value)))
        if abs(exact) > MOST_MONEY or abs(exact) * 10**places > LARGEST or (exact * 10**places).denominator != 1:
            raise NotOfType(f"a number with at most {places} decimal places")
        return exact

    return parse


def _moment(read: Callable[[str], Any], shape: str, expected: str) -> Parse:
    pattern = re.compile(shape, re.ASCII)

    def parse(value: Any) -> Any:
        if not isinstance(value, str) or not pattern.fullmatch(value):
            raise NotOfType(expected)
        try:
            found = read(value)
        except ValueError:
            raise NotOfType(expected) from None
        if getattr(found, "year", 2000) not in YEARS:
            raise NotOfType(f"{expected} of the years {YEARS.start} to {YEARS.stop - 1}")
        return found

    return parse
