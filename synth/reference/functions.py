"""What the functions and methods of the language give for computed values."""

import calendar
import datetime as dt
import re
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache
from typing import Any

from synth.reference.run import Fault
from synth.reference.values import MINUTE

LONGEST = 10_000
"""Most elements that `steps` and `slots` give."""


def exact_span(value: dt.timedelta) -> int:
    """A duration in microseconds."""
    return value // dt.timedelta(microseconds=1)


def span(microseconds: Fraction | int) -> dt.timedelta:
    """A duration of so many microseconds, rounded half to even."""
    return dt.timedelta(microseconds=round(microseconds))


def span_of(unit: dt.timedelta) -> Callable[[Fraction | int], dt.timedelta]:
    """The function that gives so many units."""
    size = exact_span(unit)
    return lambda count: span(count * size)


def shift_time(value: dt.time, by: dt.timedelta) -> dt.time:
    """A time of day so much later on the same day."""
    start = dt.date(2000, 1, 2)
    moved = dt.datetime.combine(start, value) + by
    if moved.date() != start:
        raise Fault("a time of day was moved past midnight")
    return moved.time()


def time_span(value: dt.time) -> dt.timedelta:
    """How long after midnight a time is."""
    return dt.timedelta(hours=value.hour, minutes=value.minute, seconds=value.second, microseconds=value.microsecond)


def add_months(value: Any, months: int) -> Any:
    """The same day so many months later, or the last of that month."""
    count = value.year * 12 + value.month - 1 + months
    year, month = divmod(count, 12)
    if not dt.MINYEAR <= year <= dt.MAXYEAR:
        raise OverflowError(f"year {year} is out of range")
    last = calendar.monthrange(year, month + 1)[1]
    return value.replace(year=year, month=month + 1, day=min(value.day, last))


def day(value: Any) -> dt.date:
    """The date of a date or datetime."""
    return value.date() if isinstance(value, dt.datetime) else value


def month_start(value: Any) -> dt.date:
    """First day of the month."""
    return day(value).replace(day=1)


def month_end(value: Any) -> dt.date:
    """Last day of the month."""
    date = day(value)
    return date.replace(day=calendar.monthrange(date.year, date.month)[1])


def steps(first: Any, last: Any, step: Any) -> list[Any]:
    """From first by step, while less than last."""
    if isinstance(first, dt.time):
        return [shift_time(dt.time(), one) for one in steps(time_span(first), time_span(last), step)]
    if not step > type(step)():
        raise OverflowError("steps needs a step above zero")
    found: list[Any] = []
    while first < last:
        if len(found) >= LONGEST:
            raise OverflowError("steps gives too many values")
        found.append(first)
        first = first + step
    return found


def slots(date: dt.date, opening: dt.time, closing: dt.time, step: dt.timedelta) -> list[dt.datetime]:
    """Times of one day from opening, by step, before closing."""
    return steps(dt.datetime.combine(date, opening), dt.datetime.combine(date, closing), step)


def overlaps(start: dt.datetime, minutes: int, other: dt.datetime, other_minutes: int) -> bool:
    """Whether two half open stretches meet."""
    return start < other + _stretch(other_minutes) and other < start + _stretch(minutes)


@lru_cache(maxsize=1 << 12)
def _stretch(minutes: int) -> dt.timedelta:
    """So many minutes: to remember them costs a third of multiplying, and an invariant asks for them for each pair of rows."""
    return minutes * MINUTE


def within(start: dt.datetime, minutes: int, opening: dt.time, closing: dt.time) -> bool:
    """Whether a stretch lies on one day between opening and closing."""
    date = start.date()
    return start >= dt.datetime.combine(date, opening) and start + minutes * MINUTE <= dt.datetime.combine(date, closing)


def distinct(values: Iterable[Any]) -> list[Any]:
    """First occurrences."""
    found: list[Any] = []
    for value in values:
        if value not in found:
            found.append(value)
    return found


def rounded(value: Fraction | int, places: int | None = None) -> Fraction | int:
    """Half to even; an integer if no places are given."""
    if places is None:
        return round(value)
    return round(Fraction(value), places)


def lookup(mapping: dict[str, Any], key: str, otherwise: Any) -> Any:
    """The value of a key, or the other one."""
    return mapping.get(key, otherwise)


@lru_cache(maxsize=1024)
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text)


def matches(text: str, pattern: str) -> bool:
    """Whether the whole text fits the pattern."""
    return _pattern(pattern).fullmatch(text) is not None


def zipped(*lists: list[Any]) -> list[tuple[Any, ...]]:
    """Tuples of elements at equal places, as long as the shortest list."""
    return list(zip(*lists, strict=False))


PLAIN: dict[str, Callable[..., Any]] = {
    "len": len,
    "count": len,
    "distinct": distinct,
    "zip": zipped,
    "abs": abs,
    "round": rounded,
    "lookup": lookup,
    "matches": matches,
    "days": span_of(dt.timedelta(days=1)),
    "hours": span_of(dt.timedelta(hours=1)),
    "minutes": span_of(MINUTE),
    "add_months": add_months,
    "month_start": month_start,
    "month_end": month_end,
    "steps": steps,
    "slots": slots,
    "overlaps": overlaps,
    "within": within,
    "day": day,
}
"""Functions that need nothing but the values of their arguments."""

METHODS: dict[str, Callable[..., Any]] = {
    "lower": str.lower,
    "strip": str.strip,
    "startswith": str.startswith,
    "endswith": str.endswith,
    "split": str.split,
    "join": str.join,
    "weekday": lambda moment: moment.weekday(),
}
