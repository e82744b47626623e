"""Calls of search tools that tell one filter, order and page from another."""

from collections.abc import Iterator
from typing import Any

from synth.gate.goals import Goal
from synth.gate.instance import Instance
from synth.gate.mutate import Mutations
from synth.gate.watch import Trace
from synth.lang.domain import Field, Tool
from synth.reference.interpret import Reference
from synth.reference.state import Ref, State
from synth.reference.values import scalar_json

PAGES: tuple[dict[str, Any], ...] = ({}, {"limit": 1}, {"limit": 1, "offset": 1}, {"limit": 2, "offset": 1}, {"offset": 2}, {"limit": 50})
FULL = 53
"""Rows that make more than one page of every size."""


def searches(reference: Reference, mutations: Mutations, start: State, tool: Tool) -> dict[Goal, list[Instance]]:
    """Instances of a search: each filter alone with values of rows, pages, a table that fills more than one page."""
    if tool.search is None:
        return {}
    made = [(start, arguments) for arguments in (*PAGES, *_filters(reference, start, tool))]
    full = _full(mutations, start, tool.search.entity)
    made += [(full, arguments) for arguments in ({}, {"limit": 50}, {"limit": 49})]
    goal = Goal(tool=tool.name, kind="search", where=tool.where, optional=True)
    return {goal: [Instance(state=state, arguments=arguments, broken=(), trace=Trace()) for state, arguments in made]}


def _full(mutations: Mutations, start: State, entity: str) -> State:
    """The state with copies of rows, so that they fill pages."""
    state = start.fork()
    keys = list(start.keys(entity))
    for number in range(min(FULL - len(keys), FULL) if keys else 0):
        if mutations.clone(state, Ref(entity, keys[number % len(keys)]), {}) is None:
            break
    return state


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
