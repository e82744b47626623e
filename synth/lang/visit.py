"""Visits every expression in a body, and in the functions that it calls."""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from synth.lang import nodes as n
from synth.lang.domain import Domain


def inside(value: Any) -> Iterator[n.Node]:
    """All expressions in a statement, expression, clause, or tuple of them."""
    if isinstance(value, n.Node):
        yield value
    if isinstance(value, n.Node | n.Statement | n.Clause):
        for one in fields(value):
            yield from inside(getattr(value, one.name))
    elif isinstance(value, tuple):
        for one in value:
            yield from inside(one)


def through(domain: Domain, body: Any) -> Iterator[n.Node]:
    """All expressions in a body and in the functions that it calls, each function once."""
    seen: set[str] = set()
    pending = [body]
    while pending:
        for node in inside(pending.pop()):
            yield node
            if isinstance(node, n.Apply) and node.function not in seen:
                seen.add(node.function)
                pending.append(domain.function(node.function).body)
