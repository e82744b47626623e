"""Validation of arguments against a tool's JSON Schema, told in one sentence."""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import jsonschema_rs

from registry.dispatch.limits import shown
from registry.package.errors import InvalidArguments

LONGEST_NAME = 60
"""An argument of a longer name is nobody's slip of the pen."""


class ArgumentSchema:
    """A compiled input schema.

    Args:
        schema: Object-rooted JSON Schema, as in tools.json.
    """

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._schema = dict(schema)
        self._validator = jsonschema_rs.validator_for(self._schema)

    def check(self, arguments: dict[str, Any]) -> None:
        """Passes or raises InvalidArguments with the first problem."""
        if not self._validator.is_valid(arguments):
            raise InvalidArguments(self._first_problem(arguments))

    def _first_problem(self, arguments: dict[str, Any]) -> str:
        error = min(self._validator.iter_errors(arguments), key=_rank)
        path = list(error.instance_path)
        fault: Any = error.kind  # a class per keyword, which the library's types do not tell apart
        kind = type(fault).__name__
        if kind == "Required":
            missing = [*path, fault.property]
            return f"argument {_spell(missing)!r}: expected {_describe(self._at(missing))}, got nothing. Send it."
        if kind == "AdditionalProperties":
            extra, names = str(fault.unexpected[0]), tuple(self._at(path).get("properties", {}))
            expected = f"one of the known arguments ({', '.join(names) or 'none'})"
            return f"argument {_spell([*path, extra])[:60]!r}: expected {expected}, got an unknown one. {_meant(extra, names)}"
        return f"argument {_spell(path)!r}: expected {_describe(self._at(path))}, got {shown(error.instance)}. Correct it and call again."

    def _at(self, path: Sequence[str | int]) -> dict[str, Any]:
        at: Any = self._schema
        for part in path:
            below = at.get("items", {}) if isinstance(part, int) else at.get("properties", {}).get(part, at.get("additionalProperties", {}))
            at = below if isinstance(below, dict) else {}
        return dict(at)


def _meant(extra: str, names: Iterable[str]) -> str:
    """What to do about an unknown name; a long one is like none, and is not compared."""
    near = difflib.get_close_matches(extra, names, n=1, cutoff=0.6) if len(extra) <= LONGEST_NAME else []
    return f"Did you mean {near[0]}?" if near else "Leave it out."


def _rank(error: Any) -> tuple[int, str]:
    order = {"AdditionalProperties": 0, "Required": 1}
    return order.get(type(error.kind).__name__, 2), _spell(list(error.instance_path))


def _spell(path: Sequence[str | int]) -> str:
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else (f".{part}" if text else str(part))
    return text or "arguments"


_TYPES = {"string": "text", "integer": "an integer", "number": "a number", "boolean": "true or false", "array": "a list", "object": "an object"}
_BOUNDS = (
    ("pattern", "matching {}"),
    ("minLength", "of at least {} characters"),
    ("maxLength", "of at most {} characters"),
    ("minimum", "of at least {}"),
    ("maximum", "of at most {}"),
    ("exclusiveMinimum", "above {}"),
    ("exclusiveMaximum", "below {}"),
    ("multipleOf", "in steps of {}"),
    ("minItems", "of at least {} items"),
    ("maxItems", "of at most {} items"),
)


def _describe(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return f"one of {', '.join('null' if word is None else str(word) for word in schema['enum'])}"
    if "const" in schema:
        return f"{schema['const']!r}"
    named = schema.get("type", [])
    types = [named] if isinstance(named, str) else list(named)
    words = [" or ".join(_TYPES[one] for one in types if one in _TYPES) or "a value"]
    words += [text.format(schema[key]) for key, text in _BOUNDS if key in schema]
    if schema.get("uniqueItems"):
        words.append("without repeats")
    if "format" in schema:
        words.append(f"({schema['format']})")
    if "null" in types:
        words.append("or null")
    return " ".join(words)
