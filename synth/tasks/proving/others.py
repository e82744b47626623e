"""Other ways to what a task wants, with another net change: each is right too, or forbidden, or the task goes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, permutations, product
from typing import Any

from registry.package.change import Stored
from registry.package.pack import Alternative
from registry.package.symbols import resolve
from synth.graph.access import ANY, access
from synth.lang.domain import Domain, Param, Tool
from synth.lang.types import Type
from synth.reference.interpret import reference
from synth.reference.state import Ref, State
from synth.reference.values import decoder, scalar_json
from synth.tasks.draft import Draft, OtherRoute, accepted_change, start_of
from synth.tasks.goal import Call, Goal, goals_of, met
from synth.tasks.play import Play, reads_only
from synth.tasks.remembered import remembered
from synth.tasks.solving.planner import plans, related

NOTHING_ELSE = "NOTHING_ELSE"
"""Stands for the general rule that what a request does not mention stays as it is."""
REASON = "another way to the goal"
MOST_ACCEPTED = 4
MOST_ROWS, MOST_WORDS, MOST_CALLS = 3, 3, 12
MOST_ORDERS = 5
LOOK = 20


def with_other_routes(domain: Domain, state: State, draft: Draft) -> Draft | None:
    """The task with what it wants and the other ways to it; None where one of these makes it a task that should not be."""
    if not draft.accepted[0].changes:
        return draft
    search = Search(domain, start_of(state, draft.patch), draft)
    if not search.goals:
        return draft
    accepted, seen, routes = list(draft.accepted), [_canonical(one) for one in draft.accepted], list[OtherRoute]()
    for calls, net in search.routes():
        same = _canonical(net)
        if same in seen:
            continue
        seen.append(same)
        route = search.judged(calls, net, draft.accepted[0])
        routes.append(route)
        accepted += [net] if route.verdict == "accepted" else []
    if len(accepted) > MOST_ACCEPTED:
        return None
    return replace(draft, accepted=tuple(accepted), goals=tuple(search.goals), others=tuple(routes))


class Search:
    """Looks for other ways near gold: other orders, values that nobody asked for, other tools, other steps that make gold's call possible.

    Attributes:
        steps: Gold's calls that write, with ids.
        goals: What they are for.
    """

    def __init__(self, domain: Domain, start: State, draft: Draft) -> None:
        self.domain = domain
        self.machine = reference(domain)
        self.start = start
        self.implied = draft.implied
        self.asked = draft.operations
        self.steps: list[Call] = []
        self.befores: list[State] = []
        self.goals: list[Goal] = []
        play = Play(domain, start, draft.held_back)
        for call in draft.calls:
            before, arguments = play.state, resolve(dict(call.arguments), play.results)
            play.repeat(call)
            if not reads_only(domain, call.tool):
                self.befores.append(before)
                self.steps.append((call.tool, arguments))
        for before, step in list(zip(self.befores, self.steps, strict=True))[self.implied :]:
            self.goals += goals_of(domain, before, step)

    def routes(self) -> Iterator[tuple[tuple[Call, ...], Alternative]]:
        """Calls that are all carried out and come to what is wanted, with their net change."""
        for calls in self._candidates():
            end = self._end(calls)
            if end is not None and met(self.goals, self.start, end):
                yield tuple(calls), accepted_change(self.domain, self.start, end)

    def _candidates(self) -> Iterator[list[Call]]:
        yield from map(list, islice(permutations(self.steps), 1, MOST_ORDERS))
        if self.implied:
            yield from self._other_plans()
        distinct = dict.fromkeys(tool for tool, _ in self.steps)
        for place, (tool, arguments) in enumerate(self.steps):
            if tool not in distinct:  # of many calls of one tool, the first stands for all
                continue
            del distinct[tool]
            for other in (*self._more_said(place), *self._other_tools(place, arguments)):
                yield [*self.steps[:place], other, *self.steps[place + 1 :]]

    def _end(self, calls: Sequence[Call]) -> State | None:
        """The state after the calls; those that begin alike, as most do, are carried out once."""
        state = self.start
        for tool, arguments in calls:
            prediction = remembered(self.domain).predict(state, tool, arguments, self.machine.now)
            if prediction.kind != "ok":
                return None
            state = prediction.state
        return state

    def _other_plans(self) -> Iterator[list[Call]]:
        for plan in plans(self.domain, self.start, self.asked[0]):
            yield [*((step.tool.name, step.arguments()) for step in plan.steps), *self.steps[self.implied :]]

    def _more_said(self, place: int) -> Iterator[Call]:
        """The call with one more argument, which nobody asked for."""
        tool, arguments = self.steps[place]
        for param in self.domain.tool(tool).params:
            if not param.required and param.argument not in arguments:
                for value in islice(self._values(param, self._near(place)), MOST_WORDS):
                    yield tool, {**arguments, param.argument: value}

    def _other_tools(self, place: int, given: Mapping[str, Any]) -> Iterator[Call]:
        """Calls of other tools that write what is wanted, with values of the request."""
        near = self._near(place)
        for tool in self.domain.tools:
            if tool.read_only or tool.name == self.steps[place][0] or not self._may_do(tool):
                continue
            needed = [param for param in tool.params if param.required or param.of in self._wanted()]
            offered = [list(self._values(param, near, given)) for param in needed]
            for chosen in islice(product(*offered), MOST_CALLS):
                yield tool.name, {param.argument: value for param, value in zip(needed, chosen, strict=True)}

    def _wanted(self) -> set[tuple[str, str]]:
        """Entity and field of all that is wanted of rows that there are."""
        entities = {one.table: self.domain.entity(one.table) for one in self.goals if one.key}
        columns = {(one.table, name) for one in self.goals if one.key for name, _ in one.values}
        return {
            (name, field.name) for name, entity in entities.items() for field in entity.fields for one in field.columns if (name, one.name) in columns
        }

    def _may_do(self, tool: Tool) -> bool:
        writes = access(self.domain, tool).writes
        made = {(one.table, ANY) for one in self.goals if not one.key or one.gone}
        return bool(writes & (self._wanted() | made))

    def _near(self, place: int) -> list[Ref]:
        tool, arguments = self.steps[place]
        state = self.befores[place]
        rows = []
        for param in self.domain.tool(tool).params:
            value = arguments.get(param.argument)
            kind = param.type.item or param.type
            for key in value if isinstance(value, list) else [value]:
                rows += [Ref(name, key) for name in kind.entities if isinstance(key, str) and key in state.tables[name]]
        return related(self.domain, state, rows)

    def _values(self, param: Param, near: Sequence[Ref], given: Mapping[str, Any] | None = None) -> Iterator[Any]:
        """JSON values for a parameter: rows near by, words of an enum, values that the request or the goal holds."""
        kind = param.type
        if kind.kind == "row":
            yield from (one.key for one in near[: 4 * MOST_ROWS] if one.entity in kind.entities)
        elif kind.kind == "list" and kind.item is not None and kind.item.kind == "row":
            yield from ([one.key] for one in near[: 4 * MOST_ROWS] if one.entity in kind.item.entities)
        elif kind.kind == "enum":
            words = next((one.words for one in self.domain.enums if one.name == kind.name), ())
            wanted = {value for one in self.goals for _, value in one.values}
            yield from sorted(words, key=lambda word: word not in wanted)[: MOST_WORDS if given is None else len(words)]
        elif kind.kind == "bool":
            yield from (True, False)
        elif given is None:
            yield from self._elsewhere(param)
        else:
            yield from self._said(param, given)

    def _elsewhere(self, param: Param) -> Iterator[Any]:
        """A value that some row has where this one would go."""
        if param.of is None:
            yield from (2, 3) if param.type.kind == "integer" else ()
            return
        field = self.domain.entity(param.of[0]).field(param.of[1])
        for column in field.columns[:1]:
            rows = islice(self.start.rows(param.of[0]), LOOK)
            found = dict.fromkeys(one[column.name] for one in rows if one[column.name] is not None)
            yield from (_shown(column.type, value) for value in islice(found, 2))

    def _said(self, param: Param, given: Mapping[str, Any]) -> Iterator[Any]:
        yield from (value for value in given.values() if isinstance(value, int | float) == (param.type.kind in ("money", "decimal", "integer")))
        if param.of is not None:
            column = self.domain.entity(param.of[0]).field(param.of[1]).columns[0]
            yield from (_shown(column.type, value) for one in self.goals for name, value in one.values if name == column.name and value is not None)

    def judged(self, calls: tuple[Call, ...], net: Alternative, gold: Alternative) -> OtherRoute:
        """Whether a policy forbids the calls, they change something that nobody asked for, or they are right too."""
        state = self.start
        for tool, arguments in calls:
            rules = self.machine.broken(state, tool, arguments, self.machine.now, most=1)
            if rules:
                return OtherRoute(calls=calls, verdict="forbidden", rule=rules[0].code)
            state = remembered(self.domain).predict(state, tool, arguments, self.machine.now).state
        if sorted(map(repr, calls)) == sorted(map(repr, self.steps)) or self._same_end(calls):
            return OtherRoute(calls=calls, verdict="accepted")
        beyond = sorted(_cells(net) - _cells(gold))
        if beyond:
            return OtherRoute(calls=calls, verdict="forbidden", rule=NOTHING_ELSE, where=beyond[0][0])
        return OtherRoute(calls=calls, verdict="accepted")

    def _same_end(self, calls: Sequence[Call]) -> bool:
        """Whether gold's own call comes last and only the steps before it, which nobody names, are others."""
        return self.implied > 0 and list(calls[-len(self.steps[self.implied :]) :]) == self.steps[self.implied :]


def _shown(kind: Type, value: Stored) -> Any:
    return scalar_json(kind)(decoder(kind)(value))


def _cells(change: Alternative) -> set[tuple[str, str]]:
    """Table and column, and the row's id with the value afterwards, of all that a change puts somewhere."""
    found = set()
    for one in change.changes:
        row = "new" if one.op == "insert" else one.key
        found.add((f"{one.table}.id", f"{row} {one.op}"))
        cells = {name: value.after for name, value in one.values.items() if value.match != "exempt"}
        found |= {(f"{one.table}.{name}", f"{row} {_nameless(value)!r}") for name, value in cells.items()}
    return found


def _canonical(change: Alternative) -> list[str]:
    """The change without the order and the names of new rows."""
    return sorted(
        repr(
            (
                one.table,
                one.op,
                "" if one.op == "insert" else one.key,
                sorted((name, _nameless(value.after)) for name, value in one.values.items() if value.match != "exempt"),
            )
        )
        for one in change.changes
    )


def _nameless(value: Stored) -> Stored:
    return "$" if isinstance(value, str) and value.startswith("$") else value
