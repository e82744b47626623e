"""Calls in which a row is more like another one of its table: a word that the call reads, and all that it does not read, are the other's."""

from collections.abc import Iterator
from random import Random

from synth.gate.instance import Instance
from synth.gate.mutate import changeable
from synth.gate.standing import Standing
from synth.gate.watch import Cell
from synth.lang.domain import Field
from synth.reference.interpret import Reference
from synth.reference.run import Fault
from synth.reference.state import Ref, Row, State

EACH = 2
"""Rows that have a word and are tried, for each word that a field could have."""


class Likened:
    """Makes such states: where an invariant ties a word to other fields, as an end to its day, one field alone cannot change."""

    def __init__(self, reference: Reference, standing: Standing, random: Random) -> None:
        self._reference = reference
        self._standing = standing
        self._random = random

    def of(self, parent: Instance) -> Iterator[State]:
        """States that keep the invariants, for every word that the call reads and every other word of its column."""
        for entity, key, name in parent.trace.cells:
            field, row = self._reference.tables.fields[entity][name], parent.state.row(entity, key)
            if row is not None and field.role == "value" and field.type.kind in ("enum", "bool"):
                for other in self._others(parent.state, entity, row, field.columns[0].name):
                    yield from self._made(parent, (entity, key, name), other)

    def one(self, parent: Instance) -> State | None:
        """One such state, for a word that is drawn, if it keeps the invariants."""
        fields = self._reference.tables.fields
        cells = [cell for cell in parent.trace.cells if fields[cell[0]][cell[2]].role == "value" and fields[cell[0]][cell[2]].type.kind == "enum"]
        entity, key, name = self._random.choice(cells) if cells else ("", "", "")
        row = parent.state.row(entity, key) if cells else None
        others = list(self._others(parent.state, entity, row, fields[entity][name].columns[0].name)) if row is not None else []
        return next(self._made(parent, (entity, key, name), self._random.choice(others)), None) if others else None

    def _others(self, state: State, entity: str, row: Row, column: str) -> Iterator[Row]:
        """A few rows for each other word."""
        found: dict[object, list[Row]] = {}
        for one in state.rows(entity):
            if one[column] is not None and one[column] != row[column]:
                found.setdefault(one[column], []).append(one)
        for rows in found.values():
            yield from self._random.sample(rows, min(EACH, len(rows)))

    def _made(self, parent: Instance, cell: Cell, other: Row) -> Iterator[State]:
        entity, key, name = cell
        taken = [one for one in self._reference.tables.entities[entity].fields if one.name == name or self._free(parent, entity, key, one)]
        state = parent.state.fork()
        state.update(entity, key, {column.name: other[column.name] for one in taken for column in one.columns})
        if self._sound(state, Ref(entity, key)) and not self._standing.broken(state):
            yield state

    def _sound(self, state: State, ref: Ref) -> bool:
        """Whether the row keeps its limits; one that holds no value where one must be does not."""
        try:
            return self._reference.statements.writes.sound(self._reference.run(state, self._reference.now), ref)
        except (Fault, TypeError):
            return False

    def _free(self, parent: Instance, entity: str, key: str, field: Field) -> bool:
        """Whether a field may be another row's: the call reads neither it nor the set that the row is in by it, and it does not name the row."""
        if field.unique or not changeable(self._reference.tables.entities[entity], field):
            return False
        held = str(parent.state.tables[entity][key][field.columns[0].name])
        return (entity, key, field.name) not in parent.trace.cells and (entity, held, field.name) not in parent.trace.sets
