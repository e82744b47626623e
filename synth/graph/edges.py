"""Edges between tools: what one gives that another takes, what one changes that another looks at, which states follow each other."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from synth.graph.absent import always_empty
from synth.graph.access import ANY, Access, access, given_rows
from synth.graph.states import Moves, moves
from synth.lang.domain import Domain, Param, Tool
from synth.lang.nodes import Attr, Create
from synth.lang.types import Type
from synth.lang.visit import through

EdgeKind = Literal["data", "state", "lifecycle"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """One edge, from a tool to one that depends on it.

    Attributes:
        reason: One sentence.
        through: What connects them: for `data` the name of an entity or type, for `state` and `lifecycle` names such as `Owner.credit`.
        argument: For `data`, the argument that takes what is given.
        places: For `state`, where it is looked at: `rule`, `effect`, `result`.
    """

    source: str
    target: str
    kind: EdgeKind
    reason: str
    through: tuple[str, ...]
    argument: str = ""
    places: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolNode:
    """One tool: ids that it takes and gives, rows and fields that it reads and writes (`Owner.*` when it adds or removes rows)."""

    name: str
    kind: str
    read_only: bool
    takes: tuple[str, ...]
    gives: tuple[str, ...]
    reads: tuple[str, ...]
    writes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """Tools in order of the seed; edges by source, target, kind, argument."""

    tools: tuple[ToolNode, ...]
    edges: tuple[Edge, ...]


SPECIFIC = ("date", "time", "datetime")
"""Kinds of plain values that one tool gives to another: names, numbers and words of enums mean too many things."""


def graph(domain: Domain) -> Graph:
    """The dependency graph of a domain."""
    seen = [(tool, access(domain, tool), moves(domain, tool)) for tool in domain.tools]
    given = {tool.name: ids_given(domain, tool) for tool in domain.tools}
    found = [
        edge
        for source, its_access, its_moves in seen
        for target, other_access, other_moves in seen
        for edge in (
            *_data(source, given[source.name], target),
            *(_state(source, its_access, target, other_access) if source is not target else ()),
            *_lifecycle(source, its_moves, target, other_moves),
        )
    ]
    found.sort(key=lambda one: (one.source, one.target, one.kind, one.argument, one.through))
    return Graph(tools=tuple(_node(domain, tool, its) for tool, its, _ in seen), edges=tuple(found))


def ids_given(domain: Domain, tool: Tool) -> dict[str, str]:
    """Entities of which a tool gives ids, with how: as the row's own id, or as a reference of a row."""
    found = {entity: f"rows of {entity}" for entity in given_rows(tool)}
    entities = list(given_rows(tool))
    if tool.kind == "get":
        entities += [
            other.name for one in entities for other in domain.entities if any(f.part and f.many and one in f.type.entities for f in other.fields)
        ]
        found.update({one: f"the parts of {tool.entity}" for one in entities if one not in found})
    for entity in entities:
        for one in domain.entity(entity).fields:
            empty = _no_links(domain, tool, entity, one.name) if one.role == "links" else always_empty(domain, tool, entity, one.name)
            for target in _referred(one.type) if one.role in ("reference", "links", "always") and not empty else ():
                found.setdefault(target, f"{entity}.{one.name}")
    return found


def _no_links(domain: Domain, tool: Tool, entity: str, name: str) -> bool:
    """Whether a set of links is empty in every row that a tool gives: it gives only rows that it has made, and puts nothing into the set."""
    takes = any(entity in ids_taken(param) for param in tool.params)
    if takes or tool.kind not in ("declared", "create"):
        return False
    made = [one for one in through(domain, tool.body) if isinstance(one, Create) and one.entity == entity]
    fills = any(field == name for one in made for field, _ in one.values) or any(
        isinstance(one, Attr) and one.access == "links" and one.name == name for one in through(domain, tool.body)
    )
    return bool(made) and not fills


def _referred(of: Type) -> tuple[str, ...]:
    return of.item.entities if of.item is not None else of.entities


def ids_taken(param: Param) -> tuple[str, ...]:
    """Entities whose ids a parameter takes."""
    return _referred(param.type)


def _data(source: Tool, given: Mapping[str, str], target: Tool) -> list[Edge]:
    edges = []
    for param in target.params:
        for entity in ids_taken(param):
            if entity in given:
                reason = f"{source.name} gives ids of {entity} ({given[entity]}), which {target.name} takes as {param.argument}."
                edges.append(Edge(source=source.name, target=target.name, kind="data", reason=reason, through=(entity,), argument=param.argument))
        kind = param.type.kind
        if kind in SPECIFIC and kind in _values_given(source) and source is not target:
            reason = f"{source.name} gives values of the kind {kind}, which {target.name} takes as {param.argument}."
            edges.append(Edge(source=source.name, target=target.name, kind="data", reason=reason, through=(kind,), argument=param.argument))
    return edges


def _values_given(tool: Tool) -> set[str]:
    """Kinds of plain values in the result of a tool, outside of rows."""
    of = tool.result
    parts = [of, *([of.item] if of.item is not None else []), *(one for _, one in of.fields)]
    return {one.kind for one in parts} if tool.search is None else set()


def _state(source: Tool, wrote: Access, target: Tool, other: Access) -> list[Edge]:
    shared = {place: other.reads[place] for place in other.reads if place in wrote.writes}
    if not shared:
        return []
    names = tuple(f"{entity}.{name}" for entity, name in sorted(shared))
    places = tuple(sorted(set().union(*shared.values())))
    shown = ", ".join(name.removesuffix(f".{ANY}") for name in names[:4]) + (", …" if len(names) > 4 else "")
    reason = f"{source.name} changes {shown}, which {target.name} looks at ({', '.join(places)})."
    return [Edge(source=source.name, target=target.name, kind="state", reason=reason, through=names, places=places)]


def _lifecycle(source: Tool, its: Moves, target: Tool, other: Moves) -> list[Edge]:
    edges = []
    for place in sorted(set(its.makes) & set(other.needs)):
        states = sorted(its.makes[place] & other.needs[place])
        if states:
            name = ".".join(place)
            reason = f"{source.name} makes {name} {' or '.join(states)}, which {target.name} needs."
            edges.append(Edge(source=source.name, target=target.name, kind="lifecycle", reason=reason, through=(name,)))
    return edges


def _node(domain: Domain, tool: Tool, its: Access) -> ToolNode:
    return ToolNode(
        name=tool.name,
        kind=tool.kind,
        read_only=tool.read_only,
        takes=tuple(dict.fromkeys(entity for param in tool.params for entity in ids_taken(param))),
        gives=tuple(ids_given(domain, tool)),
        reads=tuple(f"{entity}.{name}" for entity, name in sorted(its.reads)),
        writes=tuple(f"{entity}.{name}" for entity, name in sorted(its.writes)),
    )
