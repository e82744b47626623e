"""Visits every expression in a body, and in the functions that it calls."""

from collections.abc import Iterator
from typing import Any

from synth.lang import nodes as n
from synth.lang.domain import Domain
from synth.lang.walk import nodes


def inside(value: Any) -> Iterator[n.Node]:
    """All expressions in a statement, expression, clause, or tuple of them, outer ones first."""
    for one in nodes(value):
        if isinstance(one, n.Node):
            yield one


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
