"""Checks arithmetic, comparisons, conditions, comprehensions and lambdas."""

import ast
from collections.abc import Sequence

from synth.lang.checker import Checker, handles, test_first
from synth.lang.coerce import coerce, words_of
from synth.lang.divisors import never_zero
from synth.lang.nodes import Binary, Choice, Clause, Compare, Comprehension, Const, Logic, Node, Unary
from synth.lang.refused import OPERATORS
from synth.lang.rules import NUMBERS, ORDERED, arithmetic, fits, is_tuple, is_unknown, join, spoken
from synth.lang.scope import Name, outcome
from synth.lang.types import BOOL, TEXT, Type, list_of

_ARITHMETIC: dict[type[ast.AST], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%"}
_COMPARE: dict[type[ast.AST], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
}

RESERVED_LOCALS = ("ctx", "rt", "row")
"""Local names that the bodies of generated tools use themselves."""


def refuse_operator(checker: Checker, node: ast.AST, op: ast.AST) -> Node:
    """Report an operator that the language does not have."""
    expected, fix = OPERATORS.get(type(op), ("an operator of the language", "Use + - * / // %"))
    return checker.add(node, expected=expected, got=checker.said(node), fix=fix, code="REFUSED")


@handles(ast.BinOp)
def binary(checker: Checker, node: ast.BinOp) -> Node:
    """`left op right`."""
    op = _ARITHMETIC.get(type(node.op))
    if op is None:
        return refuse_operator(checker, node, node.op)
    left, right = checker.value(node.left), checker.value(node.right)
    return combined(checker, node, op, left, right)


def combined(checker: Checker, node: ast.AST, op: str, left: Node, right: Node) -> Node:
    """The typed node of an operation on two checked values."""
    if is_unknown(left.type) or is_unknown(right.type):
        return checker.unknown(node)
    kind = arithmetic(op, left.type, right.type)
    if kind is None:
        got = f"{spoken(left.type)} {op} {spoken(right.type)}"
        return checker.add(node, expected=f"values that {op} can join", got=got, fix=_fix(op, left.type, right.type), code="WRONG_TYPE")
    if op in ("/", "//", "%") and not never_zero(checker, right):
        divisor = checker.said(node.right) if isinstance(node, ast.BinOp) else checker.said(node)
        fix = (
            "Correct the divisor"
            if isinstance(right, Const)
            else f"Test `{divisor} > 0` before, as in `a / b if b > 0 else 0`, or give the field a `low` above 0"
        )
        return checker.add(node, expected="a divisor that is never 0", got=divisor, fix=fix, code="DIVISION_BY_ZERO")
    return Binary(where=checker.where(node), type=kind, op=op, left=left, right=right)  # type: ignore[arg-type]


def _fix(op: str, left: Type, right: Type) -> str:
    kinds = {left.kind, right.kind}
    if op == "+" and kinds & {"text", "enum"}:
        return "Write an f-string"
    if op in ("+", "-") and kinds & {"date", "datetime", "duration"} and kinds & set(NUMBERS):
        return "Write days(…), hours(…) or minutes(…) around the number"
    if kinds == {"date", "datetime"}:
        return "Write day(…) around the datetime"
    if kinds == {"money"} and op == "*":
        return "Multiply money by a number"
    return "Use values of types that go together"


@handles(ast.UnaryOp)
def unary(checker: Checker, node: ast.UnaryOp) -> Node:
    """`not x`, `-x`."""
    if isinstance(node.op, ast.Not):
        return Unary(where=checker.where(node), type=BOOL, op="not", operand=checker.condition(node.operand))
    if not isinstance(node.op, ast.USub):
        return refuse_operator(checker, node, node.op)
    operand = checker.value(node.operand)
    if isinstance(operand, Const) and isinstance(operand.value, int) and not isinstance(operand.value, bool) and operand.type.kind == "integer":
        return Const(where=checker.where(node), type=operand.type, value=-operand.value)
    if operand.type.kind not in (*NUMBERS, "duration"):
        return checker.mismatch(node.operand, operand, "a number after `-`", "Write a number or duration")
    return Unary(where=checker.where(node), type=operand.type, op="-", operand=operand)


@handles(ast.BoolOp)
def logic(checker: Checker, node: ast.BoolOp) -> Node:
    """`a and b`, `a or b`: what the first ones tell is known in the later ones."""
    both = isinstance(node.op, ast.And)
    operands: list[Node] = []
    scope = checker.scope
    for one in node.values:
        with checker.inside(scope):
            operand = checker.condition(one)
        told = outcome(operand)
        scope = scope.assuming(told.true if both else told.false)
        operands.append(operand)
    return Logic(where=checker.where(node), type=BOOL, op="and" if both else "or", operands=tuple(operands))


@handles(ast.Compare)
def compare(checker: Checker, node: ast.Compare) -> Node:
    """A chain of comparisons."""
    left = checker.expression(node.left)
    first, before = left, node.left
    rest: list[tuple[str, Node]] = []
    for op, syntax in zip(node.ops, node.comparators, strict=True):
        text = _COMPARE[type(op)]
        right = checker.expression(syntax)
        left, right = _pair(checker, text, (before, left), (syntax, right))
        first = left if not rest else first
        rest.append((text, right))
        left, before = right, syntax
    return Compare(where=checker.where(node), type=BOOL, left=first, rest=tuple(rest))  # type: ignore[arg-type]


Side = tuple[ast.expr, Node]


def _pair(checker: Checker, op: str, one: Side, other: Side) -> tuple[Node, Node]:
    """Both sides of one comparison, checked; the same nodes after a problem."""
    left, right = one[1], other[1]
    if is_unknown(left.type) or is_unknown(right.type):
        return left, right
    if op in ("in", "not in"):
        return _member(checker, one, other)
    if op in ("is", "is not"):
        return _none_test(checker, one, other)
    left, right = coerce(checker, left, right.type), coerce(checker, right, left.type)
    if op in ("==", "!="):
        return _equality(checker, op, (one[0], left), (other[0], right))
    for syntax, side in ((one[0], left), (other[0], right)):
        if side.type.optional:
            said = checker.said(syntax)
            checker.add(syntax, expected="a value", got=f"{said}, which may be None", fix=test_first(said, side), code="MAY_BE_NONE")
            return left, right
    if "row" in (left.type.kind, right.type.kind):
        checker.add(
            one[0],
            expected="values that have an order",
            got=f"{spoken(left.type)} {op} {spoken(right.type)}",
            fix="Compare a field of the rows",
            code="ROW_ORDER",
        )
    elif left.type.kind not in ORDERED or join(left.type, right.type) is None:
        _incomparable(checker, op, one[0], left, right)
    return left, right


def _incomparable(checker: Checker, op: str, syntax: ast.expr, left: Node, right: Node) -> None:
    kinds = {left.type.kind, right.type.kind}
    fix = "Compare values of one type"
    if kinds == {"date", "datetime"}:
        fix = "Write day(…) around the datetime"
    if "duration" in kinds and kinds & set(NUMBERS):
        fix = "Write days(…), hours(…) or minutes(…) around the number"
    if kinds == {"text", "integer"}:
        fix = "Leave the quotes out, or compare a text field"
    if "list" in kinds:
        fix = "Write len(…) around the list"
    checker.add(syntax, expected="two values that can be compared", got=f"{spoken(left.type)} {op} {spoken(right.type)}", fix=fix, code="WRONG_TYPE")


def _equality(checker: Checker, op: str, one: Side, other: Side) -> tuple[Node, Node]:
    left, right = one[1], other[1]
    if is_unknown(left.type) or is_unknown(right.type):
        return left, right
    for a, b in ((left, right), (right, left)):
        if a.type.kind == "none" and not b.type.optional:
            return _never_none(checker, other[0] if a is right else one[0], b, left, right)
    rows = left.type.kind == right.type.kind == "row"
    apart = rows and not set(left.type.entities) & set(right.type.entities)
    if apart or not (rows or fits(left.type.required(), right.type.or_none()) or fits(right.type.required(), left.type.or_none())):
        _incomparable(checker, op, one[0], left, right)
    return left, right


def _never_none(checker: Checker, syntax: ast.expr, tested: Node, left: Node, right: Node) -> tuple[Node, Node]:
    checker.add(
        syntax,
        expected="a value that may be None before this test",
        got=f"{spoken(tested.type)}, which never is",
        fix="Leave the test out",
        code="NEVER_NONE",
    )
    return left, right


def _none_test(checker: Checker, one: Side, other: Side) -> tuple[Node, Node]:
    left, right = one[1], other[1]
    if not (isinstance(right, Const) and right.value is None):
        fix = "Write == or != between values"
        checker.add(other[0], expected="None after `is`", got=checker.said(other[0]), fix=fix, code="REFUSED")
        return left, right
    return (left, right) if left.type.optional else _never_none(checker, other[0], left, left, right)


def _member(checker: Checker, one: Side, other: Side) -> tuple[Node, Node]:
    left, right = one[1], other[1]
    if right.type.optional:
        said = checker.said(other[0])
        checker.add(other[0], expected="a list", got=f"{said}, which may be None", fix=test_first(said, right), code="MAY_BE_NONE")
        return left, right
    if right.type.kind in ("text", "enum") and left.type.kind in ("text", "enum") and not left.type.optional:
        return left, right
    if right.type.kind == "map" and fits(left.type, TEXT):
        return left, right
    if right.type.kind == "list" and right.type.item is not None:
        item = right.type.item
        left, right = coerce(checker, left, item.required()), coerce(checker, right, list_of(left.type.required()))
        item = right.type.item or item
        rows = left.type.kind == item.kind == "row" and set(left.type.entities) & set(item.entities)
        if rows or is_unknown(item) or fits(left.type.required(), item.or_none()) or fits(item.required(), left.type.or_none()):
            return left, right
        checker.add(one[0], expected=f"{spoken(item)} before `in`", got=spoken(left.type), fix="Look for an element of the list", code="WRONG_TYPE")
    elif not (right.type.kind == "list" and right.type.item is None):
        checker.mismatch(other[0], right, "a list, text or map after `in`", "Write a list in parentheses")
    return left, right


@handles(ast.IfExp)
def choice(checker: Checker, node: ast.IfExp) -> Node:
    """`a if condition else b`."""
    condition = checker.condition(node.test)
    told = outcome(condition)
    with checker.inside(checker.scope.assuming(told.true)):
        then = checker.expression(node.body)
    with checker.inside(checker.scope.assuming(told.false)):
        otherwise = checker.expression(node.orelse)
    then, otherwise = coerce(checker, then, otherwise.type), coerce(checker, otherwise, then.type)
    kind = join(then.type, otherwise.type)
    if kind is None:
        got = f"{spoken(then.type)} or {spoken(otherwise.type)}"
        return checker.add(node, expected="two values of one type", got=got, fix="Give both branches the same type", code="WRONG_TYPE")
    return Choice(where=checker.where(node), type=kind, condition=condition, then=then, otherwise=otherwise)


@handles(ast.ListComp, ast.GeneratorExp, ast.DictComp)
def comprehension(checker: Checker, node: ast.ListComp | ast.GeneratorExp | ast.DictComp) -> Node:
    """A list, or a map with text keys."""
    before, clauses = checker.scope, []
    try:
        for one in node.generators:
            clauses.append(clause(checker, one))  # noqa: PERF401 (each clause sees the names of the one before)
        key = checker.value(node.key) if isinstance(node, ast.DictComp) else None
        element = checker.expression(node.value if isinstance(node, ast.DictComp) else node.elt)
    finally:
        checker.scope = before
    if is_unknown(element.type) or any(is_unknown(one.source.type) for one in clauses):
        return checker.unknown(node)
    if key is not None and not fits(key.type, TEXT):
        key_syntax = node.key if isinstance(node, ast.DictComp) else node
        return checker.mismatch(key_syntax, key, "text as key", "Use a text or an enum as the key")
    kind = Type(kind="map", item=element.type) if key is not None else list_of(element.type)
    return Comprehension(where=checker.where(node), type=kind, element=element, key=key, clauses=tuple(clauses))


def clause(checker: Checker, node: ast.comprehension) -> Clause:
    """One `for targets in source if conditions`; leaves its names in the scope."""
    if node.is_async:
        checker.add(node.target, expected="no `async`", got="async for", fix="Write a plain `for`", code="REFUSED")
    source = iterated(checker, node.iter)
    names = bind_targets(checker, node.target, source)
    conditions: list[Node] = []
    for one in node.ifs:
        condition = checker.condition(one)
        checker.scope = checker.scope.assuming(outcome(condition).true)
        conditions.append(condition)
    return Clause(targets=names, source=source, conditions=tuple(conditions))


def iterated(checker: Checker, node: ast.expr) -> Node:
    """An expression that stands after `in` of a loop."""
    source = checker.value(node)
    if is_unknown(source.type) or source.type.kind in ("list", "map") or is_tuple(source.type):
        return source
    if source.type.kind == "row" and hasattr(source, "entity"):
        return checker.mismatch(node, source, "a list after `in`", "Use the row directly")
    return checker.mismatch(node, source, "a list after `in`", "Loop over a list, such as an entity, a reverse set or a comprehension")


def _element(source: Node) -> Type:
    if source.type.kind == "map":
        return TEXT
    if is_tuple(source.type) and source.type.fields:
        return source.type.fields[0][1]
    return source.type.item or source.type


def bind_targets(checker: Checker, target: ast.expr, source: Node) -> tuple[str, ...]:
    """Put the variables of a loop into the scope."""
    element = _element(source)
    several = isinstance(target, ast.Tuple | ast.List)
    parts: Sequence[ast.expr] = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
    kinds = [element] * len(parts)
    if several and not is_unknown(element):
        fields = element.fields if is_tuple(element) else ()
        if len(fields) != len(parts):
            checker.add(
                target,
                expected="one loop variable",
                got=checker.said(target),
                fix="Unpack only what zip(…) gives, one name for each list",
                code="WRONG_TYPE",
            )
        kinds = [kind for _, kind in fields] if len(fields) == len(parts) else kinds
    words = words_of(checker, source)
    return tuple(_bind(checker, one, kind, words) for one, kind in zip(parts, kinds, strict=True))


def _bind(checker: Checker, target: ast.expr, kind: Type, words: frozenset[str]) -> str:
    if not isinstance(target, ast.Name):
        checker.add(target, expected="a name as loop variable", got=checker.said(target), fix="Write `for x in …`", code="REFUSED")
        return "_"
    refuse_hiding(checker, target, target.id)
    checker.scope = checker.scope.adding(target.id, Name(type=kind, words=words, loop=True))
    return target.id


def refuse_hiding(checker: Checker, node: ast.AST, text: str) -> None:
    """Report a local name that hides another one, or that generated code needs."""
    taken = checker.names.taken()
    if text in checker.scope.names:
        checker.add(node, expected="a new name", got=f"{text}, which is bound already", fix="Choose another name", code="SHADOWING")
    elif text in taken and not (checker.place == "data" and taken[text] == "a type"):
        checker.add(node, expected="a name of its own", got=f"{text}, which is {taken[text]}", fix="Choose another name", code="SHADOWING")
    elif text in RESERVED_LOCALS or text.startswith("_"):
        checker.add(node, expected="a name that generated code leaves free", got=text, fix="Choose another name", code="RESERVED_NAME")
