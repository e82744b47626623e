"""Symbols in gold arguments: values found or made by an earlier call, named by content.

`$2.items[starts_at=2026-03-05T10:30:00,reason=dental].id` is the id of the one item in the result of call 2 that has these values. A step is `.key`,
or `.key[column=value,…]`, which picks the one element of the list at `key` for which all conditions hold. In values `%`, `,`, `=`, `]` and `$`
are percent-encoded; numbers, true, false and null are written as in JSON.
"""

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

_SYMBOL = re.compile(r"\$(\d+)((?:\.[A-Za-z_][A-Za-z0-9_]*(?:\[[^\]]*\])?)*)\Z")
_STEP = re.compile(r"\.([A-Za-z_][A-Za-z0-9_]*)(?:\[([^\]]*)\])?")
_SPECIAL = "%,=]$"
_Step = tuple[str, tuple[tuple[str, str], ...]]
"""A key, and the conditions by which one element of the list there is picked: columns with the texts of their values."""


class SymbolError(Exception):
    """A symbol that names no value, or more than one; the sentence says which and why."""


def is_symbol(value: object) -> bool:
    """Whether an argument is a symbol."""
    return isinstance(value, str) and _SYMBOL.match(value) is not None


def written(value: object) -> str:
    """A value as it stands in a condition of a symbol."""
    text = value if isinstance(value, str) else json.dumps(value)
    return "".join(f"%{ord(letter):02X}" if letter in _SPECIAL else letter for letter in text)


def symbol(call: int, key: str = "", match: Mapping[str, object] | None = None, column: str = "id") -> str:
    """The symbol for `column` of the one element of `key` in the result of `call` that has the values of `match`.

    Without `key` it is the column of the result itself.
    """
    if not key:
        return f"${call}.{column}"
    conditions = ",".join(f"{name}={written(value)}" for name, value in sorted((match or {}).items()))
    return f"${call}.{key}[{conditions}].{column}"


def call_of(text: str) -> int:
    """Index of the call that a symbol refers to."""
    found = _SYMBOL.match(text)
    if found is None:
        raise SymbolError(f"symbol {text!r}: expected $CALL.path, got something else. Mend the gold call.")
    return int(found.group(1))


def resolve(value: Any, results: Sequence[Any]) -> Any:
    """`value` with every symbol in it replaced by what it names in `results` (results of the calls so far, by index).

    Raises:
        SymbolError: A symbol refers to no earlier call, or to no value, or its conditions fit none or several elements.
    """
    if isinstance(value, str):
        read = _read(value) if value.startswith("$") else None
        return value if read is None else _named(value, *read, results)
    if isinstance(value, list):
        return [resolve(one, results) for one in value]
    if isinstance(value, dict):
        return {key: resolve(one, results) for key, one in value.items()}
    return value


@lru_cache(maxsize=4096)
def _read(text: str) -> tuple[int, tuple[_Step, ...]] | None:
    """The call and the steps of a symbol, which is resolved in run after run; None for another text."""
    found = _SYMBOL.match(text)
    return None if found is None else (int(found.group(1)), tuple((key, _conditions(said)) for key, said in _STEP.findall(found.group(2))))


def _conditions(said: str) -> tuple[tuple[str, str], ...]:
    return tuple((name, unquote(value)) for name, _, value in (one.partition("=") for one in said.split(","))) if said else ()


def _named(text: str, index: int, steps: Sequence[_Step], results: Sequence[Any]) -> Any:
    if index >= len(results):
        raise SymbolError(f"symbol {text}: expected one of the {len(results)} calls before it, got call {index}. Put the look-up first.")
    at = results[index]
    for key, wanted in steps:
        at = _step(text, at, key, wanted)
    return at


def _step(text: str, at: Any, key: str, wanted: Sequence[tuple[str, str]]) -> Any:
    if not isinstance(at, dict) or key not in at:
        raise SymbolError(f"symbol {text}: expected an object with {key!r}, got {type(at).__name__}. The look-up does not show it.")
    at = at[key]
    if not wanted:
        return at
    fitting = [one for one in at if all(name in one and _text(one[name]) == value for name, value in wanted)]
    if len(fitting) != 1:
        raise SymbolError(f"symbol {text}: expected one element, got {len(fitting)} that fit. Use conditions that tell them apart.")
    return fitting[0]


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
