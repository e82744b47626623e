"""Faults that are put into generated tools on purpose: each a single edit of the syntax tree of one function."""

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import CodeType
from typing import Any

from registry.package.schema import Schema
from synth.gate.columns import Columns
from synth.gate.faulty import EditKind, Found, constant_faults, expression_faults, method, without
from synth.gate.spots import said, spotted, told

WRITES = ("insert", "update", "patch", "copy")
FILTERS = {"at_least": "at_most", "at_most": "at_least", "contains": "equal"}
MODULES = ("ctx", "rt", "dt")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Edit:
    """One fault in one generated function.

    Attributes:
        function: Name of the function; `tree` is its syntax, without the fault.
        found: What is changed.
        place: Where in the function; with what is changed it stands for this fault alone.
    """

    function: str
    tree: ast.FunctionDef
    found: Found
    place: str = ""

    @property
    def kind(self) -> EditKind:
        """What sort of fault it is."""
        return self.found.kind

    @property
    def key(self) -> str:
        """What names it in a list of exceptions: it stays the same when other functions change."""
        return f"{self.function}: {self.kind}: {said(self.found)} {self.place}".strip()

    def __str__(self) -> str:
        return f"tools.py, line {getattr(self.found.node, 'lineno', self.tree.lineno)}: {self.key}"

    def code(self) -> CodeType:
        """Compiled code of the function with the fault; the tree is as before afterwards."""
        held = {name: getattr(self.found.node, name) for name in self.found.values}
        try:
            self._put(self.found.values)
            return compiled(self.tree)
        finally:
            self._put(held)

    def _put(self, values: Mapping[str, Any]) -> None:
        for name, value in values.items():
            setattr(self.found.node, name, value)


def compiled(tree: ast.FunctionDef) -> CodeType:
    """Code of a module that holds just this function, without its docstring."""
    module = ast.Module(body=[ast.fix_missing_locations(tree)], type_ignores=[])
    return compile(module, "<mutant>", "exec", dont_inherit=True, optimize=2)


class Edits:
    """Makes all edits of the functions of one generated module.

    Args:
        schema: Its tables; `columns` are theirs.
        constants: Upper-case names that tools import, with their values.
    """

    def __init__(self, schema: Schema, constants: Mapping[str, Any]) -> None:
        self.columns = Columns(schema)
        self._constants = constants
        self._codes: tuple[str, ...] = ()

    def of(self, module: ast.Module, chosen: Callable[[str], bool] = lambda name: True) -> Iterator[Edit]:
        """Every edit, function by function in the order of the text.

        Args:
            chosen: Whether a function of this name is edited.
        """
        functions = [one for one in module.body if isinstance(one, ast.FunctionDef)]
        self._codes = tuple(sorted({str(_code(call).value) for one in functions for call in _refusals(one)}))
        for function in [one for one in functions if chosen(one.name)]:
            for found, place in spotted(function, self._found(function)):
                yield Edit(function=function.name, tree=function, found=found, place=place)

    def _found(self, function: ast.FunctionDef) -> Iterator[Found]:
        rows = self.columns.row_params(function)
        for holder, name in _bodies(function):
            yield from self._statements(holder, name, rows)
        for node in _executed(function):
            yield from expression_faults(node)
            yield from self._named(node)
        for default in function.args.defaults:
            if isinstance(default, ast.Constant):
                yield from constant_faults(default)

    def _statements(self, holder: ast.AST, name: str, rows: Mapping[str, str]) -> Iterator[Found]:
        body: list[ast.stmt] = getattr(holder, name)
        for at, one in enumerate(body):
            rest = without(body, at) or [ast.Pass()]
            call, made = _refused(one), _made(one)
            if call is not None:
                yield Found("dropped rule", holder, {name: rest}, (one,))
                yield from self._refusal(call, rows)
            elif isinstance(one, ast.Expr) and isinstance(one.value, ast.Call):
                yield Found("missing effect", holder, {name: rest}, (one,))
            if made is not None:
                yield Found("extra effect", holder, {name: [*body[:at], ast.Expr(value=made), *body[at:]]}, ("twice ", made))
            if isinstance(one, ast.Return):
                for row, table in rows.items():
                    for extra in self.columns.extra_updates(row, table):
                        yield Found("extra effect", holder, {name: [*body[:at], extra, *body[at:]]}, ("also ", extra))

    def _refusal(self, call: ast.Call, rows: Mapping[str, str]) -> Iterator[Found]:
        code = _code(call)
        held = str(code.value)
        other = next((one for one in self._codes if one != held), f"{held}_TOO")
        yield Found("wrong code", code, {"value": other}, (f"{held} becomes {other}",))
        if len(call.args) > 2:
            yield Found("wrong evidence", call, {"args": call.args[:-1]}, (f"{held} without ", call.args[-1]))
        cited = [told(one) for one in call.args[2:]]
        for row in [one for one in rows if one not in cited][:1]:
            added = ast.Name(id=row, ctx=ast.Load())
            yield Found("wrong evidence", call, {"args": [*call.args, added]}, (f"{held} with ", added, " too"))

    def _named(self, node: ast.AST) -> Iterator[Found]:
        """Faults that need to know columns and constants."""
        match node:
            case ast.Name() if node.id in self._constants:
                yield from self._constant(node)
            case ast.Attribute() if not (isinstance(node.value, ast.Name) and node.value.id in MODULES):
                for other in self.columns.others_anywhere(node.attr)[:1]:
                    yield Found("wrong column", node, {"attr": other}, (node, f" becomes .{other}"))
            case ast.Call() if method(node):
                table = self.columns.table_of(node)
                yield from self._search(node, table) if method(node) == "search" else self._keywords(node, table)

    def _constant(self, node: ast.Name) -> Iterator[Found]:
        value = self._constants[node.id]
        for name, other in sorted(self._constants.items()):
            if type(other) is type(value) and other != value:
                yield Found("wrong constant", node, {"id": name}, (f"{node.id} becomes {name}",))
                return

    def _keywords(self, node: ast.Call, table: str) -> Iterator[Found]:
        kind: EditKind = "missing effect" if method(node) in WRITES else "dropped rule"
        named = [one.arg for one in node.keywords]
        for at, one in enumerate(node.keywords):
            yield Found(kind, node, {"keywords": without(node.keywords, at)}, (f"{one.arg} is left out of ", node))
            others = self.columns.others(table, str(one.arg)) if table else self.columns.others_anywhere(str(one.arg))
            for other in [name for name in others if name not in named][:1]:
                yield Found("wrong column", one, {"arg": other}, (f"{one.arg} becomes {other} in ", node))

    def _search(self, node: ast.Call, table: str) -> Iterator[Found]:
        for at, one in enumerate(node.args[1:], 1):
            yield Found("dropped rule", node, {"args": without(node.args, at)}, ("no filter ", one))
            if isinstance(one, ast.Call) and isinstance(one.args[0], ast.Constant) and isinstance(one.func, ast.Attribute):
                for other in self.columns.others(table, str(one.args[0].value))[:1]:
                    yield Found("wrong column", one.args[0], {"value": other}, (one, f" by {other}"))
                if one.func.attr in FILTERS:
                    yield Found("flipped comparison", one.func, {"attr": FILTERS[one.func.attr]}, (one, f" becomes {FILTERS[one.func.attr]}"))
        for at, word in enumerate(node.keywords):
            yield Found("missing effect", node, {"keywords": without(node.keywords, at)}, (f"no {word.arg} in ", node))


