"""Constants that the rules of a tool compare with: the places of its boundaries."""

from fractions import Fraction

from synth.lang import nodes as n
from synth.lang.domain import Domain, Tool
from synth.lang.visit import inside, through


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


def enum_words(domain: Domain, tool: Tool) -> dict[str, tuple[str, ...]]:
    """Words of each enum that occur in the body of a tool."""
    found: dict[str, dict[str, None]] = {}
    for one in through(domain, tool.body):
        if isinstance(one, n.Const) and one.type.kind == "enum" and isinstance(one.value, str):
            found.setdefault(one.type.name, {})[one.value] = None
    return {name: tuple(words) for name, words in found.items()}
