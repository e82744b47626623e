"""Walks over the typed tree: what an expression or statement reads, calls, writes."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from synth.lang import nodes as n
from synth.lang.domain import Domain
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


def without_policies(domain: Domain, body: tuple[n.Statement, ...]) -> tuple[n.Statement, ...]:
    """The body without policies, and without the bindings that only they read."""
    return without_idle(domain, _filtered(body, lambda one: not (isinstance(one, n.Rule) and not one.enforced)))


def for_trial(domain: Domain, body: tuple[n.Statement, ...]) -> tuple[n.Statement, ...]:
    """The body without what neither writes, nor refuses, nor is read by what does; what is returned matters only for that."""
    made = tuple(n.Do(where=one.where, value=one.value) if isinstance(one, n.Return) else one for one in body)
    return without_idle(domain, made)


def without_idle(domain: Domain, body: tuple[n.Statement, ...]) -> tuple[n.Statement, ...]:
    """The body without bindings that nobody reads, as far as they do not write or refuse; those become statements of their own."""
    acting = acting_functions(domain)
    while (fewer := _fewer(body, acting)) != body:
        body = fewer
    return body


def _fewer(body: tuple[n.Statement, ...], acting: frozenset[str]) -> tuple[n.Statement, ...]:
    used = local_names(tuple(_readers(body)))
    return _changed(body, lambda one: _without_name(one, used, acting))


def _without_name(one: n.Statement, used: set[str], acting: frozenset[str]) -> n.Statement | None:
    """The statement; one that only acts if nobody reads its name; None if it does not even act."""
    if isinstance(one, n.Bind) and one.name not in used:
        one = n.Do(where=one.where, value=one.value)
    return None if isinstance(one, n.Do) and not acts(one.value, acting) else one


def _readers(body: tuple[n.Statement, ...]) -> Iterator[Any]:
    """All parts of a body that read names."""
    for one in inside(body):
        if isinstance(one, n.Node):
            yield one


def acting_functions(domain: Domain) -> frozenset[str]:
    """Functions that write or refuse."""
    return with_rules(domain) | {one.name for one in domain.functions if one.effects}


def acts(node: Any, acting: frozenset[str]) -> bool:
    """Whether an expression writes or refuses."""
    return any(isinstance(one, n.Create | n.Copy) or (isinstance(one, n.Apply) and one.function in acting) for one in inside(node))


def _filtered(body: tuple[n.Statement, ...], keep: Callable[[n.Statement], bool]) -> tuple[n.Statement, ...]:
    return _changed(body, lambda one: one if keep(one) else None)


def _changed(body: tuple[n.Statement, ...], change: Callable[[n.Statement], n.Statement | None]) -> tuple[n.Statement, ...]:
    """The body with every statement, nested ones too, changed or left out; what then holds nothing goes too."""
    made: list[n.Statement] = []
    for each in body:
        one = change(each)
        if one is None:
            continue
        if isinstance(one, n.If):
            branches = tuple((condition, _changed(inner, change)) for condition, inner in one.branches)
            if any(inner for _, inner in branches):
                made.append(n.If(where=one.where, branches=branches))
        elif isinstance(one, n.For):
            inner = _changed(one.body, change)
            if inner:
                made.append(n.For(where=one.where, targets=one.targets, source=one.source, body=inner))
        else:
            made.append(one)
    return tuple(made)
