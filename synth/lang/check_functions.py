"""Checks `functions:`, in an order in which each is known before it is called."""

import ast
from collections.abc import Iterable

from synth.lang.builtins import EFFECTS, FUNCTIONS, RULES
from synth.lang.checker import Checker
from synth.lang.domain import Function
from synth.lang.names import Names
from synth.lang.params import describe, parameters
from synth.lang.problems import Report
from synth.lang.rules import is_unknown
from synth.lang.statements import body
from synth.lang.syntax import Source
from synth.lang.types import NONE


def check_functions(names: Names, report: Report, source: Source, trees: tuple[ast.FunctionDef, ...]) -> tuple[Function, ...]:
    """The functions of the block, in its order; they are put into `names` as they are checked."""
    names.seed_functions = frozenset(one.name for one in trees)
    known = _unique(names, report, source, trees, "functions")
    for tree in _callees_first(names, report, source, known):
        function = _function(names, report, source, tree)
        if function is None:
            names.broken.add(tree.name)
        else:
            names.functions[tree.name] = function
    return tuple(names.functions[one.name] for one in known if one.name in names.functions)


def _unique(names: Names, report: Report, source: Source, trees: Iterable[ast.FunctionDef], field: str) -> tuple[ast.FunctionDef, ...]:
    """The functions whose name is free."""
    found: dict[str, ast.FunctionDef] = {}
    for one in trees:
        checker = Checker(names, report, source, f"{field}.{one.name}", "function")
        if one.name in found:
            checker.add(one, expected="each name once", got=one.name, fix="Rename one of them", code="DUPLICATE_NAME")
        elif not free_name(checker, one):
            names.broken.add(one.name)
        else:
            found[one.name] = one
    return tuple(found.values())


def free_name(checker: Checker, node: ast.FunctionDef) -> bool:
    """Whether a function may be called so; a problem is reported."""
    taken = checker.names.taken()
    if node.name in taken:
        checker.add(node, expected="a name of its own", got=f"{node.name}, which is {taken[node.name]}", fix="Choose another name", code="SHADOWING")
    elif node.name in FUNCTIONS or node.name in EFFECTS or node.name in RULES:
        checker.add(node, expected="a name of its own", got=f"{node.name}, a function of the language", fix="Choose another name", code="SHADOWING")
    elif node.name.startswith("_") or node.name in ("ctx", "rt") or node.name != node.name.lower():
        checker.add(node, expected="a name in small letters", got=node.name, fix="Write it like list_free_slots", code="BAD_NAME")
    else:
        return True
    return False


def _callees_first(names: Names, report: Report, source: Source, trees: tuple[ast.FunctionDef, ...]) -> list[ast.FunctionDef]:
    """The functions ordered so that each stands after those that it calls; recursion is reported and broken."""
    by_name = {one.name: one for one in trees}
    calls = {one.name: _called(one, by_name) for one in trees}
    done: list[str] = []
    state: dict[str, int] = {}
    for start in by_name:
        stack = [(start, iter(calls[start]))] if start not in state else []
        state.setdefault(start, 1)
        while stack:
            name, rest = stack[-1]
            callee = next(rest, None)
            if callee is None:
                stack.pop()
                if state[name] == 1:
                    done.append(name)
                state[name] = 2
            elif callee not in state:
                state[callee] = 1
                stack.append((callee, iter(calls[callee])))
            elif state[callee] == 1:
                _recursion(names, report, source, by_name[name], callee)
    return [by_name[one] for one in done if one not in names.broken]


def _called(tree: ast.FunctionDef, known: dict[str, ast.FunctionDef]) -> list[str]:
    found = [one.func.id for one in ast.walk(tree) if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)]
    return sorted(set(found) & set(known))


def _recursion(names: Names, report: Report, source: Source, tree: ast.FunctionDef, callee: str) -> None:
    checker = Checker(names, report, source, f"functions.{tree.name}", "function")
    fix = "Use tree(row), .ancestors or .descendants for trees, a comprehension for lists"
    checker.add(tree, expected="no recursion", got=f"{tree.name}, which calls {callee} again", fix=fix, code="RECURSION")
    names.broken.update({tree.name, callee})


def _function(names: Names, report: Report, source: Source, tree: ast.FunctionDef) -> Function | None:
    checker = Checker(names, report, source, f"functions.{tree.name}", "function")
    for decorator in tree.decorator_list:
        checker.add(
            decorator, expected="a function without decorators", got=checker.said(decorator), fix="Decorators belong to tools", code="REFUSED"
        )
    params = parameters(checker, tree)
    statements, seen = body(checker, tree)
    lost = any(isinstance(one, ast.Name) and one.id in names.broken for one in ast.walk(tree))
    if seen.result is None and not seen.effects and not seen.rules and not lost:
        checker.add(tree, expected="a return", got="a function that gives and does nothing", fix="Return a value as the last line", code="NO_RETURN")
        return None
    if seen.rules:
        names.ruled.add(tree.name)
    if seen.result is not None and is_unknown(seen.result):
        return None
    result = None if seen.result is None or seen.result == NONE else seen.result
    doc = describe(ast.get_docstring(tree) or "", {one.name for one in params})[0]
    return Function(name=tree.name, where=checker.where(tree), params=params, body=statements, result=result, effects=seen.effects, doc=doc)
