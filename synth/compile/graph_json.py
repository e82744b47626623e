"""graph.json in its least form: which tools give rows of an entity that others take."""

from typing import Any

from synth.lang.domain import Domain, Tool
from synth.lang.types import Type


def graph_object(domain: Domain) -> dict[str, Any]:
    """Tools as nodes; an edge for each parameter that another tool's result can fill."""
    gives = {tool.name: _entities(tool.result) for tool in domain.tools}
    edges = [
        {"from": source.name, "to": target.name, "kind": "data", "parameter": parameter.argument}
        for target in domain.tools
        for parameter in target.params
        for source in domain.tools
        if gives[source.name] & _entities(parameter.type)
    ]
    return {"nodes": [_node(tool) for tool in domain.tools], "edges": edges}


def _node(tool: Tool) -> dict[str, Any]:
    return {"tool": tool.name, "read_only": tool.read_only}


def _entities(kind: Type) -> set[str]:
    inner = [one for _, one in kind.fields] + ([kind.item] if kind.item else [])
    found = set(kind.entities)
    for one in inner:
        found |= _entities(one)
    return found
