"""Pictures of a dependency graph, from the content of graph.json."""

import math
from html import escape
from typing import Any

COLOURS = {"data": "#3b6ea5", "state": "#b8b8b8", "lifecycle": "#c2571a"}
WIDTH, HEIGHT, MARGIN = 1400, 1000, 190


def mermaid(content: dict[str, Any]) -> str:
    """A flowchart: data edges with the argument, lifecycle edges thick, state edges dotted (those that rules or effects look at)."""
    lines = ["flowchart LR"]
    for tool in content["tools"]:
        left, right = ("([", "])") if tool["read_only"] else ("[", "]")
        lines.append(f'  {tool["name"]}{left}"{tool["name"]}"{right}')
    for edge in content["edges"]:
        if edge["kind"] == "data":
            lines.append(f"  {edge['from']} -->|{edge['argument']}| {edge['to']}")
        elif edge["kind"] == "lifecycle":
            lines.append(f"  {edge['from']} ==>|{edge['through'][0]}| {edge['to']}")
        elif edge["places"] != ["result"]:
            lines.append(f"  {edge['from']} -.-> {edge['to']}")
    return "\n".join(lines) + "\n"


def svg(content: dict[str, Any]) -> str:
    """A drawing with the tools on an ellipse, readers first; the reason of an edge shows when the pointer rests on it."""
    tools = sorted(content["tools"], key=lambda one: (not one["read_only"], one["name"]))
    places = {tool["name"]: _place(number, len(tools)) for number, tool in enumerate(tools)}
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="14">',
        "<style>path{fill:none;stroke-opacity:.55}path:hover{stroke-opacity:1;stroke-width:4}</style>",
        *(_marker(kind, colour) for kind, colour in COLOURS.items()),
    ]
    order = {"state": 0, "data": 1, "lifecycle": 2}
    edges = sorted(content["edges"], key=lambda one: order[one["kind"]])
    parts.extend(_edge(edge, places[edge["from"]], places[edge["to"]]) for edge in edges)
    parts.extend(_label(tool, places[tool["name"]]) for tool in tools)
    parts.extend(f'<text x="20" y="{30 + 22 * row}" fill="{colour}">{kind}</text>' for row, (kind, colour) in enumerate(COLOURS.items()))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _place(number: int, count: int) -> tuple[float, float]:
    angle = 2 * math.pi * number / max(count, 1) - math.pi / 2
    return WIDTH / 2 + (WIDTH / 2 - MARGIN) * math.cos(angle), HEIGHT / 2 + (HEIGHT / 2 - MARGIN / 3) * math.sin(angle)


def _marker(kind: str, colour: str) -> str:
    return (
        f'<marker id="{kind}" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0 0L8 4L0 8z" style="fill:{colour};stroke-opacity:1"/></marker>'
    )


def _edge(edge: dict[str, Any], start: tuple[float, float], end: tuple[float, float]) -> str:
    kind, title = edge["kind"], escape(edge["reason"])
    middle = ((start[0] + end[0]) / 2 * 0.7 + WIDTH * 0.15, (start[1] + end[1]) / 2 * 0.7 + HEIGHT * 0.15)
    if start == end:
        shape = f"M{start[0]:.1f} {start[1]:.1f}c-40 -50 40 -50 0 0"
    else:
        shape = f"M{start[0]:.1f} {start[1]:.1f}Q{middle[0]:.1f} {middle[1]:.1f} {end[0]:.1f} {end[1]:.1f}"
    dash = ' stroke-dasharray="4 4"' if kind == "state" else ""
    width = 2.5 if kind == "lifecycle" else 1.2
    return f'<path d="{shape}" stroke="{COLOURS[kind]}" stroke-width="{width}"{dash} marker-end="url(#{kind})"><title>{title}</title></path>'


def _label(tool: dict[str, Any], place: tuple[float, float]) -> str:
    width, fill = 8.2 * len(tool["name"]) + 16, "#eef4fb" if tool["read_only"] else "#fdf1e7"
    x, y = place
    return (
        f'<rect x="{x - width / 2:.1f}" y="{y - 13:.1f}" width="{width:.1f}" height="26" rx="6" fill="{fill}" stroke="#555"/>'
        f'<text x="{x:.1f}" y="{y + 5:.1f}" text-anchor="middle">{escape(tool["name"])}</text>'
    )
