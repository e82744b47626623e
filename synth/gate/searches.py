"""Calls of search tools that tell one filter, order and page from another."""

from collections.abc import Iterator
from itertools import chain
from typing import Any

from synth.gate.goals import Goal
from synth.gate.instance import Instance
from synth.gate.mutate import Mutations
from synth.gate.standing import Standing
from synth.gate.watch import Trace
from synth.lang.domain import Field, Tool
from synth.reference.interpret import Reference
from synth.reference.state import Ref, State
from synth.reference.values import scalar_json

PAGES: tuple[dict[str, Any], ...] = ({}, {"limit": 1}, {"limit": 1, "offset": 1}, {"limit": 2, "offset": 1}, {"offset": 2}, {"limit": 50})
PAIRS = 6
MOST = 120
"""Pairs of rows that are tried at most."""
TRIES = 8
"""How often a copy of a row is tried for each row of a full table."""
FULL = 53
"""Rows that make more than one page of every size."""


def searches(reference: Reference, mutations: Mutations, start: State, tool: Tool, standing: Standing) -> dict[Goal, list[Instance]]:
    """Instances of a search: each filter alone with values of rows, pages, a table that fills more than one page, rows that are not sorted by id."""
    if tool.search is None:
        return {}
    made = [(start, arguments) for arguments in (*PAGES, *_filters(reference, start, tool))]
    full = _full(mutations, start, tool.search.entity)
    made += [(full, arguments) for arguments in ({}, {"limit": 50}, {"limit": 49})]
    made += [(state, {"limit": 50}) for field in tool.search.sort for state in _turned(reference, start, tool.search.entity, field, standing)]
    goal = Goal(tool=tool.name, kind="search", where=tool.where, optional=True)
    return {goal: [Instance(state=state, arguments=arguments, broken=(), trace=Trace()) for state, arguments in made]}


def _full(mutations: Mutations, start: State, entity: str) -> State:
    """The state with copies of rows, so that they fill pages; a copy may be refused where its key is drawn and taken."""
    state = start.fork()
    keys = list(start.keys(entity))
    wanted = FULL if keys else 0
    for number in range(TRIES * FULL):
        if len(state.tables[entity]) >= wanted:
            break
        mutations.clone(state, Ref(entity, keys[number % len(keys)]), {})
    return state


def _turned(reference: Reference, start: State, entity: str, field: str, standing: Standing) -> Iterator[State]:
    """A state in which rows are not sorted by id, which ids may be as dates are: two have exchanged what they are sorted by, or one has another's."""
    found = reference.tables.fields[entity].get(field.removeprefix("-"))
    columns = [one.name for one in found.columns] if found is not None else []
    table, keys = start.tables[entity], start.keys(entity)
    held = {key: {name: table[key][name] for name in columns} for key in keys}
    pairs = [(one, other) for one, other in _pairs(keys) if held[one] != held[other]][:MOST]
    exchanged = ({one: held[other], other: held[one]} for one, other in pairs)
    taken = ({one: held[other]} for one, other in pairs)
    for values in chain(exchanged, taken):
        state = start.fork()
        for key, written in values.items():
            state.update(entity, key, written)
        run = reference.run(state, reference.now)
        if all(reference.statements.writes.sound(run, Ref(entity, key)) for key in values) and not standing.broken(state):
            yield state
            return


def _pairs(keys: list[str]) -> Iterator[tuple[str, str]]:
    """Pairs of rows, the one with the smaller id first: some that are far apart, then some that are near one another."""
    yield from ((one, other) for one in keys[:PAIRS] for other in reversed(keys[-PAIRS:]) if one < other)
    yield from ((one, other) for apart in range(1, PAIRS) for one, other in zip(keys, keys[apart:], strict=False) if one < other)


def _filters(reference: Reference, start: State, tool: Tool) -> Iterator[dict[str, Any]]:
    """Each filter alone, with a few values that rows have."""
    if tool.search is None:
        return
    entity = reference.domain.entity(tool.search.entity)
    arguments = {one.name: one.argument for one in tool.params}
    for one in tool.search.filters:
        if one.param not in arguments or one.field == "id":
            continue
        field = entity.field(one.field)
        for value in _values(reference, start, entity.name, field, one.mode):
            yield {arguments[one.param]: value}


def _values(reference: Reference, start: State, entity: str, field: Field, mode: str) -> list[Any]:
    held: dict[Any, None] = {}
    for ref in (Ref(entity, key) for key in start.keys(entity)):
        value = reference.expressions.fields.field(entity, field.name)(reference.run(start, reference.now), ref)
        for one in value if isinstance(value, list) else [value]:
            if one is not None and not isinstance(one, dict):
                held[one.key if isinstance(one, Ref) else _json(field, one)] = None
    values = sorted(held, key=str)
    chosen = values if len(values) <= 6 else [values[0], values[len(values) // 2], values[-1]]
    return [_inner(str(one)) for one in chosen] if mode == "contains" else chosen


def _json(field: Field, value: Any) -> Any:
    of = field.type.item if field.type.kind == "list" and field.type.item is not None else field.type
    return scalar_json(of.required())(value)


def _inner(text: str) -> str:
    """A piece of a text, in other letters."""
    return (text[1:-1] if len(text) > 4 else text).swapcase()
