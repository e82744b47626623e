"""Python text inside a seed as syntax trees, with the place of each part in the seed file."""

import ast
import re
import warnings
from dataclasses import dataclass
from itertools import pairwise

from synth.lang.nodes import Where
from synth.lang.problems import Report

MOST_DEPTH = 80
MOST_NODES = 12_000
MOST_FUNCTIONS = 600
MOST_CHARACTERS = 150_000
SPACES = "spaces before what a line says"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Python text and where it stands in the file.

    Attributes:
        lines: The text by lines.
        line: Line of the file on which the text starts.
        indent: Columns to add on the first line, and on all others.
    """

    file: str
    text: str
    lines: tuple[str, ...]
    line: int
    indent: tuple[int, int]

    def place(self, line: int, column: int) -> Where:
        """A place in the file from a line (from 1) and a column (from 0, characters) in the text."""
        return Where(file=self.file, line=self.line + line - 1, column=column + 1 + self.indent[0 if line == 1 else 1])

    def where(self, node: ast.AST) -> Where:
        """Where a part of the text stands in the file."""
        line, offset = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
        text = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        return self.place(line, len(text.encode()[:offset].decode(errors="replace")))

    def said(self, node: ast.AST) -> str:
        """The text of a part."""
        first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0) or 0
        if not 0 < first <= last <= len(self.lines):
            return type(node).__name__
        lines = [one.encode() for one in self.lines[first - 1 : last]]
        lines[-1] = lines[-1][: getattr(node, "end_col_offset", None)]
        lines[0] = lines[0][getattr(node, "col_offset", 0) :]
        return b"\n".join(lines).decode(errors="replace")


def source(file: str, text: str, line: int, indent: tuple[int, int]) -> Source:
    """Text that starts on a line of a file, with its indents."""
    return Source(file=file, text=text, lines=tuple(text.split("\n")), line=line, indent=indent)


def parse_block(text: Source, field: str, report: Report) -> tuple[ast.FunctionDef, ...]:
    """The functions of a literal block. A function with a syntax error is reported and left out; so is everything that is not a `def`."""
    if not _fits(text, field, report):
        return ()
    tree = _parse(text.text)
    bodies: list[ast.stmt] = []
    if isinstance(tree, ast.Module):
        bodies = tree.body
    else:
        for start, piece in _pieces(text.text):
            part = _parse(piece)
            if isinstance(part, ast.Module):
                ast.increment_lineno(part, start)
                bodies.extend(part.body)
            else:
                part.lineno = (part.lineno or 1) + start
                _syntax(part, text, field, report)
    return tuple(one for one in bodies if _usable(one, text, field, report) and isinstance(one, ast.FunctionDef))


def _fits(text: Source, field: str, report: Report) -> bool:
    """Whether a block is small enough to be parsed."""
    functions, characters = len(re.findall(r"^def ", text.text, re.MULTILINE)), len(text.text)
    if functions <= MOST_FUNCTIONS and characters <= MOST_CHARACTERS:
        return True
    expected = f"at most {MOST_FUNCTIONS} functions and {MOST_CHARACTERS} characters in a block"
    got, fix = f"{functions} functions, {characters} characters", "Split the domain into several seeds"
    report.add(text.place(1, 0), field, expected=expected, got=got, fix=fix, code="TOO_MANY")
    return False


def parse_expression(text: Source, field: str, report: Report) -> ast.expr | None:
    """One expression; None after a problem."""
    stripped = text.text.strip()
    if not stripped:
        report.add(text.place(1, 0), field, expected="an expression", got="nothing", fix="Write one, or leave the key out", code="SYNTAX")
        return None
    tree = _parse(f"({text.text}\n)")
    if not isinstance(tree, ast.Module):
        _syntax(tree, text, field, report, shift=1)
        return None
    only = tree.body[0] if len(tree.body) == 1 else None
    if not isinstance(only, ast.Expr):
        report.add(text.place(1, 0), field, expected="one expression", got=text.text, fix="Write a single expression", code="SYNTAX")
        return None
    for node in ast.walk(only.value):
        if getattr(node, "lineno", 0) == 1 and isinstance(node, ast.expr):
            node.col_offset -= 1
            node.end_col_offset = (node.end_col_offset or 1) - (1 if node.end_lineno == 1 else 0)
    return only.value if _bounded(only.value, text, field, report) else None


class _TooDeep(SyntaxError):
    """Python's own parser gave up."""


def _parse(text: str) -> ast.Module | SyntaxError:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError as error:
        return error
    except (ValueError, RecursionError, MemoryError) as error:
        return _TooDeep(f"{type(error).__name__}")


def _pieces(text: str) -> list[tuple[int, str]]:
    """The text cut before each function and its decorators: line number (from 0) and text of each piece."""
    lines = text.split("\n")
    starts: list[int] = []
    decorated = False
    for number, line in enumerate(lines):
        if re.match(r"@|def |[A-Za-z_]", line):
            if not decorated:
                starts.append(number)
            decorated = line.startswith("@")
    cuts = [*starts, len(lines)]
    return [(a, "\n".join(lines[a:b])) for a, b in pairwise(cuts)]


def _syntax(error: SyntaxError, text: Source, field: str, report: Report, shift: int = 0) -> None:
    if isinstance(error, _TooDeep):
        fix = "Give parts of it a name, or move them into a function"
        report.add(text.place(1, 0), field, expected=f"at most {MOST_DEPTH} levels of nesting", got="more", fix=fix, code="TOO_DEEP")
        return
    line = min(max(error.lineno or 1, 1), text.text.count("\n") + 1)
    for number in (line, line - 1):
        tab = indent_tab(text.text, number)
        if isinstance(error, IndentationError) and tab is not None:
            report.add(text.place(number, tab), field, expected=SPACES, got="a tab", fix="Indent with spaces alone", code="TAB")
            return
    column = max((error.offset or 1) - 1 - (shift if line == 1 else 0), 0)
    report.add(
        text.place(line, column),
        field,
        expected="Python syntax",
        got=f"a syntax error ({error.msg})",
        fix="Correct the text at this place",
        code="SYNTAX",
    )


def indent_tab(text: str, number: int) -> int | None:
    """Where the indent of a line (from 1) has a tab; None if it has none, or the line nothing else."""
    line = text.split("\n")[number - 1] if number > 0 else ""
    indent = line[: len(line) - len(line.lstrip())]
    return indent.index("\t") if "\t" in indent and line.strip() else None


def _usable(node: ast.stmt, text: Source, field: str, report: Report) -> bool:
    if not isinstance(node, ast.FunctionDef):
        report.add(
            text.where(node),
            field,
            expected="only functions (`def name(…):`)",
            got=text.said(node),
            fix="Put constants under `constants:` and everything else into a function",
            code="NOT_A_FUNCTION",
        )
        return False
    return _bounded(node, text, f"{field}.{node.name}", report)


def _bounded(root: ast.AST, text: Source, field: str, report: Report) -> bool:
    """Whether the tree is small and flat enough to be checked."""
    stack, seen = [(root, 1)], 0
    while stack:
        node, depth = stack.pop()
        seen += 1
        if depth > MOST_DEPTH or seen > MOST_NODES:
            report.add(
                text.where(root),
                field,
                expected=f"at most {MOST_DEPTH} levels of nesting",
                got="more" if depth > MOST_DEPTH else f"more than {MOST_NODES} parts in all",
                fix="Give parts of it a name, or move them into a function",
                code="TOO_DEEP",
            )
            return False
        stack.extend((child, depth + 1) for child in ast.iter_child_nodes(node))
    return True
