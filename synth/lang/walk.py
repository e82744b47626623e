"""Walks over typed nodes: parts, free names, substitution, equality without regard to places."""

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import fields, replace
from functools import cache
from typing import Any, cast

from synth.lang.domain import Function
from synth.lang.nodes import Apply, Attr, Bind, Clause, Comprehension, Lambda, Local, Node, Return, Rule, Statement

Part = Node | Statement | Clause
PARTS = (Node, Statement, Clause)
"""What trees are made of. A tuple, since a union of classes is made anew wherever it is written."""


@cache
def _named_slots(kind: Hashable) -> tuple[str, ...]:
    return tuple(one.name for one in fields(cast("Any", kind)) if one.name not in ("where", "type"))


def _slots(kind: Any) -> tuple[str, ...]:
    return _named_slots(kind)


def children(node: Part) -> list[Part]:
    """Direct parts of a node, in the order in which they are written."""
    found: list[Part] = []
    for name in _slots(type(node)):
        value = getattr(node, name)
        if isinstance(value, PARTS):
            found.append(value)
        elif isinstance(value, tuple):
            _gather(value, found)
    return found


def _gather(values: tuple[object, ...], found: list[Part]) -> None:
    """Adds the parts in a tuple, also of tuples."""
    for one in values:
        if isinstance(one, PARTS):
            found.append(one)
        elif isinstance(one, tuple):
            _gather(one, found)


def nodes(*roots: Part | tuple[Part, ...]) -> Iterator[Part]:
    """Nodes (or tuples of them) and everything in them, outermost first."""
    pending: list[Part] = []
    _gather(roots, pending)
    pending.reverse()
    while pending:
        one = pending.pop()
        yield one
        pending.extend(reversed(children(one)))


def statements(body: tuple[Statement, ...]) -> Iterator[Statement]:
    """All statements of a body, those inside branches and loops too."""
    for one in body:
        yield from (each for each in nodes(one) if isinstance(each, Statement))


def rebuilt(node: Any, change: Callable[[Any], Any]) -> Any:
    """The node with every direct part changed."""
    return replace(node, **{name: _changed(getattr(node, name), change) for name in _slots(type(node))})


def _changed(value: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(value, PARTS):
        return change(value)
    if isinstance(value, tuple):
        return tuple(_changed(one, change) for one in value)
    return value


def shape(node: object) -> object:
    """A value that is equal for two nodes that mean the same, wherever they stand."""
    if isinstance(node, PARTS):
        return (type(node).__name__, *(shape(getattr(node, name)) for name in _slots(type(node))))
    if isinstance(node, tuple):
        return tuple(shape(one) for one in node)
    return (type(node).__name__, node) if isinstance(node, bool | int) else node


def bound_names(node: Node | Clause) -> frozenset[str]:
    """Names that a comprehension or lambda binds."""
    if isinstance(node, Comprehension):
        return frozenset(name for one in node.clauses for name in one.targets)
    return frozenset({node.parameter}) if isinstance(node, Lambda) else frozenset()


def free_names(node: Node | Statement | Clause) -> frozenset[str]:
    """Local names that an expression needs from outside."""
    if isinstance(node, Local):
        return frozenset({node.name})
    inner = frozenset().union(*(free_names(one) for one in children(node)))
    return inner - bound_names(node) if isinstance(node, Comprehension | Lambda) else inner


def substitute(node: Any, values: Mapping[str, Node]) -> Any:
    """The expression with local names replaced; names that it binds itself are renamed where they would catch one."""
    if isinstance(node, Local):
        found = values.get(node.name)
        return found if found is not None else node
    if isinstance(node, Comprehension | Lambda):
        return _inside_binder(node, values)
    return rebuilt(node, lambda one: substitute(one, values))


def _inside_binder(node: Comprehension | Lambda, values: Mapping[str, Node]) -> Any:
    own = bound_names(node)
    kept = {name: value for name, value in values.items() if name not in own}
    caught = own & frozenset().union(*(free_names(value) for value in kept.values()))
    renamed = {name: f"{name}_in" for name in sorted(caught)}
    inner: dict[str, Node] = {**kept, **{old: Local(where=node.where, type=node.type, name=new) for old, new in renamed.items()}}

    def change(one: Any) -> Any:
        if isinstance(one, Clause):
            changed = rebuilt(one, lambda part: substitute(part, inner))
            return replace(changed, targets=tuple(renamed.get(name, name) for name in one.targets))
        return substitute(one, inner)

    result = rebuilt(node, change)
    return replace(result, parameter=renamed.get(result.parameter, result.parameter)) if isinstance(result, Lambda) else result


def inlined(call: Apply, function: Function) -> Node | None:
    """What a call of a function gives, as an expression over the caller's names; None if it returns nothing."""
    values: dict[str, Node] = {parameter.name: arg for parameter, arg in zip(function.params, call.args, strict=True)}
    for one in function.body:
        if isinstance(one, Bind):
            values[one.name] = substitute(one.value, values)
        elif isinstance(one, Return):
            found: Node = substitute(one.value, values)
            return found
    return None


def rules(body: tuple[Statement, ...]) -> Iterator[Rule]:
    """All rules of a body, in order."""
    for one in statements(body):
        if isinstance(one, Rule):
            yield one


def depth(node: object) -> int:
    """How many rows are passed on the way to an attribute."""
    steps = 0
    while isinstance(node, Attr):
        node, steps = node.base, steps + 1
    return steps
