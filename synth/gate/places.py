"""How many decimal places a figure in generated code can have, from its text."""

import ast
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from synth.gate.columns import Columns

CHOOSING = ("total", "greatest", "least", "first", "nth", "fixed", "fixed_or_none", "rounded")
COUNTING = ("count", "len")
DEPTH = 24


class Around(NamedTuple):
    """Where an expression stands: its function (None for a computed attribute of a row), and what names of comprehensions run over."""

    function: ast.FunctionDef | None
    targets: Mapping[str, ast.expr]


class Places:
    """Bounds the places of figures that are made of stored columns and whole numbers by adding, multiplying and choosing.

    Args:
        module: Syntax of tools.py, whose functions are followed.
        rows: Syntax of rows.py, whose computed attributes are followed.
        constants: Upper-case names that tools import, with their values.
    """

    def __init__(self, columns: Columns, module: ast.Module, rows: ast.Module, constants: Mapping[str, Any] = MappingProxyType({})) -> None:
        self._columns = columns
        self._whole = frozenset(name for name, value in constants.items() if isinstance(value, int))
        self._functions = {one.name: one for one in module.body if isinstance(one, ast.FunctionDef)}
        self._computed: dict[str, list[ast.expr]] = {}
        for one in ast.walk(rows):
            if isinstance(one, ast.FunctionDef) and any("always" in ast.unparse(mark) for mark in one.decorator_list):
                self._computed.setdefault(one.name, []).extend(_returned(one) or [ast.Constant(value=None)])

    def function(self, name: str) -> ast.FunctionDef | None:
        """A function of tools.py."""
        return self._functions.get(name)

    def of(self, function: ast.FunctionDef, value: ast.expr) -> int | None:
        """The most places that a value in a function can have, or None if that cannot be told."""
        return self._of(value, Around(function, {}), DEPTH)

    def _of(self, value: ast.expr, around: Around, depth: int) -> int | None:
        match value:
            case _ if not depth:
                return None
            case ast.BinOp():
                return self._computed_of(value, around, depth - 1)
            case ast.UnaryOp():
                return self._of(value.operand, around, depth - 1)
            case ast.IfExp():
                return self._most([value.body, value.orelse], around, depth)
            case ast.GeneratorExp() | ast.ListComp():
                inner = {one.target.id: one.iter for one in value.generators if isinstance(one.target, ast.Name)}
                return self._of(value.elt, Around(around.function, {**around.targets, **inner}), depth - 1)
            case ast.List() | ast.Tuple():
                return self._most(value.elts, around, depth)
            case ast.Call():
                return self._called(value, around, depth)
            case ast.Attribute():
                return self._attribute(value.attr, depth)
            case ast.Name():
                return self._named(value.id, around, depth)
            case ast.Constant(value=int()):
                return 0
            case _:
                return None

    def _most(self, values: list[ast.expr], around: Around, depth: int) -> int | None:
        found = [self._of(one, around, depth - 1) for one in values]
        known = [one for one in found if one is not None]
        return max(known, default=0) if len(known) == len(found) else None

    def _computed_of(self, value: ast.BinOp, around: Around, depth: int) -> int | None:
        sides = [self._of(one, around, depth) for one in (value.left, value.right)]
        left, right = sides
        if left is None or right is None:
            return None
        match value.op:
            case ast.Add() | ast.Sub():
                return max(left, right)
            case ast.Mult():
                return left + right
            case ast.FloorDiv():
                return 0
            case _:
                return None

    def _called(self, value: ast.Call, around: Around, depth: int) -> int | None:
        if isinstance(value.func, ast.Name):
            called = self._functions.get(value.func.id)
            if called is None:
                return 0 if value.func.id in COUNTING else self._most(value.args, around, depth) if value.func.id in ("sum", "max", "min") else None
            ends = _returned(called)
            found = [self._of(one, Around(called, {}), depth - 1) for one in ends]
            known = [one for one in found if one is not None]
            return max(known) if known and len(known) == len(found) else None
        return self._most(value.args, around, depth) if calls_runtime(value, CHOOSING) else None

    def _attribute(self, name: str, depth: int) -> int | None:
        computed, stored = self._computed.get(name, []), self._columns.stored(name)
        if not computed and not stored:
            return None
        places = self._columns.places(name) if stored else 0
        inner = self._most(computed, Around(None, {}), depth)
        return None if places is None or inner is None else max(places, inner)

    def _named(self, name: str, around: Around, depth: int) -> int | None:
        if name in around.targets:
            return self._of(around.targets[name], around, depth - 1)
        if around.function is None:
            return None
        bound = list(_bound_to(around.function, name))
        if bound:
            return self._most(bound, around, depth)
        if name in self._whole:
            return 0
        whole = any(one.arg == name and isinstance(one.annotation, ast.Name) and one.annotation.id == "int" for one in around.function.args.args)
        return 0 if whole else None


def _returned(function: ast.FunctionDef) -> list[ast.expr]:
    return [one.value for one in ast.walk(function) if isinstance(one, ast.Return) and one.value is not None]


def _bound_to(function: ast.FunctionDef, name: str) -> Iterator[ast.expr]:
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and any(isinstance(one, ast.Name) and one.id == name for one in node.targets):
            yield node.value


def calls_runtime(node: ast.AST, names: tuple[str, ...]) -> bool:
    """Whether it calls one of these functions of the runtime."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) == "rt" and node.func.attr in names
