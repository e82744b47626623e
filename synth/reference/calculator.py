"""The value of an arithmetic text, by a small parser of its own."""

import re
from fractions import Fraction

from registry.package.errors import ToolRefusal

_TOKEN = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+|\*\*|//|[-+*/%()])")
LONGEST, POWER, BIGGEST = 200, 64, 10**60


class _Reader:
    """Reads one text from left to right."""

    def __init__(self, text: str) -> None:
        self.tokens: list[str] = []
        at = 0
        while text[at:].strip():
            found = _TOKEN.match(text, at)
            if found is None:
                raise ValueError(text)
            self.tokens.append(found.group(1))
            at = found.end()

    def take(self, *wanted: str) -> str:
        """The next token if it is one of these, else nothing."""
        return self.tokens.pop(0) if self.tokens and self.tokens[0] in wanted else ""

    def sum(self) -> Fraction:
        """Products joined by plus and minus."""
        value = self.product()
        while sign := self.take("+", "-"):
            value = _bounded(value + self.product() if sign == "+" else value - self.product())
        return value

    def product(self) -> Fraction:
        """Signed powers joined by `* / // %`."""
        value = self.signed()
        while sign := self.take("*", "//", "/", "%"):
            other = self.signed()
            value = _bounded(_combined(sign, value, other))
        return value

    def signed(self) -> Fraction:
        """A power with signs before it."""
        if sign := self.take("+", "-"):
            return -self.signed() if sign == "-" else self.signed()
        return self.power()

    def power(self) -> Fraction:
        """A number or bracket, raised to what stands after `**`."""
        value = self.single()
        if not self.take("**"):
            return value
        other = self.signed()
        if other.denominator != 1 or abs(other) > POWER:
            raise _refusal(f"may only hold whole powers up to {POWER}")
        return _bounded(value ** int(other))

    def single(self) -> Fraction:
        """A number or what stands in brackets."""
        if self.take("("):
            value = self.sum()
            if not self.take(")"):
                raise ValueError("no closing bracket")
            return value
        if not self.tokens or not (self.tokens[0][0].isdigit() or self.tokens[0][0] == "."):
            raise ValueError("no number")
        text = self.tokens.pop(0)
        if text.isdigit() and text[0] == "0" and text.strip("0"):
            raise ValueError("a whole number that begins with 0")
        return _bounded(Fraction(text.rstrip(".")))


def _combined(sign: str, left: Fraction, right: Fraction) -> Fraction:
    match sign:
        case "*":
            return left * right
        case "/":
            return left / right
        case "//":
            return Fraction(left // right)
        case _:
            return left % right


def calculate(text: str) -> Fraction:
    """The exact value; raises ToolRefusal `INVALID_EXPRESSION`."""
    if len(text) > LONGEST:
        raise _refusal(f"must have at most {LONGEST} characters")
    try:
        reader = _Reader(text)
        value = reader.sum()
    except ZeroDivisionError:
        raise _refusal("divides by zero") from None
    except (ValueError, RecursionError):
        raise _refusal("must consist of numbers, + - * / // % ** and brackets") from None
    if reader.tokens:
        raise _refusal("must consist of numbers, + - * / // % ** and brackets")
    return value


def _bounded(value: Fraction) -> Fraction:
    if abs(value.numerator) > BIGGEST or value.denominator > BIGGEST:
        raise _refusal("gets too large")
    return value


def _refusal(problem: str) -> ToolRefusal:
    return ToolRefusal("INVALID_EXPRESSION", f"The expression {problem}.")