def _made(one: ast.stmt) -> ast.Call | None:
    """The call that adds a row, if the statement is (or gives back, or names) one."""
    value = one.value if isinstance(one, ast.Expr | ast.Return | ast.Assign) else None
    return value if isinstance(value, ast.Call) and method(value) in ("insert", "copy") else None


def _refused(one: ast.AST) -> ast.Call | None:
    """The refusal of `if …: raise ctx.refuse(…)`."""
    if isinstance(one, ast.If) and len(one.body) == 1 and isinstance(one.body[0], ast.Raise) and isinstance(one.body[0].exc, ast.Call):
        return one.body[0].exc
    return None


def _refusals(function: ast.FunctionDef) -> Iterator[ast.Call]:
    for one in ast.walk(function):
        call = _refused(one)
        if call is not None:
            yield call


def _code(call: ast.Call) -> ast.Constant:
    code = call.args[0]
    if not isinstance(code, ast.Constant):
        raise TypeError(f"{ast.unparse(call)}: expected a refusal with a constant code")
    return code


def _bodies(function: ast.FunctionDef) -> Iterator[tuple[ast.AST, str]]:
    """Every list of statements, as the node and the field that hold it; those of refusals are left out."""
    for one in ast.walk(function):
        for name in ("body", "orelse") if _refused(one) is None else ():
            held = getattr(one, name, None)
            if isinstance(held, list) and held:
                yield one, name


def _executed(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """Every node of the body: no docstring, no annotation, no code of a refusal."""
    body = function.body[1:] if ast.get_docstring(function, clean=False) is not None else function.body
    pending: list[ast.AST] = list(reversed(body))
    while pending:
        node = pending.pop()
        yield node
        match node:
            case ast.Raise(exc=ast.Call()):
                inner: list[ast.AST] = list(node.exc.args[1:])  # type: ignore[union-attr]  # matched
            case ast.FormattedValue():
                inner = [node.value]
            case ast.AnnAssign():
                inner = [node.value] if node.value is not None else []
            case _:
                inner = list(ast.iter_child_nodes(node))
        pending.extend(reversed(inner))
