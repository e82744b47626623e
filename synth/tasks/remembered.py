"""Calls whose outcome is known from an earlier one, in a state that is the same as far as the call can see."""

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from synth.graph.access import given_rows
from synth.lang import nodes as n
from synth.lang.domain import Domain, Tool
from synth.lang.types import Type
from synth.lang.visit import through
from synth.lang.walk import statements
from synth.reference.interpret import Reference, reference
from synth.reference.prediction import Prediction
from synth.reference.state import State
from synth.reference.statements import Broken
from synth.reference.tables import Tables

MOST = 2_000
"""Calls that are kept, each with the tables that it saw, before all are forgotten: a table that is kept may be held by nobody else any more."""

Seen = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Sight:
    """What a reading call can see.

    Attributes:
        tables: All rows of these.
        named: Of rows of these entities, named by these arguments, only whether they are there.
        today: Whether the day; `now`: even the time.
    """

    tables: tuple[str, ...]
    named: tuple[tuple[str, str], ...]
    today: bool
    now: bool

    def clock(self, now: dt.datetime) -> dt.datetime | dt.date | None:
        """What it can see of the time."""
        return now if self.now else now.date() if self.today else None


class Remembered:
    """The interpreter of a domain, which does not work out again what it was asked before.

    Trying out tasks asks the same again and again: a twin differs in one row, a search of another table finds the same rows there.
    """

    def __init__(self, domain: Domain) -> None:
        self.machine: Reference = reference(domain)
        self._domain = domain
        self._sights: dict[str, Sight] = {}
        self._predictions: dict[Seen, tuple[tuple[Any, ...], Prediction]] = {}
        self._broken: dict[Seen, tuple[tuple[Any, ...], tuple[Broken, ...], int]] = {}
        self._policies: dict[str, bool] = {}
        self._last: tuple[State, int, tuple[Any, ...], Seen] | None = None

    def predict(self, state: State, tool: str, arguments: Mapping[str, Any], now: dt.datetime) -> Prediction:
        """What a call does; the state given stays as it is."""
        sight = self._sight(tool)
        place: Seen
        if sight is None:
            held, versions = self._whole(state)
            place = (tool, repr(arguments), now, versions)
        else:
            held = tuple(state.tables[name] for name in sight.tables)
            versions = tuple((id(table), state.version(name)) for name, table in zip(sight.tables, held, strict=True))
            there = tuple(_there(state, entity, arguments.get(argument)) for argument, entity in sight.named)
            place = (tool, repr(arguments), sight.clock(now), versions, there)
        known = self._predictions.get(place)
        if known is None:
            known = (held, self.machine.predict(state, tool, arguments, now))
            _keep(self._predictions, place, known)
        found = known[1]
        if found.before is state:
            return found
        return replace(found, before=state, state=state if found.state is found.before else found.state)

    def broken(self, state: State, tool: str, arguments: Mapping[str, Any], now: dt.datetime, most: int = 0) -> tuple[Broken, ...]:
        """Every rule that the call would break, or at least the first `most`, as the interpreter says; raises Invalid for unfit arguments."""
        held, versions = self._whole(state)
        place = (tool, repr(arguments), now, versions)
        known = self._broken.get(place)
        if known is None or (len(known[1]) == known[2] != 0 and not 0 < most <= known[2]):  # there may be more than were found
            known = (held, tuple(self.machine.broken(state, tool, arguments, now, most)), most)
            _keep(self._broken, place, known)
        return known[1]

    def lawful(self, prediction: Prediction, tool: str, arguments: Mapping[str, Any], now: dt.datetime) -> bool:
        """Whether a call, as it was predicted, can be made and breaks no rule, not even one that no tool enforces."""
        if prediction.kind != "ok":
            return False
        return not self._policed(tool) or not self.broken(prediction.before, tool, arguments, now, most=1)

    def _policed(self, tool: str) -> bool:
        """Whether a rule of the tool, or of a function that it calls, is one that no tool enforces; any other would have refused the call."""
        found = self._policies.get(tool)
        if found is None:
            found = self._policies[tool] = policed(self._domain, self.machine.domain_tool(tool))
        return found

    def _whole(self, state: State) -> tuple[tuple[Any, ...], Seen]:
        """All tables of a state, and what tells it from others that are alive."""
        if self._last is None or self._last[0] is not state or self._last[1] != len(state.writes):
            held = tuple(state.tables.values())
            versions = tuple((id(table), state.version(name)) for name, table in state.tables.items())
            self._last = (state, len(state.writes), held, (versions, tuple(state.counters.items())))
        return self._last[2], self._last[3]

    def _sight(self, tool: str) -> Sight | None:
        """What a call of the tool can see; None for one that writes, which is taken to see everything."""
        declared = self.machine.domain_tool(tool)
        if not declared.read_only:
            return None
        found = self._sights.get(tool)
        if found is None:
            found = self._sights[tool] = sight_of(self._domain, self.machine.tables, declared)
        return found


