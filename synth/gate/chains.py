"""The dependency graph held against execution: every data edge is shown by a pair of calls, every id that a call consumes is explained by an edge."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from registry.environment import Environment
from registry.episode import LocalEpisode
from registry.package.compound import joined
from synth.gate.calls import Calls
from synth.gate.execute import into
from synth.gate.instance import Lens
from synth.gate.mutate import Mutations
from synth.gate.seek import Sought
from synth.gate.standing import Standing
from synth.graph.edges import Edge, Graph, ids_given, ids_taken
from synth.lang.domain import Domain, Field, Tool
from synth.lang.types import Type
from synth.reference.interpret import Reference
from synth.reference.state import Ref, State

TRIES = 40
FEWER = 20
"""Tries for a pair whose second call succeeds, where one that a rule refuses is known."""
SOURCES = 8
CHANGES = 400
CHAINS = 200
LENGTH = 6


@dataclass(slots=True)
class Chained:
    """What was found.

    Attributes:
        edges: Data edges.
        shown: Those with an executed pair: the first call gave an id, date or time, the second took it and succeeded, or was refused by a rule.
        succeeded: Those of them whose second call succeeded.
        unshown: The others, one sentence each.
        consumed: Ids that calls of random chains took from earlier results.
        unexplained: Those that no edge explains, one sentence each.
    """

    edges: int = 0
    shown: int = 0
    succeeded: int = 0
    unshown: list[str] = field(default_factory=list)
    chains: int = 0
    consumed: int = 0
    unexplained: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Source:
    """One successful call: the state, the arguments, the state after it, the result; and what was found in that already, by what was looked for."""

    before: State
    arguments: dict[str, Any]
    after: State
    result: Any
    found: dict[str, list[Any]] = field(default_factory=dict)


class Chains:
    """Executes pairs and chains of calls on one environment."""

    def __init__(self, environment: Environment, reference: Reference, graph: Graph, start: State, standing: Standing) -> None:
        self._reference = reference
        self._domain: Domain = reference.domain
        self._graph = graph
        self._start = start
        self._standing = standing
        self._tools = {one.name: one for one in reference.domain.tools}
        self._entities = tuple(one.name for one in reference.domain.entities)
        self._calls = Calls(reference, Random(0))
        self._sources: dict[tuple[str, str], list[Source]] = {}
        self._episode = LocalEpisode(environment, scenario=start.world_rows(), call_limit=0)

    def check(self, sought: list[Sought], seed: str) -> Chained:
        """Shows every data edge, then plays random chains."""
        found = Chained()
        by_tool = {one.tool.name: one for one in sought}
        for edge in [one for one in self._graph.edges if one.kind == "data"]:
            found.edges += 1
            sources = self._giving(by_tool[edge.source], edge.through[0], seed)
            shown, succeeded = self._pair(edge, sources, Random(f"{seed}/{edge.source}/{edge.target}/{edge.argument}"))
            found.shown += shown
            found.succeeded += succeeded
            if not shown:
                found.unshown.append(_unshown(edge, self._tools[edge.source], self._tools[edge.target], given=bool(sources)))
        self._chains(found, Random(f"{seed}/chains"))
        self._episode.close()
        return found

    def _given(self, tool: Tool, through: str, source: Source) -> list[Any]:
        """Ids of an entity in a result, or its values of a kind."""
        if through not in source.found:
            values = values_in(tool.result, through, source.result) if through not in self._entities else ids_in(source.result)
            source.found[through] = [one for one in values if through not in self._entities or one in source.after.tables[through]]
        return source.found[through]

    def _giving(self, sought: Sought, through: str, seed: str) -> list[Source]:
        """Some successful calls of a tool whose results hold ids of an entity or values of a kind, those in the start state first."""
        place = (sought.tool.name, through)
        if place not in self._sources:
            random = Random(f"{seed}/{place}")
            calls = self._calls.drawing(random)
            fresh = ((self._start, calls.valid(self._start, sought.tool, self._reference.now)) for _ in range(TRIES))
            held = ((one.state, one.arguments) for one in sought.instances())
            found: list[Source] = []
            for state, arguments in ((self._start, {}), *held, *fresh):
                source = self._source(sought.tool, state, arguments)
                if source is not None and self._given(sought.tool, through, source):
                    found.append(source)
                    if len(found) == SOURCES:
                        break
            self._sources[place] = sorted(
                found or self._made_to_give(sought, through, random, calls, seed), key=lambda one: one.before is not self._start
            )
        return self._sources[place]

    def _made_to_give(self, sought: Sought, through: str, random: Random, calls: Calls, seed: str) -> list[Source]:
        """A call in a changed state, for results that hold no such ids in any state so far."""
        turned = self._turned(sought, through, seed, random) if through in self._entities else None
        if turned is not None:
            return [turned]
        lens, mutations = Lens(self._reference), Mutations(self._reference, calls, random)
        parents = list(sought.instances())
        for _ in range(CHANGES if parents else 0):
            instance = random.choice(parents)
            child = mutations.child(instance, sought.tool, self._reference.now, [], sought.goals[0])
            if child is None or self._standing.broken(child[0]):
                continue
            source = self._source(sought.tool, *child)
            if source is not None and self._given(sought.tool, through, source):
                return [source]
            seen = lens.look(child[0], sought.tool.name, child[1], self._reference.now) if source is not None else None
            if seen is not None:
                parents.append(seen)
        return []

    def _turned(self, sought: Sought, entity: str, seed: str, random: Random) -> Source | None:
        """A call whose result holds a row that was made to refer to one of the entity."""
        owner, _, name = ids_given(self._domain, sought.tool)[entity].partition(".")
        field = self._reference.tables.fields.get(owner, {}).get(name)
        if field is None or field.role not in ("reference", "links") or not self._start.tables[entity]:
            return None
        for source in self._giving(sought, owner, seed):
            for key in [one for one in ids_in(source.result) if one in source.before.tables[owner]][:5]:
                state = source.before.fork()
                self._refer(state, Ref(owner, key), field, random.choice(state.keys(entity)))
                found = self._source(sought.tool, state, source.arguments) if not self._standing.broken(state) else None
                if found is not None and any(one in found.after.tables[entity] for one in ids_in(found.result)):
                    return found
        return None

    def _refer(self, state: State, ref: Ref, field: Field, key: str) -> None:
        """Makes a row refer to another one, by its reference or its set of links."""
        if field.role == "reference":
            state.update(ref.entity, ref.key, {field.columns[0].name: key})
            return
        link = self._reference.tables.links[ref.entity, field.name]
        made = joined((ref.key, key))
        if made not in state.tables[link.table]:
            state.insert(link.table, {"id": made, link.own: ref.key, link.target: key})

    def _source(self, tool: Tool, state: State, arguments: dict[str, Any]) -> Source | None:
        predicted = self._reference.predict(state, tool.name, arguments, self._reference.now)
        if predicted.kind != "ok":
            return None
        return Source(before=state, arguments=arguments, after=predicted.state, result=predicted.result)

    def _pair(self, edge: Edge, sources: list[Source], random: Random) -> tuple[bool, bool]:
        """Whether a pair of calls shows an edge, and whether its second call succeeds."""
        calls, target = self._calls.drawing(random), self._tools[edge.target]
        shown: tuple[Source, dict[str, Any]] | None = None
        giving = self._tools[edge.source]
        for number in range(TRIES if sources else 0):
            if shown is not None and number >= FEWER:
                break
            source = sources[min(number // 4, len(sources) - 1)]
            second = self._taking(calls, target, edge, source.after, random.choice(self._given(giving, edge.through[0], source)))
            predicted = self._reference.predict(source.after, edge.target, second, self._reference.now)
            if predicted.kind == "ok":
                return self._executed(edge, source, second), True
            if predicted.kind == "refused" and predicted.code != "NOT_FOUND":
                shown = (source, second)
        return (self._executed(edge, *shown), False) if shown is not None else (False, False)

    def _taking(self, calls: Calls, target: Tool, edge: Edge, state: State, key: Any) -> dict[str, Any]:
        """Arguments of the second call, with the id (or value) that the first one gave."""
        near = [Ref(edge.through[0], key)] if edge.through[0] in self._entities else []
        arguments = calls.valid(state, target, self._reference.now, near)
        param = next(one for one in target.params if one.argument == edge.argument)
        arguments[edge.argument] = [key] if param.type.kind == "list" else key
        return arguments

    def _executed(self, edge: Edge, source: Source, second: dict[str, Any]) -> bool:
        """Whether the real tools do it: the second call takes the id."""
        self._episode.reset()
        into(self._episode, self._start, source.before)
        outcomes = self._episode.replay([(edge.source, source.arguments), (edge.target, second)])
        return outcomes[0].kind == "ok" and outcomes[1].kind in ("ok", "refused") and outcomes[1].code != "NOT_FOUND"

    def _chains(self, found: Chained, random: Random) -> None:
        """Random chains, in which rows are mostly those of earlier results."""
        calls = self._calls.drawing(random)
        pairs = {(one.source, one.target, one.argument, one.through[0]) for one in self._graph.edges if one.kind == "data"}
        for _ in range(CHAINS):
            self._episode.reset()
            self._chain(found, calls, random, pairs)
            found.chains += 1

    def _chain(self, found: Chained, calls: Calls, random: Random, pairs: set[tuple[str, str, str, str]]) -> None:
        state, given = self._start, dict[Ref, set[str]]()
        for _ in range(LENGTH):
            tool = random.choice(self._domain.tools)
            known = sorted(given)
            near = random.sample(known, min(len(known), 3))
            arguments = self._known_rows(calls.valid(state, tool, self._reference.now, near), tool, near)
            outcome = self._episode.call(tool.name, arguments)
            if outcome.kind == "ok":
                if not tool.read_only:
                    state = self._reference.predict(state, tool.name, arguments, self._reference.now).state
                found.unexplained.extend(self._unexplained(found, tool, arguments, given, pairs))
                for key in ids_in(outcome.result):
                    for entity in self._entities:
                        if key in state.tables[entity]:
                            given.setdefault(Ref(entity, key), set()).add(tool.name)

    @staticmethod
    def _known_rows(arguments: dict[str, Any], tool: Tool, near: list[Ref]) -> dict[str, Any]:
        """The arguments with rows of earlier results, where there are some of the kind."""
        for param in tool.params:
            fitting = [ref.key for ref in near if ref.entity in ids_taken(param)]
            if fitting and param.argument in arguments:
                arguments[param.argument] = fitting if param.type.kind == "list" else fitting[0]
        return arguments

    def _unexplained(
        self, found: Chained, tool: Tool, arguments: dict[str, Any], given: dict[Ref, set[str]], pairs: set[tuple[str, str, str, str]]
    ) -> Iterator[str]:
        for param in tool.params:
            value = arguments.get(param.argument)
            for key in value if isinstance(value, list) else [value]:
                for entity in ids_taken(param):
                    sources = given.get(Ref(entity, key)) if isinstance(key, str) else None
                    if sources:
                        found.consumed += 1
                        if not any((source, tool.name, param.argument, entity) in pairs for source in sources):
                            yield f"{tool.name} took {param.argument} {key} from {' and '.join(sorted(sources))}, which no edge explains."


def _unshown(edge: Edge, source: Tool, target: Tool, *, given: bool) -> str:
    """What the author can do about an edge that nothing shows."""
    what = f"{edge.through[0]} for {edge.argument} of {edge.target}"
    if given:
        return (
            f"{target.where}: tools.{target.name}: expected a call that takes {what} from a result of {source.name}, found none in {TRIES} tries. "
            f"Change its rules, or the data, so that it can."
        )
    return (
        f"{source.where}: tools.{source.name}: expected a call whose result gives {what}, found none. "
        f"Change its rules, or the data, so that it can, or add an invariant that says when a row has none."
    )


def values_in(of: Type, kind: str, result: Any) -> Iterator[Any]:
    """Values of a kind in a result of a type, outside of rows."""
    if result is None:
        return
    match of.kind:
        case "list" if of.item is not None and of.item.kind == kind:
            yield from (one for one in (result["items"] if isinstance(result, dict) else result) if one is not None)
        case "record":
            for name, inner in of.fields:
                yield from values_in(inner, kind, result[name])
        case _ if of.kind == kind:
            yield from (one for one in [result["result"] if isinstance(result, dict) else result] if one is not None)


def ids_in(result: Any) -> Iterator[str]:
    """Texts in a result that stand where ids do."""
    if isinstance(result, dict):
        for name, value in result.items():
            if (name == "id" or name.endswith("_id")) and isinstance(value, str):
                yield value
            elif name.endswith("_ids") and isinstance(value, list):
                yield from (one for one in value if isinstance(one, str))
            else:
                yield from ids_in(value)
    elif isinstance(result, list):
        for one in result:
            yield from ids_in(one)
