"""Values of the seed language in their four forms: stored, computed, JSON, and as people read them."""

import datetime as dt
import json
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

from registry.package.change import Stored
from synth.lang.types import Type
from synth.reference.exact import half_even

Convert = Callable[[Any], Any]

MINUTE = dt.timedelta(minutes=1)


class Unset:
    """The one value `UNSET`: a parameter that was not sent."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "UNSET"


UNSET = Unset()


def canonical(value: Any) -> str:
    """JSON text with sorted keys and no spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def as_it_is(value: Any) -> Any:
    """The same value: the two forms are one."""
    return value


def _optional(convert: Convert) -> Convert:
    return convert if convert is as_it_is else lambda value: None if value is None else convert(value)


def _remembered(convert: Convert) -> Convert:
    """The same, None for None; what was converted lately is looked up, which takes no call of Python."""
    return lru_cache(maxsize=1 << 15)(_optional(convert))


_decode_date = _remembered(dt.date.fromisoformat)
_decode_time = _remembered(dt.time.fromisoformat)
_decode_datetime = _remembered(dt.datetime.fromisoformat)
span_of_minutes = _remembered(lambda value: value * MINUTE)


@lru_cache
def _decode_scaled(places: int) -> Convert:
    scale = 10**places
    return _remembered(lambda value: Fraction(value, scale))


@lru_cache(maxsize=1 << 12)
def _loads(text: str) -> Any:
    return json.loads(text)


def decoder(of: Type) -> Convert:
    """Stored to computed form. Of rows and structs only the columns have a stored form, which `evaluate` puts together."""
    match of.kind:
        case "money":
            return _decode_scaled(2)
        case "decimal":
            return _decode_scaled(of.places)
        case "bool":
            return _optional(bool)
        case "date":
            return _decode_date
        case "time":
            return _decode_time
        case "datetime":
            return _decode_datetime
        case "duration":
            return span_of_minutes
        case "list":
            item = decoder(_item(of))
            return _optional(lambda text: [item(one) for one in _loads(text)])
        case "map":
            value_of = decoder(_item(of))
            return _optional(lambda text: {key: value_of(one) for key, one in _loads(text).items()})
        case _:
            return as_it_is


def constant(value: Any, of: Type) -> Any:
    """Computed form of a literal: dates and times are written as text, durations as minutes, all else as it is."""
    return decoder(of)(value) if of.kind in ("date", "time", "datetime", "duration") else value


def _item(of: Type) -> Type:
    if of.item is None:
        raise ValueError(f"a {of.kind} type without a type of its elements")
    return of.item


def encoder(of: Type) -> Callable[[Any], Stored]:
    """Computed to stored form; numbers are rounded half to even here and nowhere else."""
    return _optional(_encoder(of))


def _encoder(of: Type) -> Convert:
    match of.kind:
        case "money" | "decimal":
            places = 2 if of.kind == "money" else of.places
            return lambda value: half_even(value, places)
        case "integer":
            return lambda value: value if isinstance(value, int) else round(value)
        case "bool":
            return int
        case "date":
            return lambda value: value.isoformat()
        case "time" | "datetime":
            return lambda value: value.isoformat(timespec="seconds")
        case "duration":
            return lambda value: round(Fraction(value // dt.timedelta(microseconds=1), 60_000_000))
        case "row":
            return lambda value: value.key
        case "list":
            item = encoder(_item(of))
            return lambda value: canonical([item(one) for one in value])
        case "map":
            value_of = encoder(_item(of))
            return lambda value: canonical({key: value_of(one) for key, one in value.items()})
        case _:
            return as_it_is


def number_json(value: Fraction | int, places: int) -> float:
    """A JSON number with so many places."""
    return half_even(value, places) / float(10**places)


def shown_places(of: Type) -> int:
    """Places with which a number of this type is shown: 2 for money, those of a decimal, 4 for a quotient."""
    return 2 if of.kind == "money" else of.places or 4


def stored_json(of: Type) -> Convert:
    """Stored form to JSON, of scalars and of lists and maps of scalars."""
    return _optional(_stored_json(of))


def _stored_json(of: Type) -> Convert:
    match of.kind:
        case "money" | "decimal":
            scale = 10 ** (2 if of.kind == "money" else of.places)
            return lambda value: value / scale
        case "bool":
            return bool
        case "list":
            item = stored_json(_item(of))
            return lambda text: [item(one) for one in _loads(text)]
        case "map":
            value_of = stored_json(_item(of))
            return lambda text: {key: value_of(one) for key, one in _loads(text).items()}
        case _:
            return as_it_is


def scalar_json(of: Type) -> Convert:
    """Computed form to JSON, of scalars and of lists and maps of scalars."""
    return _optional(_scalar_json(of))


def _scalar_json(of: Type) -> Convert:
    match of.kind:
        case "money" | "decimal":
            places = shown_places(of)
            return lambda value: number_json(value, places)
        case "date" | "time" | "datetime" | "duration":
            return encoder(of)
        case "list":
            item = scalar_json(_item(of))
            return lambda value: [item(one) for one in value]
        case "map":
            value_of = scalar_json(_item(of))
            return lambda value: {key: value_of(one) for key, one in value.items()}
        case _:
            return as_it_is


def fixed(value: Fraction | int, places: int) -> str:
    """A number with exactly so many places, such as `12.50`."""
    scaled = half_even(value, places)
    digits = f"{abs(scaled):0{places + 1}}"
    whole, rest = (digits[:-places], digits[-places:]) if places else (digits, "")
    return f"{'-' if scaled < 0 else ''}{whole}{'.' if rest else ''}{rest}"


def scalar_shown(of: Type) -> Callable[[Any], str]:
    """Computed form to what an f-string shows, of scalars and lists of them."""
    shown = _scalar_shown(of)
    return lambda value: "none" if value is None else shown(value)


def _scalar_shown(of: Type) -> Callable[[Any], str]:
    match of.kind:
        case "money" | "decimal":
            places = shown_places(of)
            return lambda value: fixed(value, places)
        case "bool":
            return lambda value: "yes" if value else "no"
        case "date":
            return lambda value: str(value.isoformat())
        case "time" | "datetime":
            return lambda value: str(value.isoformat(timespec="seconds"))
        case "duration":
            return lambda value: f"{encoder(of)(value)} minutes"
        case "list":
            item = scalar_shown(_item(of))
            return lambda value: ", ".join(item(one) for one in value)
        case "map":
            one_of = scalar_shown(_item(of))
            return lambda value: ", ".join(f"{key}: {one_of(one)}" for key, one in value.items())
        case _:
            return str
