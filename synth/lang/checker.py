"""The state of a check, and the dispatch from Python syntax to typed nodes."""

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, ClassVar, Literal, TypeVar

from synth.lang.names import Names
from synth.lang.nodes import Const, Node, Where
from synth.lang.problems import Report
from synth.lang.refused import refused
from synth.lang.rules import UNKNOWN, is_unknown, spoken
from synth.lang.scope import Scope, path
from synth.lang.syntax import Source
from synth.lang.types import Type

Place = Literal["tool", "function", "invariant", "data", "field", "constant"]
Handler = Callable[["Checker", Any], Node]
Handled = TypeVar("Handled", bound=Handler)


class Checker:
    """Turns expressions of one function or property into typed nodes; problems go to the report, never out as exceptions.

    Attributes:
        field: What is checked, for messages (`tools.cancel_appointment`).
        place: What kind of text this is; generators stand only in `data`.
        lost: Names that were bound in a branch or loop that is over.
        none_here: Local names that are None in the innermost branch, and so may be bound again there.
        row_entity: For properties of fields: the entity whose fields are named without a dot.
    """

    handlers: ClassVar[dict[type[ast.AST], Handler]] = {}

    def __init__(self, names: Names, report: Report, source: Source, field: str, place: Place, row_entity: str = "") -> None:
        self.names = names
        self.report = report
        self.source = source
        self.field = field
        self.place: Place = place
        self.row_entity = row_entity
        self.scope = Scope(names={})
        self.none_here: frozenset[str] = frozenset()
        self.lost: set[str] = set()

    def where(self, node: ast.AST) -> Where:
        """Place of a part in the seed file."""
        return self.source.where(node)

    def said(self, node: ast.AST) -> str:
        """Text of a part as written."""
        return self.source.said(node)

    def add(self, node: ast.AST, *, expected: str, got: str, fix: str, code: str) -> Node:
        """Report a problem at a part; gives the node that stands for it from now on."""
        self.report.add(self.where(node), self.field, expected=expected, got=got, fix=fix, code=code)
        return self.unknown(node)

    def unknown(self, node: ast.AST) -> Node:
        """The node of something that is wrong and reported."""
        return Const(where=self.where(node), type=UNKNOWN, value=None)

    def expression(self, node: ast.AST) -> Node:
        """The typed node of any expression; None is possible."""
        handler = self.handlers.get(type(node))
        if handler is None:
            expected, fix = refused(node)
            return self.add(node, expected=expected, got=self.said(node), fix=fix, code="REFUSED")
        return handler(self, node)

    def value(self, node: ast.AST) -> Node:
        """The typed node of an expression that cannot be None here."""
        found = self.expression(node)
        if found.type.optional and not is_unknown(found.type):
            said = self.said(node)
            got = f"{said}, which may be None"
            return self.add(node, expected="a value", got=got, fix=test_first(said, found), code="MAY_BE_NONE")
        return found

    def condition(self, node: ast.AST) -> Node:
        """The typed node of a condition."""
        found = self.expression(node)
        if is_unknown(found.type) or (found.type.kind == "bool" and not found.type.optional):
            return found
        said = self.said(node)
        fix = f"Write `len({said}) > 0`" if found.type.kind in ("list", "map", "text") else f"Write a comparison, such as `{said} == …`"
        if found.type.optional:
            fix = f"Write `{said} is not None`"
        return self.add(node, expected="a condition", got=f"{said}, {_a(found.type)}", fix=fix, code="NOT_A_CONDITION")

    def mismatch(self, node: ast.AST, found: Node, expected: str, fix: str, code: str = "WRONG_TYPE") -> Node:
        """Report a value of the wrong type."""
        if is_unknown(found.type):
            return found
        return self.add(node, expected=expected, got=f"{self.said(node)}, {_a(found.type)}", fix=fix, code=code)

    @contextmanager
    def inside(self, scope: Scope) -> Iterator[None]:
        """Check with another scope for a while."""
        before, self.scope = self.scope, scope
        try:
            yield
        finally:
            self.scope = before


def handles(*kinds: type[ast.AST]) -> Callable[[Handled], Handled]:
    """Register a function as the one that checks these kinds of syntax."""

    def register(handler: Handled) -> Handled:
        for kind in kinds:
            Checker.handlers[kind] = handler
        return handler

    return register


def test_first(said: str, found: Node) -> str:
    """What to do about a value that may be None."""
    if path(found) is not None:
        return f"Test it first, with `{said} is not None`"
    return f"Bind it to a name and test that: `x = {said}`, then `x is not None`"


def retyped(node: Node, kind: Type) -> Node:
    """The same node with another type."""
    return replace(node, type=kind)


def _a(kind: Type) -> str:
    text = spoken(kind)
    if kind.kind == "money":
        return text
    if text.startswith(("a ", "None", "something")):
        return text
    return f"{'an' if text[0] in 'aeiou' else 'a'} {text}"
