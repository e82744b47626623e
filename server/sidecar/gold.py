"""The gold of a task, for agents that are given it: baselines that follow it or leave something of it out."""

from typing import Any

from registry.dispatch.harness import ASK
from registry.environment import Environment
from registry.episode import LocalEpisode
from registry.package.pack import GoldCall, WorldRow
from registry.package.symbols import SymbolError, resolve
from registry.packs.reading import Task


def gold_told(environment: Environment, task: Task, scenario: tuple[WorldRow, ...], episode: LocalEpisode) -> dict[str, Any]:
    """The gold of a task for agents that are given it: its writes with final ids, which of their arguments name rows, and the ids at the start.

    Args:
        episode: Fresh, of the task; gold is played on it.
    """
    tools = {tool.name: tool for tool in environment.meta.tools}
    reads = {ASK} | {name for name, tool in tools.items() if tool.read_only}
    results: list[Any] = []
    writes = []
    for call in task.gold.calls:
        arguments = _settled(call, results)
        results.append(episode.call(call.tool, arguments).result)
        if call.tool not in reads and call.tool in tools:
            rows = {one.argument: one.tables[0] for one in tools[call.tool].parameters if one.kind in ("row", "rows") and one.tables}
            writes.append({"tool": call.tool, "arguments": arguments, "rows": {name: table for name, table in rows.items() if name in arguments}})
    ids: dict[str, list[str]] = {}
    for table, row in scenario:
        ids.setdefault(table, []).append(str(row["id"]))
    return {"gold": task.gold.model_dump(mode="json"), "writes": writes, "ids": ids}


def _settled(call: GoldCall, results: list[Any]) -> dict[str, Any]:
    try:
        settled: dict[str, Any] = resolve(dict(call.arguments), results)
    except (SymbolError, TypeError):
        return dict(call.arguments)
    return settled
