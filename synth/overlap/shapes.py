"""The shape of a seed: what its tools, tables, rules and graph are made of, without any name.

A bag counts features. Two seeds that differ only in their nouns and words have equal shapes.
"""

from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any

from synth.graph.edges import EdgeKind, Graph, graph
from synth.lang import nodes as n
from synth.lang.domain import Domain, Entity, Field, Tool
from synth.lang.types import Type
from synth.lang.walk import depth, nodes

Bag = Counter[Hashable]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """One bag for each tool, table and rule, and for each tool as a node of the graph."""

    tools: tuple[Bag, ...]
    tables: tuple[Bag, ...]
    rules: tuple[Bag, ...]
    graph: tuple[Bag, ...]


def shape_of(domain: Domain) -> Shape:
    """The shape of a resolved seed."""
    bodies = [*(one.body for one in domain.tools), *(one.body for one in domain.functions)]
    rules = [one for body in bodies for statement in body for one in nodes(statement) if isinstance(one, n.Rule)]
    incoming = Counter(target for one in domain.entities for field in one.fields for column in field.columns for target in column.references)
    return Shape(
        tools=tuple(_tool(one, domain) for one in domain.tools),
        tables=tuple(_table(one, incoming[one.name]) for one in domain.entities),
        rules=tuple(_rule(one) for one in rules),
        graph=_nodes(graph(domain)),
    )


def _type(of: Type) -> Hashable:
    return (of.kind, of.item.kind if of.item is not None else "", of.optional)


def _tool(tool: Tool, domain: Domain) -> Bag:
    """Parameters, what the body does, what is looked at, and what comes back."""
    bag: Bag = Counter([("kind", tool.kind), ("reads", tool.read_only), ("result", tool.result.kind), ("role", bool(tool.role))])
    bag.update(("parameter", _type(one.type), one.required) for one in tool.params)
    applied = {one.name: one for one in domain.functions}
    for statement in tool.body:
        for one in nodes(statement):
            bag.update(_piece(one))
            if isinstance(one, n.Apply) and one.function in applied:
                bag.update(part for inner in applied[one.function].body for each in nodes(inner) for part in _effect(each))
    return bag


def _effect(node: Any) -> Iterator[Hashable]:
    """What a statement does, and to what kind of value."""
    match node:
        case n.Rule():
            yield ("rule", node.enforced)
        case n.Assign():
            yield ("assign", node.op, node.target.type.kind, depth(node.target))
        case n.Create() | n.Copy():
            yield ("create", len(node.values))
        case n.Delete() | n.For() | n.Patch():
            yield (type(node).__name__,)
        case n.If():
            yield ("if", len(node.branches))


def _piece(node: Any) -> Iterator[Hashable]:
    """Effects, and the operations of expressions."""
    yield from _effect(node)
    match node:
        case n.Binary():
            yield ("arithmetic", node.op, node.type.kind)
        case n.Compare():
            yield from (("compare", op, node.left.type.kind) for op, _ in node.rest)
        case n.Call():
            yield ("call", node.name)
        case n.Comprehension():
            yield ("over", len(node.clauses), sum(len(one.conditions) for one in node.clauses))
        case n.Choice():
            yield ("choice", node.type.kind)
        case n.Attr() if node.access in ("reverse", "links", "tree"):
            yield ("set", node.access, depth(node))
        case n.Given() if node.name in ("now", "today", "me"):
            yield ("given", node.name)


def _rule(rule: n.Rule) -> Bag:
    """The operations of the condition of a rule."""
    bag: Bag = Counter([("enforced", rule.enforced)])
    for one in nodes(rule.condition):
        bag.update(_piece(one))
        match one:
            case n.Attr():
                bag[("attribute", one.access, one.type.kind, depth(one))] += 1
            case n.Logic():
                bag[("logic", one.op, len(one.operands))] += 1
            case n.Local():
                bag[("local", one.type.kind)] += 1
            case n.Const():
                bag[("constant", one.type.kind)] += 1
    return bag


def _table(entity: Entity, incoming: int) -> Bag:
    """The fields of a table and how it is kept."""
    bag: Bag = Counter([("id", entity.id_kind), ("archive", entity.archive), ("single", entity.single), ("unique", len(entity.unique))])
    bag.update([("referred to", min(incoming, 4))])
    bag.update(_field(one) for one in entity.fields)
    return bag


def _field(field: Field) -> Hashable:
    cycle = field.lifecycle
    states = (len(cycle.states), len(cycle.moves)) if cycle is not None else ()
    kept = (field.match, field.unique, bool(field.closed), field.history, field.low is not None, field.high is not None)
    made = (field.start is not None, field.computed is not None, field.always is not None)
    return (field.role, _type(field.type), states, kept, made, field.part, field.tree, field.position)


def _nodes(found: Graph) -> tuple[Bag, ...]:
    """Each tool as a node: what kinds of edges lead to it and from it, in powers of two."""
    into = Counter((one.target, one.kind) for one in found.edges)
    out = Counter((one.source, one.kind) for one in found.edges)
    kinds: tuple[EdgeKind, ...] = ("data", "state", "lifecycle")
    bags: list[Bag] = []
    for one in found.tools:
        bag: Bag = Counter([("reads", one.read_only)])
        bag.update(("into", kind, into[one.name, kind].bit_length()) for kind in kinds)
        bag.update(("out", kind, out[one.name, kind].bit_length()) for kind in kinds)
        bags.append(bag)
    return tuple(bags)
