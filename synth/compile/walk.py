"""Walks over the typed tree: what an expression or statement reads, calls, writes."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from synth.lang import nodes as n
from synth.lang.domain import Domain, Function
from synth.lang.types import Type


def inside(node: Any) -> Iterator[Any]:
    """The node and every node or statement below it."""
    if isinstance(node, tuple):
        for one in node:
            yield from inside(one)
    elif is_dataclass(node) and not isinstance(node, n.Where | Type | type):
        yield node
        for one in fields(node):
            yield from inside(getattr(node, one.name))


def local_names(node: Any) -> set[str]:
    """Local names that are read."""
    return {one.name for one in inside(node) if isinstance(one, n.Local)}


def applied(node: Any) -> list[str]:
    """Functions of the seed that are called, in order of first call."""
    return list(dict.fromkeys(one.function for one in inside(node) if isinstance(one, n.Apply)))


def reachable(domain: Domain, roots: Iterable[Any]) -> set[str]:
    """Functions that are called from these trees, directly or through others."""
    known = {one.name: one for one in domain.functions}
    found: set[str] = set()
    pending = [name for root in roots for name in applied(root)]
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending.extend(applied(known[name].body))
    return found


def rules(body: tuple[n.Statement, ...]) -> list[n.Rule]:
    """The rules of a body, nested ones too, in order."""
    return [one for one in inside(body) if isinstance(one, n.Rule)]


def rules_through(domain: Domain, body: tuple[n.Statement, ...]) -> list[n.Rule]:
    """The rules of a body and of the functions that it calls, in the order in which they are met."""
    known = {one.name: one for one in domain.functions}
    found: list[n.Rule] = []
    for one in inside(body):
        if isinstance(one, n.Rule):
            found.append(one)
        elif isinstance(one, n.Apply):
            found.extend(rules_through(domain, known[one.function].body))
    return found


def with_rules(domain: Domain) -> frozenset[str]:
    """Functions that hold a rule, or call one that does."""
    return frozenset(one.name for one in domain.functions if rules_through(domain, one.body))


def without_policies(body: tuple[n.Statement, ...]) -> tuple[n.Statement, ...]:
    """The body without policies, and without the bindings that only they read."""
    kept = _filtered(body, lambda one: not (isinstance(one, n.Rule) and not one.enforced))
    while (fewer := _without_idle(kept)) != kept:
        kept = fewer
    return kept


def _without_idle(body: tuple[n.Statement, ...]) -> tuple[n.Statement, ...]:
    used = local_names(tuple(_readers(body)))
    return _filtered(body, lambda one: not _idle(one, used))


def _readers(body: tuple[n.Statement, ...]) -> Iterator[Any]:
    """All parts of a body that read names."""
    for one in inside(body):
        if isinstance(one, n.Node):
            yield one


def _idle(one: n.Statement, used: set[str]) -> bool:
    """Whether a binding has no effect and nobody reads it."""
    return isinstance(one, n.Bind) and one.name not in used and not has_effect_or_rule(one.value)


def has_effect_or_rule(node: Any) -> bool:
    """Whether an expression may write or refuse: those that create, copy or call a function, which is kept to be safe."""
    return any(isinstance(one, n.Create | n.Copy | n.Apply) for one in inside(node))


def _filtered(body: tuple[n.Statement, ...], keep: Callable[[n.Statement], bool]) -> tuple[n.Statement, ...]:
    made: list[n.Statement] = []
    for one in body:
        if not keep(one):
            continue
        if isinstance(one, n.If):
            branches = tuple((condition, _filtered(inner, keep)) for condition, inner in one.branches)
            if any(inner for _, inner in branches):
                made.append(n.If(where=one.where, branches=branches))
        elif isinstance(one, n.For):
            inner = _filtered(one.body, keep)
            if inner:
                made.append(n.For(where=one.where, targets=one.targets, source=one.source, body=inner))
        else:
            made.append(one)
    return tuple(made)


def effects(function: Function) -> bool:
    """Whether a function writes."""
    return function.effects
