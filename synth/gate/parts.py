"""What a call can show of one node of an expression or statement: a number for each part."""

from typing import Any

from synth.gate.watch import ORDERS, is_boundary
from synth.lang import nodes as n
from synth.lang.domain import Domain
from synth.lang.visit import through
from synth.lang.walk import nodes

RANKED = 50
"""Numbers about this one: a word stands before, at or after another in the order of their enum."""
SIDED = 100
"""Numbers from here on: an operand that decides alone is below, at or above its boundary."""
JUST = 5
"""Number of the part of an overlap that is one minute long."""
TURNS = 1000
"""Number of the part of a list or loop that has two elements or more."""
REFUSED = 2000
"""Number of the part of a call of a function that a rule inside it is broken."""
FIGURES = ("money", "decimal")
SIDES = (-1, 0, 1)


def parts(node: Any) -> tuple[int, ...]:
    """Numbers of what a call can show of one node; `sharp.SharpExpressions` notes them under the id of the node."""
    match node:
        case n.Logic():
            sides = [SIDED + 10 * at + side + 1 for at, one in enumerate(node.operands) if bounded(one) for side in SIDES]
            return (*range(len(node.operands) + 1), *sides)
        case n.Compare():
            return _compare_parts(node)
        case n.Choice():
            return (0, 1, *(SIDED + side + 1 for side in SIDES if bounded(node.condition)))
        case n.Binary():
            return (0, 1) if node.op == "-" else (0,)
        case n.Call():
            return _call_parts(node)
        case n.Assign():
            return (0,)
        case n.Comprehension():
            checks = [10 * at + holds for at, clause in enumerate(node.clauses) for holds in (0, 1) if clause.conditions]
            sides = [sided(at, number, side) for at, clause in enumerate(node.clauses) for number, _ in bounded_ones(clause) for side in SIDES]
            return (*checks, *sides, TURNS)
        case n.Record():
            return tuple(at for at, (_, value) in enumerate(node.entries) if value.type.kind in FIGURES)
        case n.For():
            return (TURNS,)
        case _:
            return ()


def _compare_parts(node: n.Compare) -> tuple[int, ...]:
    """Each word, and none of them; each link of a chain on its sides; both outcomes, and places in the order of words."""
    held = words(node)
    if held is not None:
        return tuple(range(len(held) + 1))
    if len(node.rest) > 1:
        return tuple(10 * at + side + 1 for at in range(len(node.rest)) for side in SIDES)
    return (0, 1, *(RANKED + side for side in SIDES if ordered(node)))


def _call_parts(node: n.Call) -> tuple[int, ...]:
    """Both ends of a span; which of two figures is the greater."""
    if node.name in ("max", "min"):
        return (0, 1, 2) if link_of(node) is not None else ()
    ends = tuple(10 * at + side + 1 for at in (0, 1) for side in SIDES)
    return (*ends, JUST, 10 + JUST) if node.name == "overlaps" else ends if node.name == "within" else ()


def rules_inside(domain: Domain, node: n.Apply) -> tuple[int, ...]:
    """Enforced rules of a function that is called, and of those that it calls, by the ids of their nodes."""
    called = dict.fromkeys(one.function for one in through(domain, node) if isinstance(one, n.Apply))
    return tuple(id(one) for name in called for one in nodes(domain.function(name).body) if isinstance(one, n.Rule) and one.enforced)


def ordered(node: n.Compare) -> bool:
    """Whether words of one enum are compared by their order."""
    return len(node.rest) == 1 and node.rest[0][0] in ORDERS and node.left.type.kind == "enum" and node.rest[0][1].type.kind == "enum"


def beside(node: Any) -> tuple[int, ...]:
    """Numbers for a comparison on which no other goal looks: it is below, at or above its boundary."""
    return tuple(RANKED + side for side in SIDES) if isinstance(node, n.Compare) and is_boundary(node) else ()


def bounded(node: n.Node) -> bool:
    """Whether a node is a comparison with a boundary."""
    return isinstance(node, n.Compare) and (is_boundary(node) or ordered(node))


def bounded_ones(clause: n.Clause) -> list[tuple[int, int]]:
    """Conditions of a clause that have a boundary: their number, the id of the node."""
    return [(number, id(one)) for number, one in enumerate(clause.conditions) if bounded(one)]


def sided(at: int, number: int, side: int) -> int:
    """Number of the part that a condition of a clause is below, at or above its boundary."""
    return SIDED * (at + 1) + 10 * number + side + 1


def words(node: n.Compare) -> tuple[Any, ...] | None:
    """The constants among which a comparison looks for a value."""
    if len(node.rest) != 1 or node.rest[0][0] not in ("in", "not in") or not isinstance(node.rest[0][1], n.Display):
        return None
    items = node.rest[0][1].items
    return tuple(one.value for one in items if isinstance(one, n.Const)) if all(isinstance(one, n.Const) for one in items) else None


def link_of(node: n.Call) -> n.Compare | None:
    """The comparison that decides between the two arguments of `max` or `min`, if it has a distance."""
    if len(node.args) != 2 or node.keywords:
        return None
    link = n.Compare(where=node.where, type=node.type, left=node.args[0], rest=(("<", node.args[1]),))
    return link if is_boundary(link) else None
