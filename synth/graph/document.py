"""The content of graph.json."""

import json
from typing import Any

from synth.graph.edges import Graph

FORMAT = "1"


def document(found: Graph) -> dict[str, Any]:
    """The graph as a JSON object."""
    tools = [
        {
            "name": one.name,
            "kind": one.kind,
            "read_only": one.read_only,
            "takes": list(one.takes),
            "gives": list(one.gives),
            "reads": list(one.reads),
            "writes": list(one.writes),
        }
        for one in found.tools
    ]
    edges = [
        {
            "from": one.source,
            "to": one.target,
            "kind": one.kind,
            "reason": one.reason,
            "through": list(one.through),
            **({"argument": one.argument} if one.argument else {}),
            **({"places": list(one.places)} if one.places else {}),
        }
        for one in found.edges
    ]
    return {"format": FORMAT, "tools": tools, "edges": edges}


def graph_json(found: Graph) -> bytes:
    """The bytes of graph.json."""
    return (json.dumps(document(found), ensure_ascii=False, sort_keys=True, indent=1) + "\n").encode()
