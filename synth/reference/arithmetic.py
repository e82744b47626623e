"""Arithmetic and comparison of computed values."""

import datetime as dt
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from synth.lang.types import Type
from synth.reference.exact import ARITHMETIC, compared
from synth.reference.functions import exact_span, shift_time, span

Operation = Callable[[Any, Any], Any]


def _divide(left: Any, right: Any) -> Any:
    return Fraction(left) / right


_NUMBERS: dict[str, Operation] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _divide,
    "//": operator.floordiv,
    "%": operator.mod,
}


def _of_durations(op: str) -> Operation:
    """Operations with a duration on at least one side and no date: done in exact microseconds."""
    plain = _NUMBERS[op]

    def apply(left: Any, right: Any) -> Any:
        spans = isinstance(left, dt.timedelta), isinstance(right, dt.timedelta)
        value = plain(exact_span(left) if spans[0] else left, exact_span(right) if spans[1] else right)
        is_number = all(spans) and op in ("/", "//")
        return value if is_number else span(value)

    return apply


def _shifted(op: str) -> Operation:
    sign = 1 if op == "+" else -1

    def apply(left: Any, right: Any) -> Any:
        if isinstance(left, dt.timedelta):
            left, right = right, left
        return shift_time(left, sign * right) if isinstance(left, dt.time) else left + sign * right

    return apply


MOMENTS = ("date", "time", "datetime")
EXACT = frozenset(("money", "decimal"))


def binary(op: str, left: Type, right: Type) -> Operation:
    """The operation for operands of these types."""
    kinds = (left.kind, right.kind)
    if left.kind in MOMENTS and right.kind in MOMENTS:
        return operator.sub
    if left.kind in MOMENTS or right.kind in MOMENTS:
        return _shifted(op)
    if "duration" in kinds:
        return _of_durations(op)
    return ARITHMETIC[op] if EXACT.intersection(kinds) or op == "/" else _NUMBERS[op]


_COMPARISONS: dict[str, Operation] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "is": lambda left, right: left is right,
    "is not": lambda left, right: left is not right,
    "in": lambda left, right: left in right,
    "not in": lambda left, right: left not in right,
}


_ORDERS = ("<", "<=", ">", ">=")


def comparison(op: str, left: Type, right: Type, ranks: Mapping[str, Mapping[str, int]]) -> Operation:
    """The comparison for operands of these types.

    Args:
        ranks: Place of each word of each enum.
    """
    plain = _COMPARISONS[op]
    enum = left.name if left.kind == "enum" else right.name if right.kind == "enum" else ""
    if enum and op in _ORDERS:
        order = ranks[enum]
        return lambda one, other: plain(order[one], order[other])
    return compared(plain) if left.kind in EXACT and right.kind in EXACT and op in _ORDERS else plain
