"""Reads values written in YAML by their type: constants, closed values, times."""

import re
from datetime import date, datetime, time
from fractions import Fraction

from synth.lang.nodes import Const, Display, Node, Record, Where
from synth.lang.problems import advice
from synth.lang.types import TEXT, Type
from synth.seed.reading import Reading, Step

_UNITS = {"minute": 1, "hour": 60, "day": 1440, "week": 10080}
Path = tuple[Step, ...]


def literal(reading: Reading, value: object, kind: Type, path: Path) -> Node | None:
    """The node of a value; None after a problem.

    Dates, times and datetimes become ISO text with seconds, durations whole minutes.
    """
    where = reading.where(*path)
    if kind.kind == "list" and kind.item is not None:
        return _list(reading, value, kind, path, where)
    if kind.kind == "map" and kind.item is not None:
        return _map(reading, value, kind, path, where)
    if not isinstance(value, str):
        reading.add(path, expected=_EXPECTED.get(kind.kind, kind.kind), got="a list or mapping", fix="Write one value", code="BAD_VALUE")
        return None
    parsed = _scalar(reading, value.strip(), kind)
    if parsed is None:
        fix = "Write it so"
        if kind.kind == "enum" and kind.name in reading.names.enums:
            fix = advice(value, reading.names.enums[kind.name].words, "word")
        reading.add(path, expected=_EXPECTED.get(kind.kind, kind.name), got=repr(value), fix=fix, code="BAD_VALUE")
        return None
    return Const(where=where, type=kind, value=parsed)


_EXPECTED = {
    "text": "a text",
    "integer": "a whole number",
    "decimal": "a decimal such as 0.25",
    "money": "an amount such as 12.50",
    "bool": "true or false",
    "date": "a date such as 2026-03-02",
    "time": "a time such as 09:00",
    "datetime": "a datetime such as 2026-03-02T09:00",
    "duration": "a duration such as 30 minutes, 2 hours or 1 day",
    "enum": "a word of the enum",
}


def _scalar(reading: Reading, text: str, kind: Type) -> str | int | bool | Fraction | None:
    if kind.kind == "integer":
        return int(text) if re.fullmatch(r"-?\d{1,15}", text) else None
    if kind.kind in ("decimal", "money"):
        return Fraction(text) if re.fullmatch(r"-?\d{1,15}(\.\d{1,8})?", text) else None
    if kind.kind == "bool":
        return text == "true" if text in ("true", "false") else None
    if kind.kind == "enum":
        return text if kind.name in reading.names.enums and text in reading.names.enums[kind.name].words else None
    if kind.kind == "duration":
        return duration(text)
    return moment(text, kind.kind) if kind.kind in ("date", "time", "datetime") else text


def duration(text: str) -> int | None:
    """Whole minutes of `30 minutes`, `1 day`; None if it is no duration."""
    match = re.fullmatch(r"(\d{1,6}) (minute|hour|day|week)s?", text)
    return int(match[1]) * _UNITS[match[2]] if match else None


def moment(text: str, kind: str) -> str | None:
    """ISO text with seconds of a date, time or datetime; None if it is none."""
    try:
        if kind == "date":
            return date.fromisoformat(text).isoformat() if re.fullmatch(r"\d{4}-\d\d-\d\d", text) else None
        if kind == "time":
            return time.fromisoformat(text).isoformat() if re.fullmatch(r"\d\d:\d\d(:\d\d)?", text) else None
        pattern = r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?"
        return datetime.fromisoformat(text).isoformat() if re.fullmatch(pattern, text) else None
    except ValueError:
        return None


def _list(reading: Reading, value: object, kind: Type, path: Path, where: Where) -> Node | None:
    if not isinstance(value, list) or kind.item is None:
        reading.add(path, expected="a list", got=repr(value), fix="Write [a, b]", code="BAD_VALUE")
        return None
    items = [literal(reading, one, kind.item, (*path, number)) for number, one in enumerate(value)]
    return Display(where=where, type=kind, items=tuple(one for one in items if one is not None))


def _map(reading: Reading, value: object, kind: Type, path: Path, where: Where) -> Node | None:
    if not isinstance(value, dict) or kind.item is None:
        reading.add(path, expected="a mapping", got=repr(value), fix="Write {key: value}", code="BAD_VALUE")
        return None
    entries: list[tuple[Node, Node]] = []
    for key, one in value.items():
        node = literal(reading, one, kind.item, (*path, key))
        if node is not None:
            entries.append((Const(where=reading.where_key(*path, key), type=TEXT, value=str(key)), node))
    return Record(where=where, type=kind, entries=tuple(entries))
