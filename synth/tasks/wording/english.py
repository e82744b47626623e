"""How people write values, names and small grammar in English."""

import datetime as dt
import re
from fractions import Fraction

from synth.lang.types import Type

MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December")
MONEY_PLACES = 2
NEAR_DAYS = 60
"""Within so many days people name the day of the week."""
STIFF = frozenset("none other in out on off no yes not n/a unknown".split())
"""Words of an enum that would be read as part of the sentence and not as a value."""
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def words_of(name: str) -> str:
    """A field, enum word or entity name as plain words: `cancel_reason` and `CancelReason` give `cancel reason`."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).replace("_", " ")
    return spaced.strip().lower()


def enum_words(word: str) -> str:
    """An enum word as people write it."""
    return word.replace("_", " ")


def article(noun: str) -> str:
    """`a` or `an` before `noun`, by its first sound."""
    word = noun.strip().lower()
    if re.match(r"(?:hour|honest|heir|honour)", word):
        return "an"
    if re.match(r"(?:uni(?!n)|use|user|euro|one\b|once)", word):
        return "a"
    return "an" if word[:1] in "aeiou" else "a"


def possessive(name: str) -> str:
    """`Ruth Moore's`, `the Jones family's`, `James'`."""
    return name + ("'" if name.endswith("s") else "'s")


def say_date(value: dt.date, today: dt.date) -> str:
    """`Thursday 5 March`; without the weekday when it is months away, with the year when it is another one than today's."""
    text = f"{value.day} {MONTHS[value.month - 1]}"
    if abs((value - today).days) <= NEAR_DAYS:
        text = f"{DAYS[value.weekday()]} {text}"
    return text if value.year == today.year else f"{text} {value.year}"


def say_time(value: dt.time) -> str:
    """`10:30`; seconds only where there are some."""
    return value.strftime("%H:%M:%S") if value.second else value.strftime("%H:%M")


def say_duration(value: dt.timedelta) -> str:
    """`2 days`, `90 minutes`, `1 hour`."""
    minutes = int(value.total_seconds()) // 60
    for unit, size in (("day", 1440), ("hour", 60)):
        if minutes and minutes % size == 0:
            count = minutes // size
            return f"{count} {unit}" + ("" if count == 1 else "s")
    return f"{minutes} minute" + ("" if minutes == 1 else "s")


def say_number(value: int | Fraction, places: int) -> str:
    """`1,200`, `12.50`, `4.5`: no zeros after the point but for money's two places."""
    if isinstance(value, int):
        return f"{value:,}"
    text = f"{float(value):,.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text and places != MONEY_PLACES else text


def say(value: object, kind: Type, today: dt.date) -> str:
    """One value as a person would write it in a message.

    Args:
        value: A value of the language (not stored form): text, int, Fraction, bool, date, …
        kind: Its type.
        today: The day of the message, for leaving out the year.
    """
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dt.datetime):
        return f"{say_date(value.date(), today)} at {say_time(value.time())}"
    if isinstance(value, dt.date):
        return say_date(value, today)
    if isinstance(value, dt.time):
        return say_time(value)
    if isinstance(value, dt.timedelta):
        return say_duration(value)
    if kind.kind == "money" and isinstance(value, (int, Fraction)):
        return say_number(Fraction(value), 2).removesuffix(".00")
    if isinstance(value, (int, Fraction)):
        return say_number(value, kind.places)
    if isinstance(value, (list, tuple)):
        item = kind.item or kind
        return and_list([say(one, item, today) for one in value])
    return enum_words(str(value)) if kind.kind == "enum" else str(value)


def is_plural(noun: str) -> bool:
    """Whether the main word of a noun phrase is a plural: `payment terms`, not `address`, `status`, `number of packs`, `length in minutes`."""
    head = re.split(r" (?:in|of|for|until|on|at|from|to|with)\b", noun)[0]
    last = head.rsplit(" ", 1)[-1].lower()
    return last.endswith("s") and not last.endswith(("ss", "us", "is", "'s")) and last not in ("species", "series", "means")


_GOES_ON = re.compile(r"'s? | (?:of|in|on|from|to|at|about|against|for|with) |\(")


def of_or_own(named: str, whose: str) -> bool:
    """Whether `the status of the case about …` is better than `the case about …'s status`: where the words for the owner go on after its name."""
    return named.startswith("number of ") or whose.startswith("the ") or whose.endswith("s") or _GOES_ON.search(whose) is not None


def be(noun: str) -> str:
    """`is` or `are`, for the subject `noun`."""
    return "are" if is_plural(noun) else "is"


def quoted(word: str) -> str:
    """The word in quotation marks."""
    return f'"{word}"'


def and_list(items: list[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    if len(items) < 2:
        return "".join(items)
    return ", ".join(items[:-1]) + " and " + items[-1]
