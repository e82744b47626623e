"""Typed answers: lenient in writing, strict in value."""

import datetime as dt
import json
import re
from collections.abc import Callable
from decimal import Decimal

from registry.package.errors import PackageError
from registry.package.pack import TypedAnswer
from registry.score.lexicon import MONTHS, WEEKDAYS
from registry.score.text import Judged, same_text

LONGEST = 4_000
"""Characters of an answer that are read; no right answer is longer."""

_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,3}(?:[, '_\u00a0\u202f][0-9]{3})+|[0-9]+)(?:\.[0-9]+)?|[+-]?\.[0-9]+")
_CURRENCY = r"(?:[A-Za-z]{3}|[$\u20ac\u00a3\u00a5])"
_ISO_DATE = re.compile(r"([0-9]{4})[-/]([0-9]{1,2})[-/]([0-9]{1,2})")
_DAY_MONTH = re.compile(r"([0-9]{1,2})(?:st|nd|rd|th)?\.? (?:of )?([a-z]+)\.?,? ([0-9]{4})")
_MONTH_DAY = re.compile(r"([a-z]+)\.? ([0-9]{1,2})(?:st|nd|rd|th)?,? ([0-9]{4})")
_CLOCK = re.compile(r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:\.0+)?)? ?(am|pm|a\.m\.|p\.m\.)?")


def judge_answer(expected: TypedAnswer, actual: str | None) -> Judged:
    """Whether the submitted text is the right answer; PackageError where gold's own value is not of its kind."""
    parse = _PARSERS.get(expected.kind)
    right = parse(expected.value) if parse else expected.value
    if right is None:
        raise PackageError(f"gold answer: expected a {expected.kind}, got '{expected.value}'. Rebuild the task pack.")
    if actual is None or not actual.strip():
        blank = actual is not None and right == frozenset()
        return Judged(passed=blank, why="" if blank else "no answer")
    if len(actual) > LONGEST:
        return Judged(passed=False, why="too long")
    return _judged(expected, right, parse(actual)) if parse else same_text(expected.value, actual, required=expected.facts)


def _judged(expected: TypedAnswer, right: object, given: object | None) -> Judged:
    if given is None:
        return Judged(passed=False, why=f"not a {expected.kind}")
    if isinstance(right, Decimal) and isinstance(given, Decimal):
        return Judged(passed=abs(right - given) <= Decimal(expected.tolerance))
    return Judged(passed=right == given)


def _bare(text: str) -> str:
    """Without the quotes, spaces and final stop that people put around a value."""
    return re.sub(r"\s+", " ", text.replace("\u2212", "-")).strip(" \"'`").removesuffix(".").rstrip()


def parse_number(text: str) -> Decimal | None:
    """`12`, `-3.50`, `1,234.5`; None for anything else, so that no exponent, range or second number slips through."""
    bare = _bare(text)
    return Decimal(re.sub(r"[, '_\u00a0\u202f]", "", bare)) if _NUMBER.fullmatch(bare) else None


def parse_money(text: str) -> Decimal | None:
    """A number that may have one currency word or sign before or after it, as in `EUR 1,234.50`, `-$5`, `12.50 €`."""
    bare = re.sub(rf" ?{_CURRENCY}$", "", _bare(text))
    found = re.fullmatch(rf"([+-]?) ?(?:{_CURRENCY} ?)?([+-]?)([0-9.].*)", bare)
    if found is None or (found.group(1) and found.group(2)):
        return None
    return parse_number((found.group(1) or found.group(2)) + found.group(3))


def parse_date(text: str) -> dt.date | None:
    """ISO, or with the month as a word; a weekday before or after it must be right. Purely numeric other orders are ambiguous: None."""
    bare = _bare(text).casefold()
    midnight = re.fullmatch(r"(.*[0-9])[t ]00:00(?::00)?z?", bare)
    words = re.sub(r"[,()]", " ", midnight.group(1) if midnight else bare).split()
    weekdays = [WEEKDAYS[word] for word in words if word in WEEKDAYS]
    rest = " ".join(word for word in words if word not in WEEKDAYS and word not in ("on", "the"))
    found = _calendar(rest)
    return found if found is not None and all(found.isoweekday() == day for day in weekdays) else None


def _calendar(text: str) -> dt.date | None:
    iso, day_first, month_first = _ISO_DATE.fullmatch(text), _DAY_MONTH.fullmatch(text), _MONTH_DAY.fullmatch(text)
    if iso:
        parts: tuple[int, int, int] = (int(iso.group(1)), int(iso.group(2)), int(iso.group(3)))
    elif day_first and day_first.group(2) in MONTHS:
        parts = (int(day_first.group(3)), MONTHS[day_first.group(2)], int(day_first.group(1)))
    elif month_first and month_first.group(1) in MONTHS:
        parts = (int(month_first.group(3)), MONTHS[month_first.group(1)], int(month_first.group(2)))
    else:
        return None
    try:
        return dt.date(*parts)
    except ValueError:
        return None


def parse_datetime(text: str) -> dt.datetime | None:
    """A date and a time of day in either order; seconds may be missing, `Z` is ignored because no zone exists here."""
    bare = re.sub(r"(?<=[0-9])t(?=[0-9])", " ", _bare(text).casefold()).removesuffix("z")
    clock = _CLOCK.search(bare)
    if clock is None:
        return None
    before, after = bare[: clock.start()], bare[clock.end() :]
    date = parse_date(re.sub(r"\b(at|on)\b", " ", f"{before} {after}").strip(" ,"))
    hour, minute, second = int(clock.group(1)), int(clock.group(2)), int(clock.group(3) or 0)
    if clock.group(4):
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if clock.group(4).startswith("p") else 0)
    if date is None or hour > 23 or minute > 59 or second > 59:
        return None
    return dt.datetime.combine(date, dt.time(hour, minute, second))


def _parse_id(text: str) -> str | None:
    return _bare(text) or None


def _parse_bool(text: str) -> bool | None:
    word = _bare(text).casefold()
    return True if word in ("yes", "true", "y") else False if word in ("no", "false", "n") else None


def _parse_enum(text: str) -> str | None:
    return re.sub(r"[\s_-]+", " ", _bare(text).casefold()) or None


def _parse_set(text: str) -> frozenset[str | Decimal | dt.date]:
    """Elements between commas, semicolons or line ends, or a JSON list; order and repeats do not count; `none` is the empty set."""
    bare = text.strip()
    if bare.startswith("[") and bare.endswith("]"):
        try:
            listed = json.loads(bare)
        except ValueError:
            listed = bare[1:-1].split(",")
        parts = [str(part) for part in listed] if isinstance(listed, list) else []
    else:
        parts = re.split(r"[,;\n]|\band\b", bare) if re.search(r"[,;\n]", bare) or " and " in bare else [bare]
    kept = [_bare(re.sub(r"^[-*\u2022]\s+", "", part.strip())) for part in parts]
    if [part.casefold() for part in kept] in (["none"], ["nothing"], [""]):
        return frozenset()
    return frozenset(_element(part) for part in kept if part)


def _element(part: str) -> str | Decimal | dt.date:
    number = parse_number(part)
    if number is not None:
        return number
    return parse_date(part) or re.sub(r"[\s_]+", " ", part).casefold()


_PARSERS: dict[str, Callable[[str], object | None]] = {
    "number": parse_number,
    "money": parse_money,
    "date": parse_date,
    "datetime": parse_datetime,
    "id": _parse_id,
    "set": _parse_set,
    "bool": _parse_bool,
    "enum": _parse_enum,
}
