"""Copies of rows that could be rows of their own: another name, what goes with it, and parts."""

from dataclasses import dataclass

from registry.package.change import Stored
from registry.package.compound import joined
from synth.lang.domain import Entity, Field
from synth.reference.identity import counted_id
from synth.reference.state import Ref, Row, State
from synth.reference.values import encoder
from synth.tasks.rows.akin import akin
from synth.tasks.workshop import Workshop

ELSEWHERE = 0.6
"""How often a part refers to another row than the part it was copied from."""


@dataclass(frozen=True, slots=True)
class Cloner:
    """Puts copies of rows into one state.

    Attributes:
        made: All rows made so far, parts too.
    """

    shop: Workshop
    state: State
    made: list[Ref]

    def clone(self, origin: Ref, changes: dict[str, Stored], spoken: frozenset[str]) -> Ref | None:
        """A copy of a row with `changes` and parts of its own; None where it cannot have an id or a value that must be unique.

        Args:
            spoken: Fields that the description speaks of; no other value of them comes in.
        """
        entity = self.shop.domain.entity(origin.entity)
        if entity.id_kind != "counter":
            return None
        before = self.state.tables[origin.entity][origin.key]
        row: Row = {**before, **changes}
        fixed = {field.name for field in entity.fields if field.name in spoken or any(column.name in changes for column in field.columns)}
        self._rename(entity, row, fixed)
        if not self._fill_unique(entity, row, fixed):
            return None
        self._vary(entity, row, fixed)
        self._fit(entity, row, before, fixed)
        return self._insert(entity, row, origin)

    def _insert(self, entity: Entity, row: Row, origin: Ref) -> Ref | None:
        for field in entity.fields:
            if field.position:
                group = self.state.where(entity.name, field.columns[0].name, str(row[field.columns[0].name]))
                row["position"] = len(group) + 1
        parent = str(row[entity.field(entity.id_per).columns[0].name]) if entity.id_per else ""
        key = counted_id(self.state, entity, parent) if entity.id_kind == "counter" else self._joined(entity, row)
        if key in self.state.tables[entity.name]:
            return None
        self.state.insert(entity.name, {**row, "id": key})
        ref = Ref(entity.name, key)
        self.made.append(ref)
        return ref if self._parts(origin, ref) else None

    @staticmethod
    def _joined(entity: Entity, row: Row) -> str:
        return joined(row[entity.field(name).columns[0].name] for name in entity.key)

    def _parts(self, origin: Ref, copy: Ref) -> bool:
        """Copies the parts of a row; whether all could be."""
        for entity in self.shop.domain.entities:
            for field in entity.fields:
                if not field.part or field.columns[0].references != (origin.entity,):
                    continue
                for key in self.state.where(entity.name, field.columns[0].name, origin.key):
                    if not self._part(entity, field, Ref(entity.name, key), copy):
                        return False
        return True

    def _part(self, entity: Entity, whole: Field, origin: Ref, copy: Ref) -> bool:
        if entity.id_kind not in ("counter", "key"):
            return False
        row: Row = {**self.state.tables[origin.entity][origin.key], whole.columns[0].name: copy.key}
        for field in entity.fields:
            column = field.columns[0] if field.role == "reference" and field is not whole else None
            if column is not None and row[column.name] is not None and self.shop.rng.random() < ELSEWHERE:
                keys = self.shop.view.keys(column.references[0])
                row[column.name] = self.shop.rng.choice(keys) if keys else row[column.name]
        return self._fill_unique(entity, row, {whole.name}) and self._insert(entity, row, origin) is not None

    def _rename(self, entity: Entity, row: Row, fixed: set[str]) -> None:
        """Texts and dates that were made from nothing else in the row are those of one other row, if nobody spoke of them."""
        own = [entity.field(name) for name in sorted(akin(self.shop.domain, entity).own) if name not in fixed]
        used = {field.name: self._used(entity, field) for field in own if field.unique}
        for donor in self._donors(entity):
            if any(donor[field.columns[0].name] in values for field in own for name, values in used.items() if field.name == name):
                continue
            for field in own:
                for column in field.columns:
                    if row[column.name] is not None and donor[column.name] is not None:
                        row[column.name] = donor[column.name]
            return

    def _donors(self, entity: Entity) -> list[Row]:
        rows = self.shop.sibling.tables[entity.name]
        keys = sorted(rows)
        return [rows[self.shop.rng.choice(keys)] for _ in range(4)] if keys else []

    def _used(self, entity: Entity, field: Field) -> set[Stored]:
        column = field.columns[0].name
        reserved = self.shop.neighbours.reserved.get((entity.name, column), set())
        return {row[column] for row in self.state.tables[entity.name].values()} | reserved

    def _fill_unique(self, entity: Entity, row: Row, fixed: set[str]) -> bool:
        """Values that must be unique are new ones; False where there is none."""
        for field in entity.fields:
            if field.unique and field.columns and field.name not in fixed:
                column = field.columns[0].name
                if field.role == "value" and row[column] in self._used(entity, field):
                    fresh = self._fresh(entity, field)
                    if fresh is None:
                        return False
                    row[column] = fresh
        return True

    def _fresh(self, entity: Entity, field: Field) -> Stored:
        used = self._used(entity, field)
        for _ in range(20):
            value = encoder(field.type)(self.shop.proposer(self.shop.state).like((entity.name, field.name)))
            if value is not None and value not in used:
                return value
        return None

    def _vary(self, entity: Entity, row: Row, fixed: set[str]) -> None:
        """Changes one or two values that nobody mentioned, so that a clone is no second copy and invariants can be met."""
        free = [
            field
            for field in entity.fields
            if field.role in ("value", "reference") and field.columns and not field.unique and field.name not in fixed and not field.lifecycle
        ]
        for field in self.shop.rng.sample(free, min(len(free), self.shop.rng.choice((0, 1, 1, 2)))):
            column = field.columns[0]
            if field.role == "reference":
                keys = self.shop.view.keys(column.references[0])
                if keys and row[column.name] is not None:
                    row[column.name] = self.shop.rng.choice(keys)
            elif row[column.name] is not None and field.name not in akin(self.shop.domain, entity).own:
                value = self.shop.proposer(self.shop.state).like((entity.name, field.name))
                if value is not None:
                    row[column.name] = encoder(field.type)(value)

    def _fit(self, entity: Entity, row: Row, before: Row, fixed: set[str]) -> None:
        """What goes together with a value that has changed comes from a row that has it too."""
        settled = set(fixed)
        for name, others in sorted(akin(self.shop.domain, entity).companions.items(), key=lambda one: (one[0] not in fixed, one[0])):
            column = entity.field(name).columns[0].name
            if row[column] == before[column]:
                continue
            settled.add(name)
            donors = self.shop.sibling.where(entity.name, column, row[column])
            if not donors:
                continue
            donor = self.shop.sibling.tables[entity.name][self.shop.rng.choice(donors)]
            for other in sorted(others - settled):
                field = entity.field(other)
                if field.unique and donor[field.columns[0].name] in self._used(entity, field):
                    continue
                row[field.columns[0].name] = donor[field.columns[0].name]
                settled.add(other)
