"""Steps that make a refused call possible, found by forward search with the interpreter; none within the bound proves that there are none."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, product

from registry.package.change import Stored
from registry.package.pack import Alternative
from synth.graph.access import access
from synth.lang import nodes as n
from synth.lang.domain import Domain, Tool
from synth.lang.walk import statements
from synth.reference.interpret import reference
from synth.reference.state import Ref, State
from synth.reference.values import encoder
from synth.tasks.draft import accepted_change
from synth.tasks.play import Play
from synth.tasks.remembered import remembered
from synth.tasks.rows.propose import Proposal
from synth.tasks.solving.allow import rule_fields

BOUND = 2
MOST_CHILDREN = 6
MOST_CALLS = 30
"""Per tool and state: calls on related rows that are tried."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Calls without a free value, in order, after which the goal's call is allowed; `state` is the one in which it then is made."""

    steps: tuple[Proposal, ...]
    state: State


def plans(domain: Domain, state: State, goal: Proposal, bound: int = BOUND) -> tuple[Plan, ...]:
    """The shortest plans of at most `bound` steps; empty when the goal is allowed as things are, and when there is no plan.

    Steps are calls that break no rule, take rows only (so that nothing about them is open), and take rows that belong to those of the goal.
    Only tools are tried that write what a rule of the goal reads, or before others what a rule of theirs reads.
    """
    if _done(domain, state, goal) is not None:
        return ()
    layers = _tools(domain, goal.tool, bound)
    edge = [Plan(steps=(), state=state)]
    for depth in range(bound):
        edge = [further for plan in edge for further in _further(domain, plan, goal, layers[bound - depth - 1 :])]
        found = tuple(plan for plan in edge if _done(domain, plan.state, goal) is not None)
        if found:
            return found
    return ()


def hindered(domain: Domain, state: State, goal: Proposal) -> bool:
    """Whether a call that another rule forbids would make the goal possible: a decline could then cite either rule.

    Looked for are tools that take rows only and give a field of one a fixed value; the goal is tried with that value in its place.
    """
    machine = reference(domain)
    values = [one for value in goal.values.values() for one in (value if isinstance(value, list) else [value])]
    around = related(domain, state, [one for one in values if isinstance(one, Ref)])
    for tool in helpers(domain, goal.tool):
        for (entity, column), value in _fixed_values(domain, tool):
            for one in around:
                if one.entity != entity or state.tables[entity][one.key][column] == value:
                    continue
                there = state.fork()
                there.update(entity, one.key, {**state.tables[entity][one.key], column: value})
                if not machine.broken(there, goal.tool.name, goal.arguments(), machine.now, most=1):
                    return True
    return False


_fixed: dict[tuple[str, str], tuple[tuple[tuple[str, str], Stored], ...]] = {}


def _fixed_values(domain: Domain, tool: Tool) -> tuple[tuple[tuple[str, str], Stored], ...]:
    """Entity, column and value for each field of a row parameter to which the tool gives a constant; worked out once for each tool."""
    place = (domain.sha256, tool.name)
    if place not in _fixed:
        found: list[tuple[tuple[str, str], Stored]] = []
        params = {param.name: param.type.entities for param in tool.params if param.type.kind == "row"}
        for one in statements(tool.body):
            if isinstance(one, n.Assign) and one.op == "=" and isinstance(one.value, n.Const) and isinstance(one.target.base, n.Local):
                for entity in params.get(one.target.base.name, ()):
                    field = domain.entity(entity).field(one.target.name)
                    if len(field.columns) == 1 and field.type.kind in ("enum", "bool", "text"):
                        value = None if one.value.value is None else encoder(field.type)(one.value.value)
                        found.append(((entity, field.columns[0].name), value))
        _fixed[place] = tuple(found)
    return _fixed[place]


def determined(domain: Domain, state: State, goal: Proposal, found: tuple[Plan, ...]) -> bool:
    """Whether all plans come to one net change once the goal's call is made: only then may the steps stay unsaid."""
    return len(ends(domain, state, goal, found)) == 1