def _keep(known: dict[Seen, Any], place: Seen, value: object) -> None:
    if len(known) >= MOST:
        known.clear()
    known[place] = value


def _there(state: State, entity: str, value: object) -> tuple[bool, ...]:
    """Whether rows are there that an argument names."""
    return tuple(one in state.tables[entity] for one in (value if isinstance(value, list) else [value]) if isinstance(one, str))


_held: list[Remembered] = []


def remembered(domain: Domain) -> Remembered:
    """What is remembered of the domain that was asked about last."""
    if not _held or _held[0].machine is not reference(domain):
        _held[:] = [Remembered(domain)]
    return _held[0]


def policed(domain: Domain, tool: Tool) -> bool:
    """Whether the tool has policies, in its body or in a function that it calls."""
    called = [domain.function(node.function).body for node in through(domain, tool.body) if isinstance(node, n.Apply)]
    return any(isinstance(one, n.Rule) and not one.enforced for body in (tool.body, *called) for one in statements(body))


def sight_of(domain: Domain, tables: Tables, tool: Tool) -> Sight:
    """Tables of every entity that an expression of the tool may give rows of, those of computed fields and links among them."""
    look = _Look(domain)
    look.body((tool.body, *(one.default for one in tool.params if one.default is not None)))
    look.entities([domain.actor] if domain.actor else [])
    if tool.search is not None:
        for wanted in tool.search.filters:
            look.field(tool.search.entity, wanted.field)
    for entity in given_rows(tool):
        look.whole(entity)
        for part in tables.parts(entity):
            look.whole(part.owner)
    links = [link.table for (owner, _), link in tables.links.items() if owner in look.found or link.entity in look.found]
    seen = tuple(one for one in tables.names if one in look.found or one in links)
    named = tuple((one.argument, entity) for one in tool.params for entity in _entities(one.type) if entity not in look.found)
    return Sight(seen, named, "today" in look.given, "now" in look.given)


def _entities(of: Type) -> tuple[str, ...]:
    return of.entities if of.item is None else of.item.entities


class _Look:
    """Goes through expressions once each."""

    def __init__(self, domain: Domain) -> None:
        self.found: set[str] = set()
        self.given: set[str] = set()
        self._domain = domain
        self._fields: set[tuple[str, str]] = set()

    def entities(self, names: Iterable[str]) -> None:
        """Notes entities."""
        self.found.update(names)

    def called(self, of: Type) -> None:
        """Notes what a row is called by, where it is put into words."""
        for name in _entities(of):
            declared = self._domain.entity(name).called
            if declared is not None and (name, "") not in self._fields:
                self._fields.add((name, ""))
                self.body(declared)

    def whole(self, entity: str) -> None:
        """Notes rows as they are given back, with all fields."""
        self.entities([entity])
        for one in self._domain.entity(entity).fields:
            self.field(entity, one.name)

    def field(self, entity: str, name: str) -> None:
        """Notes a field, and what it is computed from."""
        self.entities([entity])
        found = next((one for one in self._domain.entity(entity).fields if one.name == name), None)
        if found is not None and found.always is not None and (entity, name) not in self._fields:
            self._fields.add((entity, name))
            self.body(found.always)

    def types(self, of: Type) -> None:
        """Notes the rows that values of a type may be or hold."""
        self.entities(of.entities)
        for inner in (*([of.item] if of.item is not None else []), *(one for _, one in of.fields)):
            self.types(inner)

    def body(self, body: object) -> None:
        """Notes what expressions give and look at."""
        for node in through(self._domain, body):
            self.types(node.type)
            match node:
                case n.Rows() | n.Single():
                    self.entities([node.entity])
                case n.Given():
                    self.given.add(node.name)
                case n.Format():
                    for part in node.parts:
                        self.called(part.type)
                case n.Attr():
                    for entity in node.base.type.entities:
                        self.field(entity, node.name)
                case _:
                    pass
