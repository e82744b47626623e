"""Checks the arguments of functions of the language."""

import ast
import re

from synth.lang.builtins import Argument, Builtin
from synth.lang.checker import Checker
from synth.lang.divisors import above_zero
from synth.lang.nodes import Const, Lambda, Node
from synth.lang.problems import advice
from synth.lang.rules import ORDERED, is_unknown, join
from synth.lang.scope import Name
from synth.lang.signatures import Bound, accepts

MOST_STEPS = 10_000
LONGEST_PATTERN = 200
MOST_REPEATS = 3


def argument(checker: Checker, one: tuple[ast.expr, Node], known: Builtin, number: int, args: tuple[Node, ...], bound: Bound) -> bool:
    """Whether an argument fits its parameter; variables of the signature are bound on the way."""
    syntax, arg = one
    positional = [each for each in known.arguments if not each.keyword]
    if known.name in ("min", "max") and len(args) > 1:
        return _several(checker, one, args)
    parameter = positional[number]
    if parameter.constant and not _constant(checker, syntax, arg, known, parameter):
        return False
    if parameter.accepts == "difference":
        return _step(checker, syntax, arg, args)
    if accepts(parameter.accepts, arg.type, bound):
        return parameter.name != "step" or _forward(checker, syntax, arg)
    shown = said(parameter.accepts)
    which = "" if parameter.name == "of" else f"{parameter.name} of "
    checker.mismatch(syntax, arg, f"{shown} for {which}{known.name}()", _wrap(known, arg))
    return False


def said(notation: str) -> str:
    """A type of the table of functions in words."""
    return " or ".join(_NOTATION.get(one, one) for one in notation.split("|"))


_NOTATION = {
    "list[T]": "a list",
    "list[M]": "a list",
    "list[N]": "a list",
    "list[bool]": "a list of conditions",
    "list[row]": "a list of rows",
    "list[number]": "a list of numbers",
    "list[text]": "a list of texts",
    "list[datetime]": "a list of datetimes",
    "map[T]": "a map",
    "number": "a number",
    "integer": "an integer",
    "enum": "an enum",
    **{one: f"a {one}" for one in ("text", "date", "time", "datetime", "duration")},
    "moment": "a date or datetime",
    "row": "a row",
}


def _wrap(known: Builtin, arg: Node) -> str:
    name = known.name
    if name in ("days", "hours", "minutes") and arg.type.kind == "decimal":
        return "Write a whole number, or a smaller unit"
    if name in ("overlaps", "within", "slots", "pick_free") and arg.type.kind == "duration":
        return "Write the number of minutes, such as length // minutes(1)"
    shown = ", ".join(one.name for one in known.arguments if not one.keyword)
    return f"Write {name}({shown}): {known.doc[0].lower()}{known.doc[1:].rstrip('.')}"


def _several(checker: Checker, one: tuple[ast.expr, Node], args: tuple[Node, ...]) -> bool:
    if one[1].type.kind in ORDERED and join(args[0].type, one[1].type) is not None:
        return True
    checker.mismatch(one[0], one[1], "values of one ordered type", "Give one list, or values that can be compared")
    return False


def _constant(checker: Checker, syntax: ast.expr, arg: Node, known: Builtin, parameter: Argument) -> bool:
    if not isinstance(arg, Const):
        checker.add(
            syntax,
            expected=f"a literal for {parameter.name} of {known.name}()",
            got=checker.said(syntax),
            fix="Write the value itself",
            code="NOT_CONSTANT",
        )
        return False
    if known.name == "matches" and isinstance(arg.value, str):
        return _pattern(checker, syntax, arg.value)
    if known.name == "round" and not (isinstance(arg.value, int) and 0 <= arg.value <= 8):
        checker.add(syntax, expected="0 to 8 decimal places", got=checker.said(syntax), fix="Write a small number", code="TOO_GREAT")
        return False
    return True


def _pattern(checker: Checker, syntax: ast.expr, pattern: str) -> bool:
    """Whether a regular expression is sound and cannot take exponential time."""
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        checker.add(syntax, expected="a regular expression", got=f"{pattern!r} ({error})", fix="Correct the pattern", code="BAD_PATTERN")
        return False
    if len(pattern) > LONGEST_PATTERN or not _simple(pattern):
        fix = "Repeat only single letters or classes, at most three of them without end, and refer to no group"
        checker.add(syntax, expected="a simple pattern", got=repr(pattern), fix=fix, code="BAD_PATTERN")
        return False
    return True


