"""The imports that generated lines need, found from the names that they use."""

import ast
from collections.abc import Iterable, Iterator

SORTER_WIDTH = 88
"""Line length of import sorters that are not told any other."""

_MODULES = (
    ("builtins", "import builtins"),
    ("dt", "import datetime as dt"),
    ("Callable", "from collections.abc import Callable"),
    ("dataclass", "from dataclasses import dataclass"),
    ("Decimal", "from decimal import Decimal"),
    ("Fraction", "from fractions import Fraction"),
)


def imports(body: list[str], rows: Iterable[str] = (), tools: Iterable[str] = ()) -> list[str]:
    """Import lines.

    Args:
        body: Lines of a module.
        rows: Names that rows.py offers.
        tools: Names that tools.py offers.
    """
    used = _names(ast.parse("\n".join(body)))
    lines = [line for name, line in _MODULES if name in used]
    typing = [name for name in ("Any", "ClassVar") if name in used]
    lines += [f"from typing import {', '.join(typing)}"] if typing else []
    lines += [*([""] if lines else []), "from registry.package import runtime as rt"]
    siblings = [*_from("rows", rows, used), *_from("tools", tools, used)]
    return [*lines, *([""] if siblings else []), *siblings]


def _names(tree: ast.AST) -> set[str]:
    return {name for node in ast.walk(tree) for name in _names_of(node)}


def _names_of(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield node.id
    annotation = getattr(node, "annotation", None)
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        yield from _names(ast.parse(annotation.value, mode="eval"))


def _import_order(name: str) -> tuple[int, str]:
    """Constants before classes before functions, as import sorters want them."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


def _from(module: str, offered: Iterable[str], used: set[str]) -> list[str]:
    wanted = sorted(set(offered) & used, key=_import_order)
    if not wanted:
        return []
    line = f"from .{module} import {', '.join(wanted)}"
    if len(line) <= SORTER_WIDTH:
        return [line]
    return [f"from .{module} import (", *(f"    {name}," for name in wanted), ")"]
