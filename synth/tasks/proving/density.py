"""How richly the tools that can be used in a start state hang together."""

from synth.graph.edges import graph
from synth.lang.domain import Domain, Tool
from synth.reference.state import State

EDGE_WEIGHT, FULL = 0.5, 50
_known: dict[tuple[str, tuple[str, ...]], float] = {}


def usable_tools(domain: Domain, state: State) -> tuple[str, ...]:
    """Names of the tools for each of whose required rows there is one in the state."""
    return tuple(tool.name for tool in domain.tools if _usable(tool, state))


def density(domain: Domain, usable: tuple[str, ...]) -> float:
    """(tools + half of the dependencies between them) / 50: from about 1 on, tasks can be as long and as varied as one likes."""
    place = (domain.sha256, usable)
    found = _known.get(place)
    if found is None:
        edges = {(edge.source, edge.target) for edge in graph(domain).edges}
        among = sum(source in usable and target in usable for source, target in edges)
        found = _known[place] = round((len(usable) + EDGE_WEIGHT * among) / FULL, 2)
    return found


def _usable(tool: Tool, state: State) -> bool:
    needed = [param.type.item or param.type for param in tool.params if param.required]
    return all(any(state.tables[name] for name in kind.entities) for kind in needed if kind.kind == "row")
