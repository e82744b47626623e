"""Walks over the typed tree: what an expression or statement reads, calls, writes."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from functools import wraps
from typing import Any, TypeVar

from synth.lang import nodes as n
from synth.lang.domain import Domain
from synth.lang.walk import PARTS

_PARTS: dict[type, tuple[str, ...]] = {}
"""Names of the attributes of each class of node that may hold nodes, the last first."""


R = TypeVar("R")


def inside(node: Any) -> Iterator[Any]:
    """The node and every node or statement below it, in the order in which they are written."""
    pending = [node]
    while pending:
        one = pending.pop()
        if isinstance(one, tuple):
            pending.extend(reversed(one))
        elif isinstance(one, PARTS):
            yield one
            pending.extend([getattr(one, name) for name in _parts(type(one))])


def _parts(kind: type) -> tuple[str, ...]:
    found = _PARTS.get(kind)
    if found is None:
        names = (one.name for one in fields(kind) if one.name not in ("where", "type", "name", "op", "code", "sentence", "enforced", "entity"))
        found = _PARTS[kind] = tuple(names)[::-1]
    return found


def once_per_domain(function: Callable[[Domain], R]) -> Callable[[Domain], R]:
    """Remembers the answer for the domain that was asked about last; domains are large to compare, so the same object is meant."""
    last: list[tuple[Domain, R]] = []

    @wraps(function)
    def answer(domain: Domain) -> R:
        if not last or last[0][0] is not domain:
            last[:] = [(domain, function(domain))]
        return last[0][1]

    return answer


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
    """The rules of a body and of the functions that it calls, each once, in the order in which they are met."""
    known = {one.name: one for one in domain.functions}
    seen: set[str] = set()

    def met(part: tuple[n.Statement, ...]) -> Iterator[n.Rule]:
        for one in inside(part):
            if isinstance(one, n.Rule):
                yield one
            elif isinstance(one, n.Apply) and one.function not in seen:
                seen.add(one.function)
                yield from met(known[one.function].body)

    return list(met(body))


@once_per_domain
def with_rules(domain: Domain) -> frozenset[str]:
    """Functions that hold a rule, or call one that does."""
    return _with_callers(domain, {one.name for one in domain.functions if rules(one.body)})


@once_per_domain
def with_enforced_rules(domain: Domain) -> frozenset[str]:
    """Functions that hold a rule which is enforced, or call one that does."""
    return _with_callers(domain, {one.name for one in domain.functions if any(rule.enforced for rule in rules(one.body))})


def _with_callers(domain: Domain, holding: set[str]) -> frozenset[str]:
    """These functions, and all that call them, directly or not."""
    callers: dict[str, list[str]] = {}
    for one in domain.functions:
        for name in applied(one.body):
            callers.setdefault(name, []).append(one.name)
    pending = sorted(holding)
    while pending:
        found = [name for name in callers.get(pending.pop(), ()) if name not in holding]
        holding.update(found)
        pending.extend(found)
    return frozenset(holding)


def without_policies(domain: Domain, body: tuple[n.Statement, ...]) -> tuple[n.Statement, ...]:
    """The body without policies, and without the bindings that only they read and the calls of functions that hold nothing else."""
    acting = with_enforced_rules(domain) | {one.name for one in domain.functions if one.effects}
    return _without_idle(_filtered(body, lambda one: not (isinstance(one, n.Rule) and not one.enforced)), acting)


def for_trial(domain: Domain, body: tuple[n.Statement, ...]) -> tuple[n.Statement, ...]:
    """The body without what neither writes, nor refuses, nor is read by what does; what is returned matters only for that."""
    made = tuple(n.Do(where=one.where, value=one.value) if isinstance(one, n.Return) else one for one in body)
    return without_idle(domain, made)


def without_idle(domain: Domain, body: tuple[n.Statement, ...]) -> tuple[n.Statement, ...]:
    """The body without bindings that nobody reads, as far as they do not write or refuse; those become statements of their own."""
    return _without_idle(body, acting_functions(domain))


def _without_idle(body: tuple[n.Statement, ...], acting: frozenset[str]) -> tuple[n.Statement, ...]:
    while (fewer := _fewer(body, acting)) != body:
        body = fewer
    return body


def _fewer(body: tuple[n.Statement, ...], acting: frozenset[str]) -> tuple[n.Statement, ...]:
    used = local_names(body)
    return _changed(body, lambda one: _without_name(one, used, acting))


def _without_name(one: n.Statement, used: set[str], acting: frozenset[str]) -> n.Statement | None:
    """The statement; one that only acts if nobody reads its name; None if it does not even act."""
    if isinstance(one, n.Bind) and one.name not in used:
        one = n.Do(where=one.where, value=one.value)
    return None if isinstance(one, n.Do) and not acts(one.value, acting) else one


@once_per_domain
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
