"""Rules by which a mutant is told to be equivalent from its text alone."""

import ast

from synth.gate.edits import Edit
from synth.gate.places import Places, calls_runtime

PLACES = "more places than the figure has"
"""`rt.fixed(x, 3)` for `rt.fixed(x, 2)`, or the like with `rt.rounded`, where `x` is made of stored columns and whole numbers by adding, multiplying
and choosing, so that it has two places at most (`Places`): then rounding to one more changes nothing."""
EXCLUDED = "the case that differs is refused before"
"""`a >= b` for `a > b`, or the like, where the tool has refused `a == b` before, and both are names or the lengths of lists that are bound once."""


def equivalent(edit: Edit, places: Places) -> str:
    """The rule by which a mutant cannot differ, or nothing."""
    return PLACES if _more_places(edit, places) else EXCLUDED if _excluded(edit) else ""


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
