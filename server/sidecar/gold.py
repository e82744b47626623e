"""The gold of a task, for agents that are given it: baselines that follow it or leave something of it out."""

import functools
import re
from collections.abc import Mapping, Sequence
from typing import Any

from registry.dispatch.harness import ASK
from registry.environment import Environment
from registry.episode import LocalEpisode
from registry.package.pack import GoldCall
from registry.package.symbols import SymbolError, resolve
from registry.packs.reading import Task
from registry.template import Template


def gold_alone(environment: Environment, task: Task) -> dict[str, Any]:
    """The gold of a task, and how rows can be looked at: what can be told without playing it."""
    return {"gold": task.gold.model_dump(mode="json", by_alias=True), "looks": looks_of(environment)}


def gold_told(environment: Environment, task: Task, start: Template, episode: LocalEpisode) -> dict[str, Any]:
    """The gold of a task for agents that are given it.

    Its writes with final ids, which of their arguments name rows, the ids at the start, how rows can be looked at.

    Args:
        start: The rows at the start.
        episode: Fresh, of the task; gold is played on it.
    """
    tools = {tool.name: tool for tool in environment.meta.tools}
    reads = {ASK} | {name for name, tool in tools.items() if tool.read_only}
    ids = {name: list(table.rows) for name, table in start.tables.items() if table.rows}
    results: list[Any] = []
    writes = []
    for call in task.gold.calls:
        arguments = _settled(call, results)
        results.append(episode.call(call.tool, arguments).result)
        if call.tool not in reads and call.tool in tools:
            rows = {
                one.argument: _table_of(one.tables, arguments.get(one.argument), ids)
                for one in tools[call.tool].parameters
                if one.kind in ("row", "rows") and one.tables
            }
            writes.append({"tool": call.tool, "arguments": arguments, "rows": {name: table for name, table in rows.items() if name in arguments}})
    return {**gold_alone(environment, task), "writes": writes, "ids": ids}


@functools.lru_cache(maxsize=16)
def looks_of(environment: Environment) -> dict[str, Any]:
    """How rows can be looked at: the tools that only read, and by table those that show and find its rows."""
    meta = environment.meta
    tables: dict[str, dict[str, Any]] = {}
    for table in meta.tables:
        got = next((one for one in meta.tools if one.kind == "get" and one.parameters and one.parameters[0].tables == (table.name,)), None)
        found = next((one for one in meta.tools if one.kind == "search" and one.name == f"search_{table.plural}"), None)
        columns = {column.name for column in table.columns}
        tables[table.name] = {
            "get": got.name if got is not None else "",
            "by": got.parameters[0].argument if got is not None else "",
            "search": found.name if found is not None else "",
            "filters": [one.argument for one in found.parameters if one.argument in columns] if found is not None else [],
            "ids": _pattern(table.id_pattern),
        }
    return {"reads": [one.name for one in meta.tools if one.read_only], "tables": tables}


def _pattern(ids: str) -> str:
    """A regular expression for ids of that pattern; empty for ids that do not come from a counter."""
    pieces = re.split(r"(\{[^{}]*\})", ids)
    return "".join(re.escape(one) if not one.startswith("{") else "[0-9]+" if one.startswith("{n") else ".+" for one in pieces)


def _table_of(tables: Sequence[str], value: Any, ids: Mapping[str, list[str]]) -> str:
    """The table, of those that an argument may name rows of, whose row it names."""
    first = value[0] if isinstance(value, list) and value else value
    return next((table for table in tables if first in ids.get(table, ())), tables[0])


def _settled(call: GoldCall, results: list[Any]) -> dict[str, Any]:
    try:
        settled: dict[str, Any] = resolve(dict(call.arguments), results)
    except (SymbolError, TypeError):
        return dict(call.arguments)
    return settled
