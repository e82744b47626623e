"""Constants that the rules of a tool compare with: the places of its boundaries."""

from collections.abc import Iterator
from dataclasses import fields
from fractions import Fraction
from typing import Any

from synth.lang import nodes as n
from synth.lang.domain import Domain, Tool


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


def numbers(domain: Domain, tool: Tool) -> tuple[Fraction, ...]:
    """Numbers that occur in the body of a tool, ascending."""
    found = {Fraction(0), Fraction(1)}
    constants = {one.name: one.value for one in domain.constants}
    for node in through(domain, tool.body):
        value = constants[node.name] if isinstance(node, n.Given) and node.name in constants else node
        for one in inside(value) if value is not node else (value,):
            if isinstance(one, n.Const) and isinstance(one.value, int | Fraction) and not isinstance(one.value, bool):
                found.add(Fraction(one.value))
    return tuple(sorted(found))


def texts(domain: Domain, tool: Tool) -> tuple[str, ...]:
    """Texts that occur in the body of a tool, and those that are none: of no or only white space."""
    found = {one.value for one in through(domain, tool.body) if isinstance(one, n.Const) and one.type.kind == "text" and isinstance(one.value, str)}
    return ("", " ", *sorted(found))
