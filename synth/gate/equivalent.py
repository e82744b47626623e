"""Rules by which a mutant is told to be equivalent from its text alone."""

import ast
from collections.abc import Mapping

from synth.gate.edits import Edit
from synth.gate.places import Places, calls_runtime

PLACES = "more places than the figure has"
"""`rt.fixed(x, 3)` for `rt.fixed(x, 2)`, or the like with `rt.rounded`, where `x` is made of stored columns and whole numbers by adding, multiplying
and choosing, so that it has two places at most (`Places`): then rounding to one more changes nothing."""
EXCLUDED = "the case that differs is refused before"
"""`a >= b` for `a > b`, or the like, where the tool has refused `a == b` before, and both are names or the lengths of lists that are bound once."""

EITHER_WAY = "the function gives the same with these two arguments exchanged"
"""`meets(ctx, b, a)` for `meets(ctx, a, b)`, where the function gives back one expression of comparisons, sums and attributes that reads the
same when its two parameters change places: operands of `and`, `or` and `==` may stand either way round, and `a < b` is `b > a`."""
TURNED: Mapping[type[ast.AST], str] = {ast.Gt: "Lt", ast.GtE: "LtE"}


def equivalent(edit: Edit, places: Places) -> str:
    """The rule by which a mutant cannot differ, or nothing."""
    return PLACES if _more_places(edit, places) else EXCLUDED if _excluded(edit) else EITHER_WAY if _either_way(edit, places) else ""


def _either_way(edit: Edit, places: Places) -> bool:
    call, args = edit.found.node, edit.found.values.get("args")
    if edit.kind != "swapped arguments" or not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or args is None:
        return False
    function = places.function(call.func.id)
    if function is None or len(function.args.args) != len(call.args):
        return False
    moved = [one.arg for one, held, other in zip(function.args.args, call.args, args, strict=True) if held is not other]
    body = [one for one in function.body if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))]
    if len(moved) != 2 or len(body) != 1 or not isinstance(body[0], ast.Return) or body[0].value is None:
        return False
    names = {moved[0]: moved[1], moved[1]: moved[0]}
    as_it_is, turned = _form(body[0].value, {}), _form(body[0].value, names)
    return as_it_is != "" and as_it_is == turned


def _form(node: ast.AST, names: Mapping[str, str]) -> str:
    """A text that two expressions share only if they are the same but for the order of operands that does not matter; nothing for other expressions.

    Args:
        names: Other names for some.
    """
    match node:
        case ast.Name():
            return names.get(node.id, node.id)
        case ast.Constant():
            return repr(node.value)
        case ast.Attribute():
            return _joined([_form(node.value, names)], f".{node.attr}")
        case ast.BinOp(op=ast.Add() | ast.Sub()):
            return _joined([_form(node.left, names), _form(node.right, names)], type(node.op).__name__)
        case ast.BoolOp():
            return _joined(sorted(_form(one, names) for one in node.values), type(node.op).__name__)
        case ast.Compare(ops=[op], comparators=[right]):
            sides = [_form(node.left, names), _form(right, names)]
            sides = sorted(sides) if isinstance(op, ast.Eq | ast.NotEq) else sides[::-1] if type(op) in TURNED else sides
            return _joined(sides, TURNED.get(type(op), type(op).__name__))
        case _:
            return ""


def _joined(parts: list[str], how: str) -> str:
    return f"({how} {' '.join(parts)})" if all(parts) else ""


def _excluded(edit: Edit) -> bool:
    node = edit.found.node
    if edit.kind != "off by one" or not isinstance(node, ast.Compare) or len(node.ops) != 1:
        return False
    sides = (node.left, node.comparators[0])
    if not all(_settled(one) for one in sides):
        return False
    return any(_refuses_equal(one, *sides) for one in edit.tree.body if one.end_lineno is not None and one.end_lineno < node.lineno)


def _settled(side: ast.expr) -> bool:
    """Whether a side is a name that is bound once, a constant, or the length of what such a name stands for: no effect changes it."""
    if isinstance(side, ast.Call) and isinstance(side.func, ast.Name) and side.func.id == "len":
        side = side.args[0]
    return isinstance(side, ast.Name | ast.Constant)


def _refuses_equal(one: ast.stmt, left: ast.expr, right: ast.expr) -> bool:
    """Whether a statement is `if left == right: raise …`."""
    match one:
        case ast.If(test=ast.Compare(ops=[ast.Eq()]) as test, body=[ast.Raise()]):
            return {ast.dump(test.left), ast.dump(test.comparators[0])} == {ast.dump(left), ast.dump(right)}
        case _:
            return False


def _more_places(edit: Edit, places: Places) -> bool:
    node, value = edit.found.node, edit.found.values.get("value")
    if edit.kind != "off by one" or not isinstance(node, ast.Constant) or not isinstance(node.value, int) or value != node.value + 1:
        return False
    calls = [one for one in ast.walk(edit.tree) if isinstance(one, ast.Call) and calls_runtime(one, ("fixed", "fixed_or_none", "rounded"))]
    found = [places.of(edit.tree, one.args[0]) for one in calls if one.args[-1] is node]
    return bool(found) and all(one is not None and one <= node.value for one in found)
