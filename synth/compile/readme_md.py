"""README.md of a package: tables, tools, three example calls."""

import json
from typing import Any

from synth.compile.header import one_line, origin
from synth.compile.json_schema import words
from synth.compile.tables import TableColumn, table_forms
from synth.compile.world_file import WorldNotes
from synth.lang.domain import Domain, Param, Tool


def readme_md(domain: Domain, world: WorldNotes) -> str:
    """Text of README.md.

    Args:
        world: What is known of world 0, from which the example calls take their ids.
    """
    blocks = [f"# {one_line(domain.title)}", one_line(domain.about), "\n".join(origin(domain)), _tables(domain, world.counts), _tools(domain)]
    return "\n\n".join([*blocks, _examples(domain, world)]) + "\n"


def _tables(domain: Domain, counts: dict[str, int]) -> str:
    lines = ["## Tables", "", "| table | rows | columns |", "|---|---|---|"]
    for table in table_forms(domain):
        columns = ", ".join(_column(one) for one in table.columns)
        lines.append(f"| {table.name} | {counts.get(table.name, 0)} | id, {columns} |")
    return "\n".join(lines)


def _column(one: TableColumn) -> str:
    target = f" → {' or '.join(one.references)}" if one.references else ""
    return f"{one.name}{'?' if one.optional else ''}{target}"


def _tools(domain: Domain) -> str:
    lines = ["## Tools", "", "| tool | arguments | what it does |", "|---|---|---|"]
    for tool in domain.tools:
        arguments = ", ".join(f"{one.argument}{'' if one.required else '?'}" for one in tool.params)
        lines.append(f"| `{tool.name}` | {arguments} | {_cell(tool.doc)} |")
    return "\n".join(lines)


def _cell(text: str) -> str:
    return one_line(text).replace("|", "\\|")


def _examples(domain: Domain, world: WorldNotes) -> str:
    calls = [(tool, _arguments(domain, tool, world)) for tool in domain.tools]
    possible = [(tool, arguments) for tool, arguments in calls if arguments is not None]
    shown = sorted(possible, key=lambda one: not one[0].read_only)[:3]
    blocks = ["## Example calls"]
    blocks += [f"```json\n{json.dumps({'name': tool.name, 'arguments': arguments}, ensure_ascii=False)}\n```" for tool, arguments in shown]
    return "\n\n".join(blocks)


def _arguments(domain: Domain, tool: Tool, world: WorldNotes) -> dict[str, Any] | None:
    """Arguments for an example; None when they cannot be made from the first rows."""
    wanted = [one for one in tool.params if one.required]
    if tool.kind == "search" and tool.search is not None:
        return _search_arguments(domain, tool, world)
    found = {one.argument: _value(domain, one, world) for one in wanted}
    return None if any(value is None for value in found.values()) else found


def _search_arguments(domain: Domain, tool: Tool, world: WorldNotes) -> dict[str, Any] | None:
    for one in tool.search.filters if tool.search else ():
        parameter = next(each for each in tool.params if each.name == one.param)
        value = world.first.get(tool.entity, {}).get(one.field)
        if parameter.type.kind in ("text", "enum") and isinstance(value, str):
            return {parameter.argument: value}
    return {}


def _value(domain: Domain, one: Param, world: WorldNotes) -> Any:
    """A value for a parameter: the first row, the first word, or what the first row has in its field."""
    kind = one.type
    if kind.kind == "row":
        return _first_id(world, kind.entities)
    if kind.kind == "list" and kind.item is not None and kind.item.kind == "row":
        found = _first_id(world, kind.item.entities)
        return None if found is None else [found]
    if kind.kind == "enum":
        return words(domain, kind.name)[0]
    if one.of is None or kind.kind not in ("text", "integer", "date", "time", "datetime", "duration"):
        return None
    return world.values.get(one.of)


def _first_id(world: WorldNotes, entities: tuple[str, ...]) -> Any:
    return next((row["id"] for table, row in world.first.items() if table in entities), None)
