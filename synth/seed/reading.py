"""One seed while it is read: its text, its shape, what it declares, what is wrong with it."""

import ast
import re
from dataclasses import dataclass
from typing import Literal

from synth.lang.checker import Checker, Place
from synth.lang.names import Names
from synth.lang.nodes import Where
from synth.lang.problems import Report
from synth.lang.syntax import Source, parse_block, parse_expression, source
from synth.seed.model import SeedModel
from synth.seed.tree import Mapping, Scalar, Tree, find, find_key

Step = str | int
ENTITY_NAME = re.compile(r"[A-Z][A-Za-z0-9]{0,39}")
FIELD_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
CONSTANT_NAME = re.compile(r"[A-Z][A-Z0-9_]{0,39}")
BlockName = Literal["functions", "tools", "invariants", "data"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What all steps of reading share."""

    file: str
    lines: tuple[str, ...]
    tree: Mapping
    model: SeedModel
    names: Names
    report: Report

    def where(self, *path: Step) -> Where:
        """Place of a value in the file."""
        return find(self.tree, path)

    def where_key(self, *path: Step) -> Where:
        """Place of a key in the file."""
        return find_key(self.tree, path)

    def add(self, path: tuple[Step, ...], *, expected: str, got: str, fix: str, code: str, key: bool = False) -> None:
        """Report a problem at a value, or at its key."""
        where = self.where_key(*path) if key else self.where(*path)
        self.report.add(where, ".".join(str(one) for one in path), expected=expected, got=got, fix=fix, code=code)

    def scalar(self, *path: Step) -> Scalar | None:
        """The scalar at a path, or None."""
        node: Tree | None = self.tree
        for step in path:
            if isinstance(node, Mapping) and isinstance(step, str):
                node = node.get(step)
            else:
                items = getattr(node, "items", ())
                node = items[step] if isinstance(step, int) and step < len(items) else None
        return node if isinstance(node, Scalar) else None

    def text(self, *path: Step) -> Source:
        """A one-expression property as Python text with its place."""
        found = self.scalar(*path)
        if found is None:
            return source(self.file, "", 1, (0, 0))
        if found.style in ("|", ">"):
            return self._literal(found)
        column = found.where.column - 1 + (1 if found.style else 0)
        return source(self.file, found.value, found.where.line, (column, 0))

    def _literal(self, found: Scalar) -> Source:
        """The text of a literal block; its indent is what the file has more than the text."""
        first = next((number for number, line in enumerate(found.value.split("\n")) if line.strip()), 0)
        number = found.where.line + first
        there = self.lines[number] if number < len(self.lines) else ""
        here = found.value.split("\n")[first]
        indent = max(len(there) - len(here), 0)
        return source(self.file, found.value, found.where.line + 1, (indent, indent))

    def block(self, name: BlockName) -> tuple[Source, tuple[ast.FunctionDef, ...]]:
        """A literal block and its functions."""
        found = self.scalar(name)
        if found is None or not found.value.strip():
            return source(self.file, "", 1, (0, 0)), ()
        if found.style != "|":
            fix = f"Write `{name}: |` and the functions below it, indented"
            self.add((name,), expected="a literal block", got="another kind of text", fix=fix, code="NOT_A_BLOCK")
            return source(self.file, "", 1, (0, 0)), ()
        text = self._literal(found)
        return text, parse_block(text, name, self.report)

    def checker(self, text: Source, field: str, place: Place, row_entity: str = "") -> Checker:
        """A checker for one property."""
        return Checker(self.names, self.report, text, field, place, row_entity)

    def expression(self, path: tuple[Step, ...], row_entity: str = "") -> tuple[Checker, ast.expr | None]:
        """A checker and the syntax of a one-expression property."""
        field = ".".join(str(one) for one in path)
        text = self.text(*path)
        return self.checker(text, field, "field", row_entity), parse_expression(text, field, self.report)
