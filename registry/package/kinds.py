"""Kinds of scalar values: how each is stored, computed with, sent as JSON, read from JSON, and shown."""

import datetime as dt
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from registry.package.change import Stored
from registry.package.numbers import scaled, shown_number, unscaled

MINUTE = dt.timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind. None is handled by the callers.

    Attributes:
        decode: Stored to computed form.
        encode: Computed to stored form.
        json: Stored form to JSON.
        parse: A valid JSON argument to computed form.
        show: Computed form to what people read.
        plain: Stored and computed form are the same.
        same_json: Stored form and JSON are the same.
    """

    name: str
    decode: Callable[[Any], Any]
    encode: Callable[[Any], Stored]
    json: Callable[[Any], Any]
    parse: Callable[[Any], Any]
    show: Callable[[Any], str]
    plain: bool = False
    same_json: bool = False


def canonical_text(value: Any) -> str:
    """JSON text with sorted keys and no spaces, letters as they are."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _same(value: Any) -> Any:
    return value


@lru_cache(maxsize=1 << 13)
def _date(text: str) -> dt.date:
    return dt.date.fromisoformat(text)


@lru_cache(maxsize=1 << 13)
def _time(text: str) -> dt.time:
    return dt.time.fromisoformat(text)


@lru_cache(maxsize=1 << 13)
def _datetime(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text)


def _seconds(value: dt.datetime | dt.time) -> str:
    return value.isoformat(timespec="seconds")


def _day(value: dt.date) -> str:
    return value.isoformat()


def whole_minutes(value: dt.timedelta) -> int:
    """A duration in minutes, rounded half to even."""
    whole, rest = divmod(value, MINUTE)
    return whole + (rest * 2 > MINUTE or (rest * 2 == MINUTE and whole % 2 == 1))


def shown_duration(value: dt.timedelta) -> str:
    """How people read a duration: `30 minutes`."""
    return f"{whole_minutes(value)} minutes"


def _yes_no(value: bool) -> str:  # noqa: FBT001 the value itself
    return "yes" if value else "no"


TEXT = Kind(name="text", decode=_same, encode=_same, json=_same, parse=_same, show=str, plain=True, same_json=True)
INTEGER = Kind(name="integer", decode=_same, encode=int, json=_same, parse=int, show=str, plain=True, same_json=True)
BOOL = Kind(name="bool", decode=bool, encode=int, json=bool, parse=bool, show=_yes_no)
DATE = Kind(name="date", decode=_date, encode=_day, json=_same, parse=_date, show=_day, same_json=True)
TIME = Kind(name="time", decode=_time, encode=_seconds, json=_same, parse=_time, show=_seconds, same_json=True)
DATETIME = Kind(name="datetime", decode=_datetime, encode=_seconds, json=_same, parse=_datetime, show=_seconds, same_json=True)
DURATION = Kind(
    name="duration",
    decode=lambda stored: stored * MINUTE,
    encode=whole_minutes,
    json=_same,
    parse=lambda value: int(value) * MINUTE,
    show=shown_duration,
    same_json=True,
)


def number_kind(places: int) -> Kind:
    """Money (2 places) and decimals: stored as an integer, computed as a fraction."""
    factor = 10**places
    return Kind(
        name="number",
        decode=lambda stored: unscaled(stored, places),
        encode=lambda value: scaled(value, places),
        json=lambda stored: stored / factor,
        parse=lambda value: Fraction(str(value)),
        show=lambda value: shown_number(value, places),
    )


def list_kind(item: Kind) -> Kind:
    """A list of scalars, stored as JSON text whose elements have their own stored form."""
    return Kind(
        name="list",
        decode=lambda stored: [item.decode(one) for one in json.loads(stored)],
        encode=lambda value: canonical_text([item.encode(one) for one in value]),
        json=lambda stored: [item.json(one) for one in json.loads(stored)],
        parse=lambda value: [item.parse(one) for one in value],
        show=lambda value: ", ".join(item.show(one) for one in value),
    )


def map_kind(item: Kind) -> Kind:
    """A map from text to scalars, stored as JSON text."""

    def each(convert: Callable[[Any], Any], held: Mapping[str, Any]) -> dict[str, Any]:
        return {key: None if one is None else convert(one) for key, one in held.items()}

    return Kind(
        name="map",
        decode=lambda stored: each(item.decode, json.loads(stored)),
        encode=lambda value: canonical_text(each(item.encode, value)),
        json=lambda stored: each(item.json, json.loads(stored)),
        parse=lambda value: each(item.parse, value),
        show=lambda value: ", ".join(f"{key}: {item.show(one)}" for key, one in value.items()),
    )
