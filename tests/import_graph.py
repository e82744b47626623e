"""What each module of ours imports while it is imported itself, read from the source."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

OURS = ("seeds", "synth", "registry", "server", "evals", "envfarm")
APART = ("registry/store/migrations/", "__main__.py")
"""Scripts: alembic and Python run them, nobody imports them."""


def modules(root: Path) -> dict[str, Path]:
    """Every module by its name."""
    files = [path for name in OURS for path in sorted((root / name).rglob("*.py")) if not any(part in path.as_posix() for part in APART)]
    return {".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): path for path in files}


def imported(name: str, path: Path, known: dict[str, Path]) -> set[str]:
    """Modules that this one waits for: those it names, and the packages they lie in, but for its own."""
    found = {target for node in _at_once(_head(path.read_text("utf-8"))) for target in named(node, name, path, known)}
    around = {one for target in found for one in ancestors(target)} - set(ancestors(name))
    return (found | around) & set(known) - {name}


def lazily(path: Path, name: str, known: dict[str, Path]) -> list[str]:
    """Modules that its functions import, in the order in which they stand there."""
    tree = ast.parse(path.read_text("utf-8"))
    not_late = {id(node) for node in _at_once(tree)} | {id(one) for node in ast.walk(tree) if _for_types(node) for one in ast.walk(node)}
    late = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom) and id(node) not in not_late]
    late.sort(key=lambda node: node.lineno)
    return list(dict.fromkeys(target for node in late for target in named(node, name, path, known)))


def ancestors(name: str) -> list[str]:
    """The packages that a module lies in."""
    parts = name.split(".")
    return [".".join(parts[:count]) for count in range(1, len(parts))]


def named(node: ast.Import | ast.ImportFrom, name: str, path: Path, known: dict[str, Path]) -> Iterator[str]:
    """Modules of ours that one statement imports."""
    if isinstance(node, ast.Import):
        yield from (one.name for one in node.names if one.name in known)
        return
    source = node.module or ""
    if node.level:
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        parts = package.split(".")
        source = ".".join([*parts[: len(parts) - node.level + 1], *([node.module] if node.module else [])])
    if source in known:
        inside = [f"{source}.{one.name}" for one in node.names]
        yield from (one for one in inside if one in known)
        if any(one not in known for one in inside):
            yield source


def _head(text: str) -> ast.Module:
    """The module down to its first function or class, after which our modules import nothing at once: the rest takes long to parse."""
    try:
        return ast.parse(re.split(r"^(?:def |async def |class |@)", text, maxsplit=1, flags=re.MULTILINE)[0])
    except SyntaxError:  # such a line stands in a text
        return ast.parse(text)


def _at_once(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """Import statements that run with the module: none of functions, none for types alone."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) and not _for_types(node):
            yield from _at_once(node)


def _for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