def _simple(pattern: str) -> bool:
    """Whether matching takes no more than a small power of the length of the text."""
    if re.search(r"\\\d|\(\?", pattern):
        return False
    plain = re.sub(r"\\.", "e", pattern, flags=re.DOTALL)
    plain = re.sub(r"\[\^?\]?[^\]]*\]", "c", plain)
    without_end = len(re.findall(r"[*+]|\{\d*,\}", plain))
    return without_end <= MOST_REPEATS and not re.search(r"\)[*+{]|[*+?}][*+{]", plain)


def _step(checker: Checker, syntax: ast.expr, arg: Node, args: tuple[Node, ...]) -> bool:
    first = args[0].type.kind
    good = (
        first == args[1].type.kind
        and arg.type.kind == ("integer" if first == "integer" else "duration")
        and first in ("integer", "date", "time", "datetime")
    )
    if not good:
        checker.mismatch(syntax, arg, "an integer step between integers, a duration between two dates or times", "Write such a step")
        return False
    if not isinstance(arg, Const) and not _forward(checker, syntax, arg):
        return False
    numbers = [one.value for one in args if isinstance(one, Const) and isinstance(one.value, int)]
    if isinstance(arg, Const) and isinstance(arg.value, int) and arg.value <= 0:
        checker.add(syntax, expected="a step greater than 0", got=str(arg.value), fix="Write a positive step", code="UNBOUNDED")
        return False
    if len(numbers) == 3 and (numbers[1] - numbers[0]) // numbers[2] > MOST_STEPS:
        checker.add(syntax, expected=f"at most {MOST_STEPS} steps", got="more", fix="Make the range smaller", code="UNBOUNDED")
        return False
    return True


def _forward(checker: Checker, syntax: ast.expr, arg: Node) -> bool:
    """Whether a step is known to go forward."""
    if above_zero(checker, arg):
        return True
    fix = f"Test `{checker.said(syntax)} > 0` before, or write a literal"
    checker.add(syntax, expected="a step that is known to be above 0", got=checker.said(syntax), fix=fix, code="UNBOUNDED")
    return False


def keywords(checker: Checker, node: ast.Call, known: Builtin, args: tuple[Node, ...]) -> tuple[tuple[str, Node], ...] | None:
    """The arguments by name; None after a problem."""
    allowed = {one.name: one for one in known.arguments if one.keyword}
    found: list[tuple[str, Node]] = []
    for one in node.keywords:
        name = one.arg or ""
        if name not in allowed:
            fix = advice(name, allowed, "keyword") if allowed else "Write the arguments without names"
            checker.add(one.value, expected=f"an argument of {known.name}()", got=f"{name}=", fix=fix, code="WRONG_ARGUMENTS")
            return None
        value = _key(checker, one.value, args[0]) if allowed[name].accepts == "key" else checker.value(one.value)
        if name == "reverse" and not (isinstance(value, Const) and isinstance(value.value, bool)):
            checker.mismatch(one.value, value, "True or False for reverse", "Write reverse=True")
            return None
        found.append((name, value))
    return None if any(is_unknown(value.type) for _, value in found) else tuple(found)


def _key(checker: Checker, node: ast.expr, source: Node) -> Node:
    """`lambda x: …` as key."""
    if (
        not isinstance(node, ast.Lambda)
        or len(node.args.args) != 1
        or node.args.defaults
        or node.args.kwonlyargs
        or node.args.vararg
        or node.args.kwarg
    ):
        return checker.add(node, expected="`lambda x: …` as key", got=checker.said(node), fix="Write key=lambda x: x.field", code="REFUSED")
    parameter = node.args.args[0].arg
    if parameter in checker.scope.names:
        return checker.add(node, expected="a new name", got=f"{parameter}, which is bound already", fix="Choose another name", code="SHADOWING")
    with checker.inside(checker.scope.adding(parameter, Name(type=source.type.item or source.type, loop=True))):
        body = checker.value(node.body)
    if is_unknown(body.type):
        return body
    parts = [kind for _, kind in body.type.fields] if body.type.kind == "record" else [body.type.item or body.type]
    if any(one.kind not in (*ORDERED, "bool") or one.optional for one in parts):
        return checker.mismatch(node.body, body, "a key that has an order", "Sort by a field that is never None")
    return Lambda(where=checker.where(node), type=body.type, parameter=parameter, body=body)
