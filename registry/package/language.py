"""The functions of the seed language that compiled tools call."""

import calendar
import datetime as dt
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeVar, cast

from registry.package.kinds import MINUTE, shown_duration
from registry.package.numbers import ZERO, shown_number
from registry.package.row import Row, Struct

T = TypeVar("T")
U = TypeVar("U")
R = TypeVar("R", bound=Row)
S = TypeVar("S", bound=Struct)
Moment = TypeVar("Moment", dt.date, dt.datetime)
NO_TIME = dt.timedelta(0)
MOST_STEPS = 10_000
"""How many values steps() and slots() give at most."""


class Unset:
    """Type of `UNSET`, the value of a parameter that was not sent."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "UNSET"


UNSET = Unset()


def some(value: T | None) -> T:
    """The value, where the seed has made sure that it is not None."""
    if value is None:
        raise LookupError("a value that must be there is None")
    return value


def sent(value: T | Unset) -> T:
    """The value of a parameter, where the seed has made sure that it was sent."""
    if isinstance(value, Unset):
        raise LookupError("a parameter that must be there was not sent")
    return value


def total(values: Iterable[Fraction | int]) -> Fraction:
    """Sum of money or decimals, exact; 0 of nothing."""
    return Fraction(sum(values, ZERO))


def total_time(values: Iterable[dt.timedelta]) -> dt.timedelta:
    """Sum of durations."""
    return sum(values, NO_TIME)


def mean(values: Iterable[Fraction | int]) -> Fraction | None:
    """Exact mean; None of nothing."""
    held = list(values)
    return Fraction(sum(held, ZERO)) / len(held) if held else None


def mean_time(values: Iterable[dt.timedelta]) -> dt.timedelta | None:
    """Mean of durations; None of nothing."""
    held = list(values)
    return sum(held, NO_TIME) / len(held) if held else None


def least(values: Iterable[T], key: Callable[[T], Any] | None = None) -> T | None:
    """The smallest, the first of equal ones; None of nothing."""
    return min(values, key=cast("Callable[[T], Any]", key), default=None)


def greatest(values: Iterable[T], key: Callable[[T], Any] | None = None) -> T | None:
    """The greatest, the first of equal ones; None of nothing."""
    return max(values, key=cast("Callable[[T], Any]", key), default=None)


def first(values: Iterable[T]) -> T | None:
    """The first, or None of nothing."""
    return next(iter(values), None)


def distinct(values: Iterable[T]) -> list[T]:
    """The values without repeats, in the order of their first occurrences."""
    try:
        return list(dict.fromkeys(values))
    except TypeError:
        kept: list[T] = []
        for one in values:
            if one not in kept:
                kept.append(one)
        return kept


def pairs(left: Sequence[T], right: Sequence[U]) -> list[tuple[T, U]]:
    """First elements, second elements, … as far as both lists go."""
    return list(zip(left, right, strict=False))


def lookup(held: Mapping[str, T], key: str, otherwise: T) -> T:
    """The value of a key, or the last argument."""
    return held.get(key, otherwise)


@lru_cache(maxsize=256)
def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def matches(text: str, pattern: str) -> bool:
    """Whether the whole text matches."""
    return _pattern(pattern).fullmatch(text) is not None


def days(count: int) -> dt.timedelta:
    """A duration of so many days."""
    return dt.timedelta(days=count)


def hours(count: int) -> dt.timedelta:
    """A duration of so many hours."""
    return dt.timedelta(hours=count)


def minutes(count: int) -> dt.timedelta:
    """A duration of so many minutes."""
    return dt.timedelta(minutes=count)


def add_months(moment: Moment, months: int) -> Moment:
    """The same day so many months later, or the last day of that month."""
    year, month = divmod(moment.year * 12 + moment.month - 1 + months, 12)
    if not dt.MINYEAR <= year <= dt.MAXYEAR:
        raise OverflowError(f"year {year} is beyond the calendar")
    last = calendar.monthrange(year, month + 1)[1]
    return moment.replace(year=year, month=month + 1, day=min(moment.day, last))


def month_start(moment: dt.date) -> dt.date:
    """First day of the month."""
    return dt.date(moment.year, moment.month, 1)


def month_end(moment: dt.date) -> dt.date:
    """Last day of the month."""
    return dt.date(moment.year, moment.month, calendar.monthrange(moment.year, moment.month)[1])


def later(start: dt.time, by: dt.timedelta) -> dt.time:
    """A time of day moved by a duration, within the same day."""
    moved = dt.datetime.combine(dt.date(2000, 1, 2), start) + by
    if moved.date() != dt.date(2000, 1, 2):
        raise ArithmeticError("a time of day was moved past midnight")
    return moved.time()


def between(start: dt.time, end: dt.time) -> dt.timedelta:
    """Duration from one time of day to another."""
    return dt.timedelta(hours=end.hour - start.hour, minutes=end.minute - start.minute, seconds=end.second - start.second)


def times(span: dt.timedelta, factor: Fraction | int) -> dt.timedelta:
    """A duration times an exact number, rounded half to even to the microsecond."""
    exact = Fraction(span // dt.timedelta(microseconds=1)) * factor
    return dt.timedelta(microseconds=round(exact))


def span_ratio(span: dt.timedelta, other: dt.timedelta) -> Fraction:
    """How often one duration goes into another, exactly."""
    tick = dt.timedelta(microseconds=1)
    return Fraction(span // tick, other // tick)


def steps(start: T, end: T, step: Any) -> list[T]:
    """From start, by step, while less than end: integers, dates, datetimes or times of day.

    Raises:
        OverflowError: The step does not go forward, or there are too many values.
    """
    if isinstance(start, dt.time):
        day = dt.date(2000, 1, 2)
        through = steps(dt.datetime.combine(day, start), dt.datetime.combine(day, cast("dt.time", end)), step)
        return cast("list[T]", [moment.time() for moment in through])
    return _walk(start, end, step)


def _walk(at: Any, end: Any, step: Any) -> list[Any]:
    if at + step <= at:
        raise OverflowError("a step must go forward")
    found: list[Any] = []
    while at < end:
        if len(found) >= MOST_STEPS:
            raise OverflowError(f"more than {MOST_STEPS} steps")
        found.append(at)
        at = at + step
    return found


def slots(day: dt.date, opens: dt.time, closes: dt.time, step: dt.timedelta) -> list[dt.datetime]:
    """Datetimes of that day from opening, by step, before closing."""
    return steps(dt.datetime.combine(day, opens), dt.datetime.combine(day, closes), step)


def overlaps(start: dt.datetime, length: int, other: dt.datetime, other_length: int) -> bool:
    """Whether two stretches of time (minutes) meet; one that ends when the other starts does not."""
    # The one that starts first has to last until the other starts; the length of the later one says nothing, unless it is negative.
    if start < other and other_length >= 0:
        return other < start + _stretch(length)
    if other < start and length >= 0:
        return start < other + _stretch(other_length)
    return start < other + _stretch(other_length) and other < start + _stretch(length)


@lru_cache(maxsize=1 << 12)
def _stretch(length: int) -> dt.timedelta:
    """So many minutes: to remember them costs a third of multiplying."""
    return length * MINUTE


def within(start: dt.datetime, length: int, opens: dt.time, closes: dt.time) -> bool:
    """Whether a stretch of time lies on one day, starts at opening or later, ends at closing or earlier."""
    day = start.date()
    return dt.datetime.combine(day, opens) <= start and start + _stretch(length) <= dt.datetime.combine(day, closes)


def day(moment: dt.datetime) -> dt.date:
    """The date of a datetime."""
    return moment.date()


def only(value: Row, kind: type[R]) -> R:
    """The row, where the seed has made sure that it is of this kind."""
    if not isinstance(value, kind):
        raise LookupError(f"a row that must be a {kind.__name__} is not")
    return value


def replaced(value: S, **fields: object) -> S:
    """The struct with other values of some fields."""
    changed: S = replace(cast("Any", value), **fields)
    return changed


def nth(values: Sequence[T], index: int) -> T | None:
    """The element at this place, counted from 0, or from -1 backwards; None beyond the ends."""
    return values[index] if -len(values) <= index < len(values) else None


def exact(value: Fraction | int | None) -> Fraction | None:
    """A number as a fraction; None stays."""
    return None if value is None else Fraction(value)


def show(value: object, places: int | None = None) -> str:
    """A value as people read it; `places` are those of money and decimals."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Fraction | int):
        return str(value) if places is None and isinstance(value, int) else shown_number(value, 4 if places is None else places)
    if isinstance(value, dt.datetime | dt.time):
        return value.isoformat(timespec="seconds")
    if isinstance(value, dt.timedelta):
        return shown_duration(value)
    if isinstance(value, list | tuple):
        return ", ".join(show(one, places) for one in value)
    return str(value)
