"""Exact numbers: fractions until they are stored or shown, then rounded half to even."""

from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

ZERO = Fraction(0)
_TENS: tuple[int, ...] = tuple(10**places for places in range(20))


def scaled(value: Fraction | int, places: int) -> int:
    """The value times 10**places, rounded half to even: the stored form of money and decimals."""
    exact: int = round(Fraction(value) * _TENS[places])
    return exact


@lru_cache(maxsize=1 << 14)
def unscaled(stored: int, places: int) -> Fraction:
    """The exact number behind a stored one."""
    return Fraction(stored, 10**places)


def fixed(value: Fraction | int, places: int) -> Decimal:
    """The value with exactly so many places, as tools give it back."""
    return Decimal(scaled(value, places)).scaleb(-places)


def fixed_or_none(value: Fraction | int | None, places: int) -> Decimal | None:
    """The same of a value that may be None."""
    return None if value is None else fixed(value, places)


def shown_number(value: Fraction | int, places: int) -> str:
    """How people read a number: `12.50` for 25/2 with 2 places."""
    whole = scaled(value, places)
    if not places:
        return str(whole)
    digits = f"{abs(whole):0{places + 1}}"
    return f"{'-' if whole < 0 else ''}{digits[:-places]}.{digits[-places:]}"


def ratio(dividend: Fraction | int, divisor: Fraction | int) -> Fraction:
    """The exact quotient, of integers too."""
    return Fraction(dividend) / divisor


def rounded(value: Fraction | int, places: int) -> Fraction:
    """The value rounded half to even to so many places."""
    return Fraction(scaled(value, places), 10**places)
