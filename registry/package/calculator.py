"""Exact arithmetic on a text that an agent sends; nothing is evaluated but numbers, signs and brackets."""

import ast
from collections.abc import Callable
from fractions import Fraction

from registry.package.errors import ToolRefusal

LONGEST = 200
GREATEST_POWER = 64
BIGGEST = 10**60

_SIGNS: dict[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.FloorDiv: lambda a, b: Fraction(a // b),
    ast.Mod: lambda a, b: a % b,
}


def calculate(expression: str) -> Fraction:
    """The exact value of an expression of numbers, `+ - * / // % **` and brackets.

    Raises:
        ToolRefusal: `INVALID_EXPRESSION`.
    """
    if len(expression) > LONGEST:
        raise _refusal(f"must have at most {LONGEST} characters")
    try:
        return _value(ast.parse(expression.strip(), mode="eval").body)
    except ZeroDivisionError:
        raise _refusal("divides by zero") from None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _refusal("must consist of numbers, + - * / // % ** and brackets") from None


def _value(node: ast.expr) -> Fraction:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return _bounded(Fraction(str(node.value)))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        return -_value(node.operand) if isinstance(node.op, ast.USub) else _value(node.operand)
    if isinstance(node, ast.BinOp):
        left, right = _value(node.left), _value(node.right)
        if isinstance(node.op, ast.Pow):
            return _power(left, right)
        if type(node.op) in _SIGNS:
            return _bounded(_SIGNS[type(node.op)](left, right))
    raise ValueError(type(node).__name__)


def _power(left: Fraction, right: Fraction) -> Fraction:
    if right.denominator != 1 or abs(right) > GREATEST_POWER:
        raise _refusal(f"may only hold whole powers up to {GREATEST_POWER}")
    return _bounded(left ** int(right))


def _bounded(value: Fraction) -> Fraction:
    if abs(value.numerator) > BIGGEST or value.denominator > BIGGEST:
        raise _refusal("gets too large")
    return value


def _refusal(problem: str) -> ToolRefusal:
    return ToolRefusal("INVALID_EXPRESSION", f"The expression {problem}.")
