"""Makes rows next to every boundary of the rules."""

import datetime as dt
from collections.abc import Mapping
from fractions import Fraction
from math import gcd
from typing import Any

from synth.data.boundaries import Boundary, boundaries
from synth.data.counts import Count
from synth.data.invariants import broken
from synth.data.rows import RowMaker
from synth.lang.domain import Domain, Entity
from synth.reference.state import Ref

MOST = 90
"""Rows made for boundaries, at most, in a world of usual size."""

PARENTS = 6
"""How many parents are tried for one row."""


class Edges:
    """Adds rows one step below, at, and one step above each boundary, with the rows that belong to them."""

    def __init__(self, domain: Domain, maker: RowMaker, counts: Mapping[str, Count], scale: int | None) -> None:
        self._domain = domain
        self._maker = maker
        self._counts = counts
        self._most = MOST if scale is None else min(MOST, scale // 5)
        self._made: dict[Ref, None] = {}

    def add(self) -> None:
        """Adds the rows, then takes out again those that break an invariant."""
        found = boundaries(self._domain, self._maker.expressions, self._maker.run)
        steps = [(one, value) for one in found for value in self._around(one)]
        for boundary, value in steps[: self._most]:
            self._add(boundary, value)
        self._keep_invariants()

    def _around(self, boundary: Boundary) -> list[Any]:
        """The values below, at and above."""
        step = self._step(boundary)
        value = self._aligned(boundary.value, step)
        if isinstance(value, dt.time):
            return [value]
        around = [value - step, value, value + step]
        return around[1:] if isinstance(value, int | Fraction) and value >= 0 > around[0] else around

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

    def _add(self, boundary: Boundary, value: Any) -> None:
        entity = self._domain.entity(boundary.entity)
        if entity.single:
            return
        for _ in range(PARENTS):
            parents = self._parents(entity)
            if parents is None:
                return
            ref = self._maker.make(entity, parents, self._serial(entity), {boundary.field: value}, lambda values: _fits(boundary, values))
            if ref is not None:
                self._made[ref] = None
                self._children(ref)
                return

    def _serial(self, entity: Entity) -> int:
        return len(self._maker.state.tables[entity.name]) + 1

    def _parents(self, entity: Entity) -> dict[str, Any] | None:
        """Some row for each parent; None if there is none."""
        chosen = {}
        for name in self._counts[entity.name].parents:
            pool = [Ref(one, key) for one in entity.field(name).columns[0].references for key in self._maker.state.keys(one)]
            if not pool:
                return None
            chosen[name] = self._maker.stream.choice(pool)
        return chosen

    def _children(self, ref: Ref) -> None:
        """The rows that a row of this entity has by itself."""
        for entity in self._domain.entities:
            count = self._counts[entity.name]
            if len(count.parents) != 1 or ref.entity not in entity.field(count.parents[0]).columns[0].references or entity.name == ref.entity:
                continue
            for _ in range(self._maker.stream.between(count.low, count.high)):
                child = self._maker.make(entity, {count.parents[0]: ref}, self._serial(entity))
                if child is not None:
                    self._made[child] = None
                    self._children(child)

    def _keep_invariants(self) -> None:
        while self._made:
            breaks = broken(self._domain, self._maker.statements, self._maker.run)
            if not breaks:
                return
            named = {row for one in breaks for row in one.rows}
            for ref in [one for one in self._made if one in named] or list(self._made):
                if ref in self._made:
                    self._take_out(ref)

    def _take_out(self, ref: Ref) -> None:
        """Removes a row that was added, after the added rows that refer to it."""
        for referrer in self._maker.tables.referrers[ref.entity]:
            for key in self._maker.state.where(referrer.table, referrer.column, ref.key):
                if referrer.links:
                    self._maker.state.delete(referrer.table, key)
                else:
                    self._take_out(Ref(referrer.table, key))
        del self._made[ref]
        self._maker.remove(ref)


def _fits(boundary: Boundary, values: Mapping[str, Any]) -> bool:
    return all(values.get(field) in words for field, words in boundary.states)
