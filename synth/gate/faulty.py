"""Faults of single expressions, whatever function they stand in: comparisons, arithmetic, constants, arguments."""

import ast
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

EditKind = Literal[
    "dropped rule", "wrong code", "wrong evidence", "missing effect", "extra effect", "wrong column",
    "off by one", "flipped comparison", "wrong constant", "swapped arguments", "wrong operator",
]  # fmt: skip
Operators = Mapping[type[ast.cmpop], type[ast.cmpop]]
FLIPPED: Operators = {
    ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
NEXT: Operators = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
ARITHMETIC: Mapping[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mod, ast.Mod: ast.FloorDiv,
}  # fmt: skip
PAGING = ("limit", "offset")


class Found(NamedTuple):
    """One fault: fields of a node and their new values, and words and pieces of code that say what is changed."""

    kind: EditKind
    node: ast.AST
    values: Mapping[str, Any]
    says: tuple[str | ast.AST, ...]


def expression_faults(node: ast.AST) -> Iterator[Found]:
    """Faults of one node, not of those inside it."""
    match node:
        case ast.Compare():
            yield from _compared(node)
        case ast.BoolOp():
            yield from _logic(node)
        case ast.UnaryOp(op=ast.Not()):
            yield Found("flipped comparison", node, {"op": ast.Not(), "operand": ast.UnaryOp(op=ast.Not(), operand=node.operand)}, (node, " twice"))
        case ast.IfExp() | ast.If():
            yield Found("flipped comparison", node, {"test": _not(node.test)}, ("not ", node.test))
        case ast.BinOp():
            yield from _arithmetic(node)
        case ast.comprehension():
            for at, one in enumerate(node.ifs):
                yield Found("dropped rule", node, {"ifs": without(node.ifs, at)}, ("no condition ", one))
        case ast.Constant():
            yield from constant_faults(node)
        case ast.Call():
            yield from _swapped(node)


def without(items: list[Any], at: int) -> list[Any]:
    """The items but one."""
    return [*items[:at], *items[at + 1 :]]


def is_ctx(node: ast.AST) -> bool:
    """Whether it is a call of a method of the tool's context."""
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name) and node.func.value.id == "ctx"
    )


def method(node: ast.AST) -> str:
    """Name of the method of the context that is called, or nothing."""
    return node.func.attr if is_ctx(node) and isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""


def _not(node: ast.expr) -> ast.expr:
    return ast.UnaryOp(op=ast.Not(), operand=node)


def _compared(node: ast.Compare) -> Iterator[Found]:
    kinds: tuple[tuple[EditKind, Operators], ...] = (("flipped comparison", FLIPPED), ("off by one", NEXT))
    for at, op in enumerate(node.ops):
        for kind, table in kinds:
            if type(op) in table:
                other = table[type(op)]()
                yield Found(kind, node, {"ops": [*node.ops[:at], other, *node.ops[at + 1 :]]}, (node, f" with {type(other).__name__}"))


def _logic(node: ast.BoolOp) -> Iterator[Found]:
    other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    yield Found("flipped comparison", node, {"op": other}, (node, f" with {type(other).__name__}"))
    for at, one in enumerate(node.values):
        neutral = ast.Constant(value=isinstance(node.op, ast.And))
        yield Found("dropped rule", node, {"values": [*node.values[:at], neutral, *node.values[at + 1 :]]}, (node, " without ", one))


def _arithmetic(node: ast.BinOp) -> Iterator[Found]:
    if type(node.op) in ARITHMETIC:
        other = ARITHMETIC[type(node.op)]()
        yield Found("wrong operator", node, {"op": other}, (node, f" with {type(other).__name__}"))
    if isinstance(node.op, ast.Sub | ast.Div | ast.FloorDiv | ast.Mod):
        yield Found("swapped arguments", node, {"left": node.right, "right": node.left}, (node, " the other way round"))


def constant_faults(node: ast.Constant) -> Iterator[Found]:
    """Other values of a constant."""
    value = node.value
    if isinstance(value, bool):
        yield Found("wrong constant", node, {"value": not value}, (f"{value} becomes {not value}",))
    elif isinstance(value, int):
        for other in (value + 1, value - 1):
            yield Found("off by one", node, {"value": other}, (f"{value} becomes {other}",))
    elif isinstance(value, str) and value:
        said = value[1:] if value.startswith("-") else f"{value}x"
        yield Found("wrong constant", node, {"value": said}, (f"{value!r} becomes {said!r}",))


def _swapped(node: ast.Call) -> Iterator[Found]:
    """Neighbouring arguments exchanged, where their order matters."""
    if isinstance(node.func, ast.Name) and node.func.id in ("min", "max"):
        return
    args, named = node.args, node.keywords
    first = len(args) if is_ctx(node) else int(bool(args) and isinstance(args[0], ast.Name) and args[0].id == "ctx")
    for at in range(first, len(args) - 1):
        if not _same(args[at], args[at + 1]) and not any(isinstance(one, ast.Constant | ast.Starred) for one in args[at : at + 2]):
            values = [*args[:at], args[at + 1], args[at], *args[at + 2 :]]
            yield Found("swapped arguments", node, {"args": values}, (args[at], " and ", args[at + 1], " in ", node))
    for at in range(len(named) - 1):
        one, two = named[at : at + 2]
        if not _same(one.value, two.value) and (one.arg, two.arg) != PAGING:
            pair = [ast.keyword(arg=one.arg, value=two.value), ast.keyword(arg=two.arg, value=one.value)]
            yield Found("swapped arguments", node, {"keywords": [*named[:at], *pair, *named[at + 2 :]]}, (f"{one.arg} and {two.arg} in ", node))


def _same(one: ast.AST, other: ast.AST) -> bool:
    return ast.dump(one) == ast.dump(other)
