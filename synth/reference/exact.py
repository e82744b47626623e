"""Arithmetic of exact numbers: what `fractions` gives, without the tests for other kinds of numbers that it makes each time.

It reads and fills the two slots of a Fraction itself, since its properties and its constructor cost several times the arithmetic.
"""

import operator
from collections.abc import Callable, Iterable
from fractions import Fraction
from math import gcd
from typing import Any

_FRACTION: Any = Fraction
_new = object.__new__


def ratio(above: int, below: int) -> Fraction:
    """The fraction of two integers, the second one greater than zero."""
    common = gcd(above, below)
    made: Any = _new(Fraction)
    if common == 1:
        made._numerator, made._denominator = above, below
    else:
        made._numerator, made._denominator = above // common, below // common
    return made  # type: ignore[no-any-return]


def quotient(above: int, below: int) -> Any:
    """The same, as an integer where it is whole."""
    whole, rest = divmod(above, below)
    return ratio(above, below) if rest else whole


def plus(left: Any, right: Any) -> Any:
    """The sum."""
    if type(left) is _FRACTION and type(right) is _FRACTION:
        return _joined(left, right, 1)
    return left + right


def minus(left: Any, right: Any) -> Any:
    """The difference."""
    if type(left) is _FRACTION and type(right) is _FRACTION:
        return _joined(left, right, -1)
    return left - right


def _joined(left: Any, right: Any, sign: int) -> Fraction:
    one, other = left._denominator, right._denominator
    if one == other:
        return ratio(left._numerator + sign * right._numerator, one)
    return ratio(left._numerator * other + sign * right._numerator * one, one * other)


def times(left: Any, right: Any) -> Any:
    """The product."""
    if type(left) is _FRACTION:
        if type(right) is _FRACTION:
            return ratio(left._numerator * right._numerator, left._denominator * right._denominator)
        if type(right) is int:
            return ratio(left._numerator * right, left._denominator)
    elif type(right) is _FRACTION and type(left) is int:
        return ratio(left * right._numerator, right._denominator)
    return left * right


def divided(left: Any, right: Any) -> Any:
    """The quotient."""
    above, below = left.numerator * right.denominator, left.denominator * right.numerator
    return ratio(above, below) if below > 0 else Fraction(left) / right


def total(found: Iterable[Any]) -> Any:
    """The sum of numbers: an integer if all of them are, 0 of none."""
    above, below, whole = 0, 1, True
    for one in found:
        if type(one) is not _FRACTION:
            above += one * below
            continue
        whole, added = False, one._denominator
        if added == below:
            above += one._numerator
        else:
            common = gcd(below, added)
            above = above * (added // common) + one._numerator * (below // common)
            below = below // common * added
    return above if whole else ratio(above, below)


def half_even(value: Fraction | int, places: int) -> int:
    """The value times 10**places, rounded half to even."""
    scale: int = 10**places
    whole, rest = divmod(value.numerator * scale, value.denominator)
    return whole + (2 * rest + whole % 2 > value.denominator)


def compared(plain: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    """A comparison of numbers."""

    def compare(left: Any, right: Any) -> bool:
        if type(left) is _FRACTION and type(right) is _FRACTION:
            one, other = left._denominator, right._denominator
            if one == other:
                return plain(left._numerator, right._numerator)
            return plain(left._numerator * other, right._numerator * one)
        return plain(left, right)

    return compare


ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": plus,
    "-": minus,
    "*": times,
    "/": divided,
    "//": operator.floordiv,
    "%": operator.mod,
}
"""Operations on numbers of which one is no integer."""
