"""Generators of choices, numbers, dates and times."""

import datetime as dt
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from synth.data.stream import Stream

Moment = dt.date | dt.datetime | dt.timedelta
Stretch = tuple[dt.datetime, dt.datetime]
WAKES, RESTS = dt.time(7), dt.time(19)
"""When people do things, where nothing else is said."""

DAY = dt.timedelta(days=1)
MINUTE = dt.timedelta(minutes=1)


class Unmade(Exception):
    """There is nothing to choose from: the row is not made."""


class Slots(list[dt.datetime]):
    """Times of `slots_between`; `close` is when a day ends, so that nothing is put across it."""

    def __init__(self, times: Sequence[dt.datetime], close: dt.time) -> None:
        super().__init__(times)
        self.close = close


class Draws:
    """Draws choices, numbers, dates and times.

    Args:
        busy: Gives the stretches of time that rows take.
    """

    def __init__(self, stream: Stream, now: dt.datetime, busy: Callable[[Any, Sequence[Any], dt.timedelta], list[Stretch]]) -> None:
        self._stream = stream
        self._now = now
        self._busy = busy

    def pick(self, of: Sequence[Any], weights: Sequence[Any] | None = None) -> Any:
        """One element, by weight."""
        if not of:
            raise Unmade
        if weights is None:
            return self._stream.choice(of)
        return self._stream.weighted(of, [float(weight) for weight in weights][: len(of)])

    def some(self, of: Sequence[Any], low: int, high: int) -> list[Any]:
        """So many different elements, in the order of the list."""
        return self._stream.sample(of, self._stream.between(low, high))

    def chance(self, share: Fraction) -> bool:
        """True with this probability."""
        return self._stream.chance(float(share))

    def integer(self, low: int, high: int, usual: int | None = None) -> int:
        """An integer, both ends included."""
        return self._stream.between(low, high) if usual is None else self._stream.near(low, high, usual)

    def decimal(self, low: Fraction, high: Fraction, usual: Fraction | None = None) -> Fraction:
        """A number in thousandths; its field rounds it."""
        first, last = round(Fraction(low) * 1000), round(Fraction(high) * 1000)
        drawn = self._stream.between(first, last) if usual is None else self._stream.near(first, last, round(Fraction(usual) * 1000))
        return Fraction(drawn, 1000)

    def pick_free(self, run: Any, taken: Sequence[Any], minutes: int, times: Sequence[dt.datetime]) -> dt.datetime:
        """One of the times at which none of the rows is going on."""
        length = int(minutes) * MINUTE
        stretches, close = self._busy(run, taken, length), times.close if isinstance(times, Slots) else None
        for _ in range(min(24, 2 * len(times))):
            start = self._stream.choice(times)
            if _free(start, length, stretches, close):
                return start
        return self._stream.choice(self._all_free(length, stretches, times, close))

    def _all_free(self, length: dt.timedelta, stretches: list[Stretch], times: Sequence[dt.datetime], close: dt.time | None) -> list[dt.datetime]:
        free = [start for start in times if _free(start, length, stretches, close)]
        if not free:
            raise Unmade
        return free

    def slots_between(self, first: Moment, last: Moment, open: dt.time, close: dt.time, step: dt.timedelta) -> Slots:
        """Slots of all days from first to last."""
        return _slots(self._date(first), self._date(last), open, close, step)

    def date_between(self, first: Moment, last: Moment) -> dt.date:
        """A date, both ends included; the first if the last is before it."""
        low, high = self._date(first), self._date(last)
        return low + DAY * self._stream.between(0, max((high - low).days, 0))

    def datetime_between(self, first: Moment, last: Moment) -> dt.datetime:
        """A full minute in between, by day where there is a choice; the first if the last is before it."""
        low, high = self._moment(first, WAKES), self._moment(last, RESTS)
        low = low if low == low.replace(second=0, microsecond=0) else low.replace(second=0, microsecond=0) + MINUTE
        date = low.date() + DAY * self._stream.between(0, max((high.date() - low.date()).days, 0))
        earliest, latest = max(low, dt.datetime.combine(date, WAKES)), min(high, dt.datetime.combine(date, RESTS))
        if latest < earliest:
            earliest, latest = low, high
        return earliest + MINUTE * self._stream.between(0, max((latest - earliest) // MINUTE, 0))

    def time_between(self, first: dt.time, last: dt.time, step: dt.timedelta = 5 * MINUTE) -> dt.time:
        """A time of day on the step, both ends included."""
        low, high = _since_midnight(first), _since_midnight(last)
        return (dt.datetime.combine(self._now, dt.time(0)) + low + step * self._stream.between(0, max((high - low) // step, 0))).time()

    def _moment(self, value: Moment, at: dt.time) -> dt.datetime:
        if isinstance(value, dt.timedelta):
            return self._now + value
        return value if isinstance(value, dt.datetime) else dt.datetime.combine(value, at)

    def _date(self, value: Moment) -> dt.date:
        return self._moment(value, dt.time(0)).date()


def _free(start: dt.datetime, length: dt.timedelta, stretches: list[Stretch], close: dt.time | None) -> bool:
    end = start + length
    if close is not None and end > dt.datetime.combine(start.date(), close):
        return False
    return all(end <= other_start or other_end <= start for other_start, other_end in stretches)


def _since_midnight(value: dt.time) -> dt.timedelta:
    return dt.timedelta(hours=value.hour, minutes=value.minute, seconds=value.second)


@lru_cache(maxsize=256)
def _slots(first: dt.date, last: dt.date, opens: dt.time, closes: dt.time, step: dt.timedelta) -> Slots:
    if step <= dt.timedelta(0):
        raise Unmade
    times = []
    for number in range((last - first).days + 1):
        at = dt.datetime.combine(first + DAY * number, opens)
        while at < dt.datetime.combine(first + DAY * number, closes):
            times.append(at)
            at += step
    return Slots(times, closes)
