"""What a request wants to be so in the end, read off the declared effects of what it asks for: never off what gold changes."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from registry.package.change import Stored
from synth.lang import nodes as n
from synth.lang.domain import Domain, Entity
from synth.reference.interpret import Reference, reference
from synth.reference.run import Run, Scope
from synth.reference.state import Ref, State
from synth.reference.values import UNSET, encoder

Call = tuple[str, Mapping[str, Any]]
"""Tool and JSON arguments with ids."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """One thing that has to be so: a row holds these values.

    Attributes:
        key: Id of the row; empty for one that has to be made.
        gone: Whether the row has to be deleted or archived instead.
    """

    table: str
    key: str
    values: tuple[tuple[str, Stored], ...] = ()
    gone: bool = False


def goals_of(domain: Domain, state: State, call: Call) -> tuple[Goal, ...]:
    """What the call is for: the values of its arguments, and fixed words, where its effects put them whatever else is the case.

    What is worked out of other rows, or done in some cases only, is a consequence and no goal. Sums are a goal where nothing else is.
    """
    machine = reference(domain)
    tool, arguments = call
    program = machine.program(tool)
    run = machine.run(state, machine.now)
    reading = _Reading(domain, machine, run, machine.scope(run, program, program.parse(dict(arguments))))
    for statement in domain.tool(tool).body:
        reading.statement(statement)
    return tuple(reading.plain or reading.sums)


class _Reading:
    """One pass through a body."""

    def __init__(self, domain: Domain, machine: Reference, run: Run, scope: Scope) -> None:
        self.domain = domain
        self.machine = machine
        self.run = run
        self.scope = scope
        self.plain: list[Goal] = []
        self.sums: list[Goal] = []

    def statement(self, one: n.Statement) -> None:
        """Notes what one statement, which no condition guards, puts where."""
        match one:
            case n.Assign():
                self._assign(one, self.scope)
            case n.Patch(row=n.Local(name=name)):
                self._values(self.scope.get(name), one.values)
            case n.Bind(value=n.Create() as made) | n.Do(value=n.Create() as made) | n.Return(value=n.Create() as made):
                entity = self.domain.entity(made.entity)
                values = tuple(self._cells(entity, made.values))
                self.plain += [Goal(table=entity.name, key="", values=values)] if values else []
            case n.Delete(row=n.Local(name=name)):
                row = self.scope.get(name)
                self.plain += [Goal(table=row.entity, key=row.key, gone=True)] if isinstance(row, Ref) else []
            case n.For(source=n.Local(name=name), targets=(target,)):
                for row in self.scope.get(name) or ():
                    for inner in one.body:
                        if isinstance(inner, n.Assign):
                            self._assign(inner, {**self.scope, target: row})

    def _assign(self, one: n.Assign, scope: Scope) -> None:
        row = scope.get(one.target.base.name) if isinstance(one.target.base, n.Local) else None
        if not isinstance(row, Ref) or one.target.access != "field" or row.key not in self.run.state.tables[row.entity]:
            return
        if one.op == "=":
            self._values(row, ((one.target.name, one.value),))
        elif isinstance(one.value, n.Local) and one.value.name in scope:  # a value that the body works out itself is a consequence
            column = self.domain.entity(row.entity).field(one.target.name).columns[0]
            by = encoder(column.type)(self.machine.expressions.code(one.value)(self.run, scope))
            old = self.run.state.tables[row.entity][row.key][column.name]
            if isinstance(by, int) and isinstance(old, int):
                self.sums.append(Goal(table=row.entity, key=row.key, values=((column.name, old + by if one.op == "+=" else old - by),)))

    def _values(self, row: object, given: Sequence[tuple[str, n.Node]]) -> None:
        if isinstance(row, Ref):
            values = tuple(self._cells(self.domain.entity(row.entity), given))
            self.plain += [Goal(table=row.entity, key=row.key, values=values)] if values else []

    def _cells(self, entity: Entity, given: Sequence[tuple[str, n.Node]]) -> Iterator[tuple[str, Stored]]:
        for name, node in given:
            field = entity.field(name)
            if not isinstance(node, n.Local | n.Const) or len(field.columns) != 1 or field.match == "exempt":
                continue
            value = node.value if isinstance(node, n.Const) else self.scope.get(node.name, UNSET)
            if value is UNSET:
                continue
            if isinstance(node, n.Const) and node.value is not None:
                value = self.machine.expressions.code(node)(self.run, self.scope)
            stored = value.key if isinstance(value, Ref) else encoder(field.columns[0].type)(value)
            yield field.columns[0].name, stored


def met(goals: Sequence[Goal], start: State, end: State) -> bool:
    """Whether all is as it should be; each row that has to be made is another one that was not there at the start."""
    made = [one for one in goals if not one.key]
    return all(_stands(one, end) for one in goals if one.key) and all(_new(one, start, end) >= made.count(one) for one in made)


def _stands(one: Goal, end: State) -> bool:
    row = end.row(one.table, one.key)
    if one.gone:
        return row is None or bool(row.get("archived"))
    return row is not None and all(row[name] == value for name, value in one.values)


def _new(one: Goal, start: State, end: State) -> int:
    old = start.tables[one.table]
    return sum(key not in old and all(row[name] == value for name, value in one.values) for key, row in end.tables[one.table].items())
