"""Makes rows next to every boundary of the rules."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from typing import Any

from synth.data.boundaries import Boundary, boundaries
from synth.data.counts import Count
from synth.data.habits import Habits
from synth.data.invariants import Break, Invariants
from synth.data.rows import RowMaker
from synth.lang.domain import Domain, Entity
from synth.reference.state import Ref, Row

MOST = 90
"""Boundaries and sides of boundaries for which rows are made, at most, in a world of usual size."""

PARENTS = 12
"""How many parents are tried for one row."""

LOOKS = 120
"""How many parents are looked at for one whose dates allow the row."""

ROWS = 60
"""How many rows are tried that could be moved to a boundary."""

LARGE = 20_000
"""In a world of more rows, invariants are checked once: rows of which nothing is known are taken out all together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One row that was added (`before` is None) or changed."""

    table: str
    before: Row | None
    after: Row

    @property
    def key(self) -> str:
        """The row's id."""
        return str(self.after["id"])


Group = tuple[Change, ...]
"""What was done for one value: a row at the boundary and all that belong to it, or one row that was moved there."""


class Edges:
    """Adds rows one step below, at, and one step above each boundary, with the rows that belong to them."""

    def __init__(self, domain: Domain, maker: RowMaker, counts: Mapping[str, Count], scale: int | None) -> None:
        self._domain = domain
        self._maker = maker
        self._counts = counts
        self._used: set[Ref] = set()
        self._habits = Habits(domain, maker.state)
        self._invariants = Invariants(domain, maker.statements)
        self._breaks: tuple[Break, ...] = ()
        self._most = MOST if scale is None else min(MOST, scale // 5)

    def add(self) -> tuple[Break, ...]:
        """Adds the rows, as many of them as the invariants allow; gives what is broken without them."""
        found = boundaries(self._domain, self._maker.expressions, self._maker.run)
        steps = [(one, value) for one in found for value in self._around(one)]
        made = [(self._group(boundary, value), boundary, value) for boundary, value in steps[: self._most]]
        kept = self._keep([group for group, _, _ in made if group])
        moved = [group for group in (self._moved_somehow(boundary, value) for group, boundary, value in made if group not in kept) if group]
        if moved:
            self._keep(moved)
        return self._breaks

    def _around(self, boundary: Boundary) -> list[Any]:
        """The values below, at and above."""
        step = self._step(boundary)
        value = self._aligned(boundary.value, step)
        if isinstance(value, dt.time):
            return [value]
        around = [value - step, value, value + step]
        if isinstance(value, dt.datetime):
            return self._within_hours(boundary, around)
        return around[1:] if isinstance(value, int | Fraction) and value >= 0 > around[0] else around

    def _within_hours(self, boundary: Boundary, around: list[dt.datetime]) -> list[dt.datetime]:
        """The same times where the hours allow; before and after them, the middle of the day before and of the day after."""
        hours = self._habits.hours(boundary.entity, self._domain.entity(boundary.entity).field(boundary.field).columns[0].name)
        if hours is None:
            return around
        first, last = hours
        middle = (first.hour + last.hour) // 2
        days = [one.replace(hour=middle, minute=first.minute) + dt.timedelta(days=shift) for one, shift in zip(around, (-1, 0, 1), strict=True)]
        inside = [first <= one.time() <= last for one in around]
        return [one if good else day for one, day, good, keep in zip(around, days, inside, (True, False, True), strict=True) if good or keep]

    def _step(self, boundary: Boundary) -> Any:
        field = self._domain.entity(boundary.entity).field(boundary.field)
        match field.type.kind:
            case "money" | "decimal":
                return Fraction(1, 10 ** (2 if field.type.kind == "money" else field.type.places))
            case "date":
                return dt.timedelta(days=1)
            case "datetime":
                return dt.timedelta(minutes=self._grid(boundary.entity, field.columns[0].name))
            case "duration":
                return dt.timedelta(minutes=1)
            case _:
                return 1

    def _grid(self, entity: str, column: str) -> int:
        """The greatest step in minutes on which all times of a column lie."""
        step = 60
        for row in self._maker.state.tables[entity].values():
            if row[column] is not None:
                step = gcd(step, dt.datetime.fromisoformat(str(row[column])).minute)
        return step

    @staticmethod
    def _aligned(value: Any, step: Any) -> Any:
        if isinstance(value, dt.datetime):
            return value - dt.timedelta(minutes=value.minute % max(step // dt.timedelta(minutes=1), 1), seconds=value.second)
        return value

    def _group(self, boundary: Boundary, value: Any) -> Group:
        """New rows for one value; none if no row can be made with it."""
        entity = self._domain.entity(boundary.entity)
        for _ in range(0 if entity.single or boundary.plus else PARENTS):
            parents = self._parents(entity, boundary, value)
            if parents is None:
                break
            ref = self._maker.make(entity, parents, self._serial(entity), {boundary.field: value}, lambda values: _fits(boundary, values))
            if ref is None:
                continue
            if self._habits.kept(ref.entity, self._maker.state.tables[ref.entity][ref.key]):
                return tuple(self._held([ref, *self._children(ref)]))
            self._maker.remove(ref)
        return ()

    def _moved_somehow(self, boundary: Boundary, value: Any) -> Group:
        """The same by the other field of a difference, if the first one refuses in every row."""
        return self._moved(boundary, value) or (self._moved(boundary.swapped(), value) if boundary.plus else ())

    def _moved(self, boundary: Boundary, value: Any) -> Group:
        """A row that is there already, given the value: where there can be no more rows, or a new one would break an invariant."""
        table, state = boundary.entity, self._maker.state
        fits = [
            str(row["id"])
            for row in state.rows(table)
            if Ref(table, str(row["id"])) not in self._used and all(row[field] in words for field, words in boundary.states if field in row)
        ]
        for _ in range(ROWS if fits else 0):
            ref = Ref(table, self._maker.stream.choice(fits))
            before = state.tables[table][ref.key]
            turning = boundary.turning(value, self._maker.read(ref, boundary.plus)) if boundary.plus else value
            if ref in self._used or not self._maker.change(ref, boundary.field, turning):
                continue
            after = state.tables[table][ref.key]
            if self._habits.kept(table, after):
                self._used.add(ref)
                return (Change(table=table, before=before, after=after),)
            state.update(table, ref.key, before)
        return ()

    def _held(self, made: list[Ref]) -> list[Change]:
        """The stored rows, each followed by its links."""
        held: list[Change] = []
        state = self._maker.state
        for ref in made:
            held.append(Change(table=ref.entity, before=None, after=state.tables[ref.entity][ref.key]))
            for (entity, _), link in self._maker.tables.links.items():
                if entity == ref.entity:
                    keys = state.where(link.table, link.own, ref.key)
                    held.extend(Change(table=link.table, before=None, after=state.tables[link.table][key]) for key in keys)
        return held

    def _serial(self, entity: Entity) -> int:
        return len(self._maker.state.tables[entity.name]) + 1

    def _parents(self, entity: Entity, boundary: Boundary, value: Any) -> dict[str, Any] | None:
        """Some row for each parent, such that the dates known so far are in order; None if there is none."""
        stored = value.isoformat() if isinstance(value, dt.date) else None
        for _ in range(LOOKS):
            chosen: dict[str, Any] = {}
            for name in self._counts[entity.name].parents:
                pool = [(one, self._maker.state.keys(one)) for one in entity.field(name).columns[0].references]
                pool = [(one, keys) for one, keys in pool if keys]
                if not pool:
                    return None
                table, keys = self._maker.stream.weighted(pool, [len(keys) for _, keys in pool])
                chosen[name] = Ref(table, self._maker.stream.choice(keys))
            known: Row = {entity.field(name).columns[0].name: ref.key for name, ref in chosen.items()}
            if stored is None or self._habits.possible(entity.name, {**known, entity.field(boundary.field).columns[0].name: stored}):
                return chosen
        return None

    def _children(self, ref: Ref) -> list[Ref]:
        """Makes the rows that a row of this entity has by itself."""
        made = []
        for entity in self._domain.entities:
            count = self._counts[entity.name]
            if len(count.parents) != 1 or ref.entity not in entity.field(count.parents[0]).columns[0].references or entity.name == ref.entity:
                continue
            for _ in range(self._maker.stream.between(count.low, count.high)):
                child = self._maker.make(entity, {count.parents[0]: ref}, self._serial(entity))
                if child is not None:
                    made += [child, *self._children(child)]
        return made

    def _keep(self, groups: list[Group]) -> list[Group]:
        """Takes out again the groups that break an invariant; all of them are in when this begins. Gives those that stay."""
        groups = self._without_named(groups)
        if not groups or not self._breaks:
            return groups
        size = sum(len(rows) for rows in self._maker.state.tables.values())
        if len(groups) == 1 or size > LARGE:
            self._take_out(groups)
            self._look()
            return []
        middle = len(groups) // 2
        self._take_out(groups[middle:])
        kept = self._keep(groups[:middle])
        self._put_back(groups[middle:])
        return kept + self._keep(groups[middle:])

    def _without_named(self, groups: list[Group]) -> list[Group]:
        """The groups that are left when those are out whose rows an invariant names."""
        left = self._without_orphans(groups)
        self._look()
        while left and self._breaks:
            named = {(row.entity, row.key) for one in self._breaks for row in one.rows}
            bad = [group for group in left if any((one.table, one.key) in named for one in group)]
            if not bad:
                break
            self._take_out(bad)
            left = self._without_orphans([group for group in left if group not in bad])
            self._look()
        return left

    def _without_orphans(self, groups: list[Group]) -> list[Group]:
        """The groups that are left when those are out whose rows refer to rows that are not there any more."""
        left = groups
        while orphans := [group for group in left if any(self._is_orphan(one.table, one.key) for one in group)]:
            self._take_out(orphans)
            left = [group for group in left if group not in orphans]
        return left

    def _is_orphan(self, table: str, key: str) -> bool:
        tables = self._maker.state.tables
        row = tables[table].get(key)
        references = [column for column in self._maker.tables.columns[table] if column.references]
        return row is not None and any(
            row[one.name] is not None and not any(row[one.name] in tables[name] for name in one.references) for one in references
        )

    def _look(self) -> None:
        """Looks at the invariants, which takes long in a large world."""
        self._breaks = self._invariants.broken(self._maker.run)

    def _take_out(self, groups: list[Group]) -> None:
        """Undoes changes, later ones first, so that none is left that refers to another."""
        for one in (change for group in reversed(groups) for change in reversed(group)):
            if one.before is None:
                self._maker.state.delete(one.table, one.key)
            else:
                self._maker.state.update(one.table, one.key, one.before)

    def _put_back(self, groups: list[Group]) -> None:
        for one in (change for group in groups for change in group):
            if one.before is None:
                self._maker.state.insert(one.table, one.after)
            else:
                self._maker.state.update(one.table, one.key, one.after)


def _fits(boundary: Boundary, values: Mapping[str, Any]) -> bool:
    return all(values.get(field) in words for field, words in boundary.states)
