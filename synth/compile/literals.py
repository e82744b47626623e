"""Literals of generated code: hostile text comes out inert, in the same bytes on every Python version."""

import datetime as dt
from fractions import Fraction

_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def text(value: str, quote: str = '"') -> str:
    """A Python string literal of the value, on one line, in ASCII and printable letters only."""
    return f"{quote}{escaped(value, quote)}{quote}"


def escaped(value: str, quote: str = '"') -> str:
    """The inside of a literal."""
    return "".join(_escape(letter, quote) for letter in value)


def _escape(letter: str, quote: str) -> str:
    if letter == quote:
        return "\\" + letter
    if letter in _ESCAPES:
        return _ESCAPES[letter]
    if letter.isascii():
        return letter if " " <= letter <= "~" else f"\\x{ord(letter):02x}"
    return letter if _harmless(letter) else f"\\u{ord(letter):04x}" if ord(letter) < 0x10000 else f"\\U{ord(letter):08x}"


def _harmless(letter: str) -> bool:
    """Letters of Latin, Greek and Cyrillic print as they are; what may mislead a reader (direction, width, look) is escaped."""
    return 0xA1 <= ord(letter) < 0x250 and ord(letter) != 0xAD


def number(value: Fraction) -> str:
    """An exact number."""
    return f"Fraction({value.numerator})" if value.denominator == 1 else f"Fraction({value.numerator}, {value.denominator})"


def moment(value: dt.date | dt.time | dt.timedelta) -> str:
    """A date, datetime, time or duration."""
    if isinstance(value, dt.datetime):
        return f"dt.datetime({value.year}, {value.month}, {value.day}, {value.hour}, {value.minute}{_seconds(value.second)})"
    if isinstance(value, dt.date):
        return f"dt.date({value.year}, {value.month}, {value.day})"
    if isinstance(value, dt.time):
        return f"dt.time({value.hour}, {value.minute}{_seconds(value.second)})"
    minutes, rest = divmod(value, dt.timedelta(minutes=1))
    return f"dt.timedelta(minutes={minutes})" if not rest else f"dt.timedelta(seconds={value // dt.timedelta(seconds=1)})"


def _seconds(value: int) -> str:
    return f", {value}" if value else ""


def docstring(value: str, depth: int, more: tuple[str, ...] = ()) -> list[str]:
    """Lines of a docstring: the text, wrapped, then further lines after a blank one."""
    lines = wrapped(value.strip() or "No description.", 116 - 4 * depth)
    pad = "    " * depth
    inner = [escaped_doc(line) for line in [*lines, *([""] if more else []), *more]]
    if len(inner) == 1:
        return [f'{pad}"""{inner[0]}"""']
    return [f'{pad}"""{inner[0]}', *(f"{pad}{line}" if line else "" for line in inner[1:]), f'{pad}"""']


def escaped_doc(line: str) -> str:
    """One line of a docstring, in which nothing can end the literal or start an escape."""
    return "".join(letter if letter == '"' else _escape(letter, '"') for letter in line).replace('"', "'")


def wrapped(value: str, width: int) -> list[str]:
    """The text in lines of at most `width` letters, broken at spaces; paragraphs stay."""
    lines: list[str] = []
    for paragraph in value.splitlines():
        line = ""
        for word in paragraph.split():
            if line and len(line) + 1 + len(word) > width:
                lines.append(line)
                line = ""
            line = f"{line} {word}" if line else word
        lines.append(line)
    return lines
