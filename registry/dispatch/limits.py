"""Limits on what arrives and leaves: part of an environment's behaviour, so constants and not settings."""

import math
from typing import Any

import orjson

from registry.package.errors import InvalidArguments

ARGUMENT_BYTES = 64 * 1024
ARGUMENT_DEPTH = 16
RESULT_BYTES = 64 * 1024
TEXT_LENGTH = 10_000
TOOL_NAME_LENGTH = 128
LARGEST = 2**53 - 1
"""Largest number an argument may hold, scaled: every JSON reader keeps it exact, and sums of many stay within 64 bits."""
FIRST_YEAR, LAST_YEAR = 1900, 2199
"""Years an argument may name: so far from the ends of the calendar that no sum of dates leaves it."""
LONGEST_MINUTES = 60 * 24 * 366 * 100


def shown(value: Any) -> str:
    """The value and its JSON type for an error sentence, cut to a readable length."""
    try:
        text = orjson.dumps(value).decode() if not isinstance(value, float) or math.isfinite(value) else repr(value)
    except (TypeError, ValueError, RecursionError):
        text = ascii(value)
    if len(text) > 60:
        text = f"{text[:60]}…"
    return f"{text} ({kind_of(value)})"


def kind_of(value: Any) -> str:
    """The JSON type of a value."""
    if value is None:
        return "null"
    names = ((bool, "boolean"), (int, "integer"), (float, "number"), (str, "string"), (list, "array"), (dict, "object"))
    return next((name for type_, name in names if isinstance(value, type_)), type(value).__name__)


def read_arguments(arguments: Any) -> bytes:
    """Canonical JSON of the arguments, after everything that no schema can refuse was refused.

    Args:
        arguments: As received; None stands for no arguments.

    Raises:
        InvalidArguments: Not an object, too large, too deep, or holding what JSON or UTF-8 cannot say.
    """
    if not isinstance(arguments, dict):
        raise InvalidArguments(f"arguments: expected an object, got {shown(arguments)}. Send the arguments by name.")
    try:
        text = orjson.dumps(arguments, option=orjson.OPT_SORT_KEYS)
    except (TypeError, ValueError, RecursionError):
        _find_fault(arguments, "", 0)
        raise InvalidArguments("arguments: expected plain JSON values, got something else. Send JSON.") from None
    if len(text) > ARGUMENT_BYTES:
        raise InvalidArguments(f"arguments: expected at most {ARGUMENT_BYTES} bytes of JSON, got {len(text)} bytes. Send less.")
    # A NaN is written as null, and depth only grows with brackets: only then is a walk needed.
    if b"null" in text or text.count(b"[") + text.count(b"{") > ARGUMENT_DEPTH:
        _find_fault(arguments, "", 0)
    return text


def _find_fault(value: Any, path: str, depth: int) -> None:
    if depth > ARGUMENT_DEPTH:
        raise InvalidArguments(f"argument {path[:60]!r}: expected at most {ARGUMENT_DEPTH} levels of nesting, got more. Send a flatter value.")
    if isinstance(value, dict):
        for name, one in value.items():
            if not isinstance(name, str) or not _encodable(name):
                raise InvalidArguments(f"argument {ascii(name)[:60]}: expected a name of Unicode text, got {shown(name)}. Correct the name.")
            _find_fault(one, f"{path}.{name}" if path else name, depth + 1)
    elif isinstance(value, list):
        for index, one in enumerate(value):
            _find_fault(one, f"{path}[{index}]", depth + 1)
    else:
        _find_scalar_fault(value, path)


def _find_scalar_fault(value: Any, path: str) -> None:
    expected = ""
    if isinstance(value, str):
        expected = "" if _encodable(value) else "Unicode text without lone surrogates"
    elif isinstance(value, float):
        expected = "" if math.isfinite(value) else "a finite number"
    elif isinstance(value, int):
        expected = "" if abs(value) <= LARGEST else f"a number of at most {LARGEST}"
    elif value is not None:
        expected = "a JSON value"
    if expected:
        raise InvalidArguments(f"argument {path[:60]!r}: expected {expected}, got {shown(value)}. Correct it and call again.")


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
