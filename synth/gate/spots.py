"""Where in a function a fault is put: the statement that it changes, and which of those that read alike."""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from synth.gate.faulty import Found

LONGEST = 100


def told(node: ast.AST) -> str:
    """Code of a node on one line, cut off where it is long."""
    text = " ".join(ast.unparse(ast.fix_missing_locations(node)).split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def said(found: Found) -> str:
    """What a fault changes."""
    return "".join(one if isinstance(one, str) else told(one) for one in found.says)


def spotted(function: ast.FunctionDef, faults: Iterable[Found]) -> Iterator[tuple[Found, str]]:
    """Each fault of a function with its place: no two that say the same have one place.

    The number among those that read alike goes with how many there are, so that a name never comes to stand for another fault when one is added.
    """
    around, listed = _around(function), list(faults)
    places = [_place(around.get(id(one.node)), one) for one in listed]
    alike = Counter((one.kind, said(one), place) for one, place in zip(listed, places, strict=True))
    seen: Counter[tuple[str, str, str]] = Counter()
    for one, place in zip(listed, places, strict=True):
        name = one.kind, said(one), place
        seen[name] += 1
        yield one, place if alike[name] == 1 else f"{place} ({seen[name]} of {alike[name]})".strip()


def _around(function: ast.FunctionDef) -> Mapping[int, ast.stmt]:
    """For each node, by its id, the innermost statement that it is a part of."""
    found: dict[int, ast.stmt] = {}
    pending: list[tuple[ast.AST, ast.stmt]] = [(function, function)]
    while pending:
        node, statement = pending.pop()
        inner = node if isinstance(node, ast.stmt) else statement
        found[id(node)] = inner
        pending.extend((one, inner) for one in ast.iter_child_nodes(node))
    return found


def _place(statement: ast.stmt | None, found: Found) -> str:
    """The line with which a statement begins; nothing where the fault says that itself."""
    if statement is None or (statement is found.node and not isinstance(statement, ast.If)):
        return ""
    match statement:
        case ast.FunctionDef():
            return "in its parameters"
        case ast.If():
            return f"in `if {told(statement.test)}`"
        case ast.For():
            return f"in `for {told(statement.target)} in {told(statement.iter)}`"
        case _:
            return f"in `{told(statement)}`"
