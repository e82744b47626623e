"""Rules by which a mutant is told to be equivalent from its text alone."""

import ast
from collections.abc import Iterator

from synth.gate.edits import Edit

PLACES = "more places than a sum of amounts has"
"""`rt.fixed(x, 3)` for `rt.fixed(x, 2)`, where `x` is made of columns and parameters by adding, subtracting and choosing: all of them have two
places or fewer, so rounding to one more changes nothing."""
CHOOSING = ("total", "greatest", "least", "first", "nth", "fixed", "fixed_or_none")


def equivalent(edit: Edit) -> str:
    """The rule by which a mutant cannot differ, or nothing."""
    return PLACES if _more_places(edit) else ""


def _more_places(edit: Edit) -> bool:
    node, value = edit.found.node, edit.found.values.get("value")
    if edit.kind != "off by one" or not isinstance(node, ast.Constant) or not isinstance(value, int) or value <= int(str(node.value)):
        return False
    calls = [one for one in ast.walk(edit.tree) if _named(one, ("fixed", "fixed_or_none")) and isinstance(one, ast.Call) and one.args[-1] is node]
    return bool(calls) and all(_adds_only(edit.tree, one.args[0]) for one in calls)


def _adds_only(function: ast.FunctionDef, value: ast.expr) -> bool:
    """Whether a value is made of columns, parameters and what names stand for by adding, subtracting and choosing alone."""
    seen: set[str] = set()
    pending: list[ast.expr] = [value]
    while pending:
        for node in ast.walk(pending.pop()):
            if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.Add | ast.Sub):
                return False
            if isinstance(node, ast.Call) and not (_named(node, CHOOSING) or _reads_rows(node)):
                return False
            if isinstance(node, ast.Name) and node.id not in seen:
                seen.add(node.id)
                pending.extend(_bound_to(function, node.id))
    return True


def _bound_to(function: ast.FunctionDef, name: str) -> Iterator[ast.expr]:
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and any(isinstance(one, ast.Name) and one.id == name for one in node.targets):
            yield node.value


def _named(node: ast.AST, names: tuple[str, ...]) -> bool:
    """Whether it calls one of these functions of the runtime."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) == "rt" and node.func.attr in names


def _reads_rows(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) == "ctx" and node.func.attr in ("find", "all", "count", "get")
