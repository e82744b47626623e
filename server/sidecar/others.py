"""Calls that another actor may make while a task is done: proved to leave what the task asks, and what gold sees, as it is."""

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from registry.dispatch.outcome import Write
from registry.environment import Environment
from registry.episode import LocalEpisode
from registry.package.change import RowChange
from registry.package.errors import PackageError
from registry.package.meta import ParameterMeta, ToolMeta
from registry.package.noise import OtherCall
from registry.package.pack import WorldRow
from registry.package.symbols import SymbolError, resolve
from registry.packs.reading import Task

MOST = 6
"""Calls that a task gets."""
TRIED = 24
"""Candidates that are tried for them."""
PER_TOOL = 2
REMARK = "Seen by a colleague."


class _Played(NamedTuple):
    """What gold came to: the result of each call, net changes by row, the rules that a declined call breaks."""

    results: list[Any]
    changes: dict[tuple[str, str], RowChange]
    broken: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bench:
    """The task, ready to be tried. `truths` has what gold comes to after so many calls that change nothing."""

    environment: Environment
    task: Task
    scenario: tuple[WorldRow, ...]
    truths: dict[int, _Played] = field(default_factory=dict)

    def episode(self, calls_before: int = 0) -> LocalEpisode:
        """A fresh one, never closed."""
        public = self.task.public
        return LocalEpisode(
            self.environment,
            scenario=self.scenario,
            scenario_name=self.task.scenario,
            call_limit=0,
            multi_turn=public.multi_turn,
            held_back=public.held_back,
            free_play=True,
            calls_before=calls_before,
        )

    def truth(self, calls_before: int) -> _Played:
        """What gold comes to where only the clock has moved on by so many calls."""
        if calls_before not in self.truths:
            with closing(self.episode(calls_before)) as episode:
                self.truths[calls_before] = self.gold(episode)
        return self.truths[calls_before]

    def gold(self, episode: LocalEpisode) -> _Played:
        """Plays gold."""
        results: list[Any] = []
        declined = self.task.gold.declined
        broken = episode.broken(declined.tool, declined.arguments) if declined is not None else ()
        for call in self.task.gold.calls:
            try:
                outcome = episode.call(call.tool, resolve(call.arguments, results))
            except SymbolError:
                results.append(None)
                continue
            results.append(outcome.result)
        return _Played(results, {(one.table, one.key): one for one in episode.changes()}, broken)


def harmless_calls(environment: Environment, task: Task, scenario: tuple[WorldRow, ...]) -> tuple[OtherCall, ...]:
    """Calls in the order in which they may be made; possibly none.

    Each only changes rows that gold neither sees nor names. With all of them made before gold every call of gold gives the same result and the same
    changes, and the same rules are broken by what is declined; made after gold they all still succeed.

    Args:
        environment: Of the task.
        task: With its gold.
        scenario: The task's start.
    """
    bench = _Bench(environment=environment, task=task, scenario=scenario)
    try:
        alone = bench.gold(episode := bench.episode())
    except PackageError:
        return ()  # a package that cannot say which rules a call breaks: then nothing is proved, so nobody else acts
    episode.close()
    ids = {str(row["id"]) for _, row in scenario}
    known = ids.intersection(_texts([alone.results, _told(task)])) | {key for _, key in alone.changes}
    chosen: list[OtherCall] = []
    for tried, call in enumerate(_candidates(environment, scenario, known)):
        if len(chosen) == MOST or tried == TRIED:
            break
        if _harmless(bench, [*chosen, call], known):
            chosen.append(call)
    return tuple(chosen)


def _told(task: Task) -> Any:
    """All that gold and the scenario's patch name."""
    return [task.gold.model_dump(mode="json", exclude={"proofs"}), [[table, key] for table, key, _ in task.public.patch]]


def _harmless(bench: _Bench, calls: Sequence[OtherCall], known: set[str]) -> bool:
    before, after = bench.episode(), bench.episode()
    try:
        written = _made(before, calls)
        if written is None or any(operation != "update" or key in known for _, operation, key, _ in written):
            return False
        theirs = {(table, key) for table, _, key, _ in written}
        truth = bench.truth(len(calls))
        played = bench.gold(before)
        same = {place: one for place, one in played.changes.items() if place not in theirs} == truth.changes
        if not same or played.results != truth.results or played.broken != truth.broken:
            return False
        bench.gold(after)
        last = _made(after, calls)
        return last is not None and {(table, key) for table, _, key, _ in last} == theirs
    finally:
        for one in (before, after):
            one.close()


def _made(episode: LocalEpisode, calls: Sequence[OtherCall]) -> list[Write] | None:
    """What the calls write; None where one of them is not carried out."""
    written: list[Write] = []
    for call in calls:
        outcome = episode.call(call.tool, call.arguments)
        if outcome.kind != "ok" or not outcome.writes:
            return None
        written += outcome.writes
    return written


def _candidates(environment: Environment, scenario: Sequence[WorldRow], known: set[str]) -> Iterator[OtherCall]:
    schemas = {tool["name"]: tool["inputSchema"]["properties"] for tool in environment.tools}
    rows: dict[str, list[dict[str, Any]]] = {}
    for table, row in scenario:
        if known.isdisjoint(value for value in row.values() if isinstance(value, str)):
            rows.setdefault(table, []).append(row)
    streams = [_of_tool(tool, schemas[tool.name], rows) for tool in environment.meta.tools if not tool.read_only]
    for _ in range(PER_TOOL):
        for stream in streams:
            call = next(stream, None)
            if call is not None:
                yield call


def _of_tool(tool: ToolMeta, schema: dict[str, Any], rows: dict[str, list[dict[str, Any]]]) -> Iterator[OtherCall]:
    """Calls of one tool, each on another row."""
    first = tool.parameters[0] if tool.parameters else None
    if first is None or first.kind != "row":
        return
    for place, row in enumerate(rows.get(first.tables[0], ())):
        other = rows[first.tables[0]][place - 1]
        arguments: dict[str, Any] = {first.argument: row["id"]}
        wanted = [one for one in tool.parameters[1:] if one.required]
        if tool.kind == "update":
            wanted = [one for one in tool.parameters[1:] if one.kind == "text" and isinstance(other.get(one.name), str)][:1]
        values = {one.argument: _value(one, schema[one.argument], other) for one in wanted}
        if (tool.kind != "update" or values) and all(value is not None for value in values.values()):
            yield OtherCall(tool=tool.name, arguments=arguments | values)


def _value(parameter: ParameterMeta, schema: dict[str, Any], other: dict[str, Any]) -> Any:
    """A value that suits the parameter; None where none is known."""
    if parameter.kind == "enum":
        return next((word for word in schema.get("enum", ()) if word is not None), None)
    if parameter.kind == "text":
        return other.get(parameter.name) or REMARK
    return True if parameter.kind == "bool" else None


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts(one)
    elif value is not None and not isinstance(value, bool | int | float):
        yield json.dumps(value, default=str)
