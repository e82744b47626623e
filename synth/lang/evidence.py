"""The rows that a correct decline must cite when a rule does not say so itself."""

from collections.abc import Iterator
from dataclasses import replace

from synth.lang.checker import Checker
from synth.lang.nodes import Apply, Attr, Call, Clause, Comprehension, Given, Head, Local, Node, Single, Unary
from synth.lang.types import BOOL, Type, list_of
from synth.lang.walk import bound_names, children, free_names, inlined, shape

MOST_DEPTH = 30


def inferred(checker: Checker, condition: Node) -> tuple[Node, ...]:
    """Rows whose fields a condition tests, through bindings; for lists, their members.

    Rows of entities with one row are left out: there is nothing to look up.
    """
    found: dict[object, Node] = {}
    for one in _tested(checker, condition, 0):
        if not isinstance(one, Single | Given):
            found.setdefault(shape(one), one)
    return tuple(found.values())


def _tested(checker: Checker, node: Node, depth: int) -> Iterator[Node]:
    if depth > MOST_DEPTH:
        return
    if isinstance(node, Attr):
        yield from _attribute(checker, node, depth)
    elif isinstance(node, Local):
        yield from _local(checker, node, depth)
    elif isinstance(node, Apply):
        yield from _apply(checker, node, depth)
    elif isinstance(node, Comprehension):
        yield from _comprehension(checker, node, depth, unless=False)
    elif isinstance(node, Call) and node.name == "all" and isinstance(node.args[0], Comprehension):
        yield from _comprehension(checker, node.args[0], depth, unless=True)
    else:
        for one in children(node):
            if isinstance(one, Node):
                yield from _tested(checker, one, depth + 1)


def _attribute(checker: Checker, node: Attr, depth: int) -> Iterator[Node]:
    if node.access in ("struct", "part", "record"):
        yield from _tested(checker, node.base, depth + 1)
    elif node.access == "reverse":
        yield node
    elif node.access == "field" and not _is_reference(node):
        yield node.base


def _is_reference(node: Attr) -> bool:
    return node.type.kind == "row"


def _local(checker: Checker, node: Local, depth: int) -> Iterator[Node]:
    known = checker.scope.names.get(node.name)
    if known is None or known.value is None:
        return
    if _is_rows(node.type) and isinstance(known.value, Comprehension | Apply | Head | Call):
        yield node
        return
    yield from _tested(checker, known.value, depth + 1)


def _apply(checker: Checker, node: Apply, depth: int) -> Iterator[Node]:
    if _is_rows(node.type):
        yield node
        return
    function = checker.names.functions.get(node.function)
    value = inlined(node, function) if function is not None else None
    if value is not None:
        yield from _tested(checker, value, depth + 1)


def _comprehension(checker: Checker, node: Comprehension, depth: int, *, unless: bool) -> Iterator[Node]:
    """The members of a list, and rows outside of it that its conditions test."""
    own = bound_names(node)
    target = _row_target(node)
    if target is not None:
        yield _members(node, target, unless=unless)
    parts = [*(one for clause in node.clauses for one in clause.conditions), node.element]
    for part in parts:
        for one in _tested(checker, part, depth + 1):
            if not free_names(one) & own:
                yield one


def _row_target(node: Comprehension) -> Local | None:
    """The first loop variable that is a row, if a field of it is tested or it is the element."""
    for clause in node.clauses:
        item = clause.source.type.item
        if len(clause.targets) == 1 and item is not None and item.kind == "row":
            return Local(where=node.where, type=item, name=clause.targets[0])
    return None


def _members(node: Comprehension, target: Local, *, unless: bool) -> Node:
    clauses: tuple[Clause, ...] = node.clauses
    if unless:
        test = Unary(where=node.element.where, type=BOOL, op="not", operand=node.element)
        clauses = (*clauses[:-1], replace(clauses[-1], conditions=(*clauses[-1].conditions, test)))
    if len(clauses) == 1 and not clauses[0].conditions:
        return clauses[0].source
    return Comprehension(where=node.where, type=list_of(target.type), element=target, key=None, clauses=clauses)


def _is_rows(kind: Type) -> bool:
    return kind.kind == "list" and kind.item is not None and kind.item.kind == "row"