def ends(domain: Domain, state: State, goal: Proposal, found: tuple[Plan, ...]) -> tuple[Alternative, ...]:
    """The different net changes to which the plans come once the goal's call is made."""
    different: list[Alternative] = []
    for plan in found:
        prediction = Play(domain, plan.state).try_call(goal.tool.name, goal.arguments())
        end = accepted_change(domain, state, prediction.state)
        different += [end] if end not in different else []
    return tuple(different)


_helpers: dict[tuple[str, str], tuple[Tool, ...]] = {}


def helpers(domain: Domain, goal: Tool) -> tuple[Tool, ...]:
    """Tools that take rows only and write what a rule of the goal reads; worked out once for each tool."""
    found = _helpers.get((domain.sha256, goal.name))
    if found is None:
        found = _helpers[domain.sha256, goal.name] = tuple(one for one in _tools(domain, goal, 1)[0] if one.name != goal.name)
    return found


def _done(domain: Domain, state: State, call: Proposal) -> State | None:
    """The state after a call that breaks no rule; None where it is not allowed."""
    known, arguments = remembered(domain), call.arguments()
    prediction = known.machine.predict(state, call.tool.name, arguments, known.machine.now)
    return prediction.state if known.lawful(prediction, call.tool.name, arguments, known.machine.now) else None


def _tools(domain: Domain, goal: Tool, bound: int) -> list[list[Tool]]:
    """For each step counted from the goal back: the tools that may help, nearest to the goal first."""
    layers: list[list[Tool]] = []
    read = set(rule_fields(domain, goal))
    for _ in range(bound):
        layer = [tool for tool in domain.tools if not tool.read_only and _rows_only(tool) and read & access(domain, tool).writes]
        layers.append(layer)
        read |= {field for tool in layer for field in rule_fields(domain, tool)}
    return layers


def _rows_only(tool: Tool) -> bool:
    needed = [param for param in tool.params if param.required]
    return bool(needed) and all(param.type.kind == "row" for param in needed) and tool.kind != "update"


def _further(domain: Domain, plan: Plan, goal: Proposal, layers: list[list[Tool]]) -> Iterator[Plan]:
    """The plan with one more step, for every step that is possible and changes something."""
    tools = {tool.name: tool for layer in layers for tool in layer}
    values = [one for value in goal.values.values() for one in (value if isinstance(value, list) else [value])]
    around = related(domain, plan.state, [one for one in values if isinstance(one, Ref)])
    for tool in tools.values():
        needed = [param for param in tool.params if param.required]
        rows = [[one for one in around if one.entity in param.type.entities] for param in needed]
        for chosen in islice(product(*rows), MOST_CALLS):
            step = Proposal(tool=tool, values=dict(zip([param.name for param in needed], chosen, strict=True)))
            if step in plan.steps:
                continue
            after = _done(domain, plan.state, step)
            if after is not None and accepted_change(domain, plan.state, after).changes:
                yield Plan(steps=(*plan.steps, step), state=after)


def related(domain: Domain, state: State, rows: Iterable[Ref]) -> list[Ref]:
    """The rows themselves, those that they refer to, and some of those that refer to them."""
    found = dict.fromkeys(one for one in rows if one.key in state.tables[one.entity])
    for one in list(found):
        row = state.tables[one.entity][one.key]
        for field in domain.entity(one.entity).fields:
            if field.role == "reference" and row[field.columns[0].name] is not None:
                up = str(row[field.columns[0].name])
                found.update(dict.fromkeys(Ref(name, up) for name in field.columns[0].references if up in state.tables[name]))
        for entity in domain.entities:
            for field in entity.fields:
                if field.role == "reference" and one.entity in field.columns[0].references:
                    children = state.where(entity.name, field.columns[0].name, one.key)[:MOST_CHILDREN]
                    found.update(dict.fromkeys(Ref(entity.name, key) for key in children))
    return list(found)
