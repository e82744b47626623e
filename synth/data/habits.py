"""What the rows that makers made all keep without saying so: which date never comes before which, and the hours of a day."""

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass

from registry.package.change import Stored
from synth.lang.domain import Domain, Entity
from synth.reference.state import Row, State

LOOKED_AT = 400
"""Rows of a table that are looked at, spread over the whole of it."""

ENOUGH = 12
"""Rows that must agree before it counts as a habit."""

NOW = "now"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """A date that can be reached from a row: its own column, or one of a row that it refers to, directly or over another.

    Attributes:
        path: Reference columns and the tables they lead to, from the row on.
    """

    path: tuple[tuple[str, str], ...]
    column: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Habit:
    """`earlier` never comes after `later`; one of them is a column of the row itself."""

    earlier: Reach
    later: Reach


class Habits:
    """Looks at the rows of a state once, then tells of single rows whether they keep what all of those keep.

    A row that is put next to a boundary gets one value that its maker did not choose. The maker's other values do not know of it, so that
    an invoice could be due before its goods were sent. Nobody has to write down that this cannot be: no other row does it.
    """

    def __init__(self, domain: Domain, state: State) -> None:
        self._domain = domain
        self._state = state
        self._now = domain.now
        self._columns = {one.name: _dates(one) for one in domain.entities}
        self._habits = {one.name: self._of(one) for one in domain.entities}
        self._hours: dict[tuple[str, str], tuple[dt.time, dt.time] | None] = {}
        for entity in domain.entities:
            for column in self._columns[entity.name]:
                self._hours[entity.name, column] = self._span(entity.name, column)

    def look_at(self, state: State) -> None:
        """From now on the rows to be judged, and those that they refer to, stand in another state."""
        self._state = state

    def kept(self, table: str, row: Row) -> bool:
        """Whether a row, and the rows that refer to it, keep the order of dates."""
        if table not in self._habits:
            return True
        if not self._holds(table, row):
            return False
        for entity in self._domain.entities:
            for column in _references(entity, table):
                for key in self._state.where(entity.name, column, row["id"]):
                    if not self._holds(entity.name, self._state.tables[entity.name][key]):
                        return False
        return True

    def possible(self, table: str, known: Row) -> bool:
        """Whether a row of which only some columns are known may keep the order of dates."""
        return self._holds(table, known)

    def hours(self, table: str, column: str) -> tuple[dt.time, dt.time] | None:
        """The earliest and the latest time of day in a column of datetimes; None where too few rows tell."""
        return self._hours.get((table, column))

    def _holds(self, table: str, row: Row) -> bool:
        return all(_ordered(self._value(row, one.earlier), self._value(row, one.later)) is not False for one in self._habits[table])

    def _of(self, entity: Entity) -> tuple[Habit, ...]:
        """The habits of one table: each of its own dates against all that it can reach."""
        own = [Reach(path=(), column=name) for name in self._columns[entity.name]]
        if not own:
            return ()
        others = [*own, *self._reached(entity, 2), Reach(path=(), column=NOW)]
        seen = self._spread(entity.name)
        found = []
        for number, one in enumerate(own):
            for other in others[number + 1 :]:
                pairs = [(self._value(row, one), self._value(row, other)) for row in seen]
                found += [Habit(earlier=one, later=other)] if _always(pairs) else []
                found += [Habit(earlier=other, later=one)] if _always([(b, a) for a, b in pairs]) else []
        return tuple(found)

    def _reached(self, entity: Entity, steps: int) -> Iterator[Reach]:
        for field in entity.fields:
            if field.role != "reference" or len(field.columns[0].references) != 1:
                continue
            target = self._domain.entity(field.columns[0].references[0])
            link = (field.columns[0].name, target.name)
            yield from (Reach(path=(link,), column=name) for name in self._columns[target.name])
            if steps > 1 and target.name != entity.name:
                yield from (Reach(path=(link, *one.path), column=one.column) for one in self._reached(target, steps - 1))

    def _value(self, row: Row, reach: Reach) -> Stored:
        for column, table in reach.path:
            found = self._state.row(table, str(row.get(column)))
            if found is None:
                return None
            row = found
        return self._now if reach.column == NOW else row.get(reach.column)

    def _spread(self, table: str) -> list[Row]:
        keys = self._state.keys(table)
        step = max(len(keys) // LOOKED_AT, 1)
        return [self._state.tables[table][key] for key in keys[::step]]

    def _span(self, table: str, column: str) -> tuple[dt.time, dt.time] | None:
        times = [str(row[column])[11:] for row in self._spread(table) if row[column] is not None]
        if len(times) < ENOUGH or not all(times):
            return None
        return dt.time.fromisoformat(min(times)), dt.time.fromisoformat(max(times))


def _dates(entity: Entity) -> tuple[str, ...]:
    return tuple(
        field.columns[0].name for field in entity.fields if field.role == "value" and field.type.kind in ("date", "datetime") and field.columns
    )


def _references(entity: Entity, table: str) -> Iterator[str]:
    for field in entity.fields:
        if field.role == "reference" and table in field.columns[0].references:
            yield field.columns[0].name


def _ordered(earlier: Stored, later: Stored) -> bool | None:
    """Whether one does not come after the other, by days where one is a day; None where one is missing."""
    if earlier is None or later is None:
        return None
    one, other = str(earlier), str(later)
    length = min(len(one), len(other))
    return one[:length] <= other[:length]


def _always(pairs: list[tuple[Stored, Stored]]) -> bool:
    answers = [one for one in (_ordered(*pair) for pair in pairs) if one is not None]
    return len(answers) >= ENOUGH and all(answers)
