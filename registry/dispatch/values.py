"""Arguments of JSON to the values that generated code works with."""

import datetime as dt
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeVar

from registry.dispatch.limits import FIRST_YEAR, LARGEST, LAST_YEAR, LONGEST_MINUTES, TEXT_LENGTH, shown
from registry.package.errors import InvalidArguments
from registry.package.meta import ColumnMeta, ParameterMeta, StructMeta

Parse = Callable[[Any], Any]
Day = TypeVar("Day", bound=dt.date)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_TIME = re.compile(r"[0-9]{2}:[0-9]{2}(:[0-9]{2})?", re.ASCII)
_DATETIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2})?", re.ASCII)
DATE_EXPECTED = f"a date like 2026-03-02 of the years {FIRST_YEAR} to {LAST_YEAR}"
TIME_EXPECTED = "a time of day like 09:30:00"
DATETIME_EXPECTED = f"a date and time like 2026-03-02T09:30:00, without zone, of the years {FIRST_YEAR} to {LAST_YEAR}"


class Unfit(Exception):
    """A value is not of its kind; `expected` says what is."""

    def __init__(self, expected: str) -> None:
        super().__init__(expected)
        self.expected = expected


def parse_argument(argument: str, parse: Parse, value: Any) -> Any:
    """The parsed value.

    Raises:
        InvalidArguments: It does not parse; names argument, expected and got.
    """
    try:
        return parse(value)
    except Unfit as error:
        raise InvalidArguments(f"argument {argument!r}: expected {error.expected}, got {shown(value)}. Correct it and call again.") from None


def parser_for(parameter: ParameterMeta) -> Parse:
    """How values of a parameter are parsed; for rows, how their ids are."""
    if parameter.kind == "row":
        return _text
    if parameter.kind == "rows":
        return _distinct_ids
    if parameter.kind in ("list", "map"):
        element = _scalar(parameter.of or "text", parameter.places)
        return list_of(element) if parameter.kind == "list" else _map_of(element)
    return _scalar(parameter.kind, parameter.places)


def _scalar(kind: str, places: int) -> Parse:
    if kind in ("decimal", "money"):
        return _number_of(places if kind == "decimal" else places or 2)
    return _SCALARS[kind]


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise Unfit("text")
    if len(value) > TEXT_LENGTH:
        raise Unfit(f"text of at most {TEXT_LENGTH} characters")
    if "\x00" in value:
        raise Unfit("text without null characters")
    return value


def _integer(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
        raise Unfit("an integer")
    if abs(value) > LARGEST:
        raise Unfit(f"an integer between -{LARGEST} and {LARGEST}")
    return int(value)


def _bool(value: Any) -> bool:
    if not isinstance(value, bool):
        raise Unfit("true or false")
    return value


def _date(value: Any) -> dt.date:
    return _day(_DATE, dt.date.fromisoformat, value, DATE_EXPECTED)


def _time(value: Any) -> dt.time:
    if not isinstance(value, str) or not _TIME.fullmatch(value):
        raise Unfit(TIME_EXPECTED)
    try:
        return dt.time.fromisoformat(value)
    except ValueError:
        raise Unfit(TIME_EXPECTED) from None


def _datetime(value: Any) -> dt.datetime:
    return _day(_DATETIME, dt.datetime.fromisoformat, value, DATETIME_EXPECTED)


def _day(form: re.Pattern[str], read: Callable[[str], Day], value: Any, expected: str) -> Day:
    if not isinstance(value, str) or not form.fullmatch(value):
        raise Unfit(expected)
    try:
        day = read(value)
    except ValueError:
        raise Unfit(expected) from None
    if not FIRST_YEAR <= day.year <= LAST_YEAR:
        raise Unfit(expected)
    return day


def _duration(value: Any) -> dt.timedelta:
    minutes = _integer(value)
    if abs(minutes) > LONGEST_MINUTES:
        raise Unfit(f"whole minutes of at most {LONGEST_MINUTES}")
    return dt.timedelta(minutes=minutes)


def _number_of(places: int) -> Parse:
    unit = 10**places

    def number(value: Any) -> Fraction:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise Unfit("a number")
        if abs(value) * unit > LARGEST:
            raise Unfit(f"a number between -{LARGEST // unit} and {LARGEST // unit}")
        exact = Fraction(value) if isinstance(value, int) else Fraction(Decimal(repr(value)))
        if unit % exact.denominator:
            raise Unfit(f"a number with at most {places} decimal places")
        return exact

    return number


def _distinct_ids(value: Any) -> list[str]:
    ids = list_of(_text)(value)
    if len(set(ids)) < len(ids):
        raise Unfit("a list of ids without repeats")
    return list(ids)


def list_of(element: Parse) -> Parse:
    """How a list is parsed whose elements are parsed like that."""

    def parse(value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise Unfit("a list")
        return [element(one) for one in value]

    return parse


def _map_of(element: Parse) -> Parse:
    def parse(value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise Unfit("an object")
        return {_text(name): element(one) for name, one in value.items()}

    return parse


def struct_parser(shape: Callable[..., Any], meta: StructMeta) -> Parse:
    """How objects become structs.

    Args:
        shape: Class of the struct; takes its fields by name.
        meta: Kinds of the fields.
    """
    fields = [(field.name, _element(field)) for field in meta.fields]

    def parse(value: Any) -> Any:
        if not isinstance(value, dict):
            raise Unfit("an object")
        return shape(**{name: None if value.get(name) is None else element(value[name]) for name, element in fields})

    return parse


def _element(column: ColumnMeta) -> Parse:
    if column.kind in ("list", "map"):
        element = _scalar(column.of or "text", column.places)
        return list_of(element) if column.kind == "list" else _map_of(element)
    return _scalar(column.kind, column.places)


_SCALARS: dict[str, Parse] = {
    "text": _text,
    "enum": _text,
    "reference": _text,
    "integer": _integer,
    "bool": _bool,
    "date": _date,
    "time": _time,
    "datetime": _datetime,
    "duration": _duration,
}
