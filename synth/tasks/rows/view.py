"""Typed reading of a state along paths of fields, as descriptions of rows need it."""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from synth.lang.domain import Domain, Entity, Field
from synth.lang.types import TEXT, Type
from synth.reference.state import State
from synth.reference.values import decoder, encoder

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """One scalar fact about a row: the field at the end of `path` (references on the way) has `value`.

    Attributes:
        path: Names of fields. One that starts with `<`, as in `<Pet.owner`, leads back from a row to one that refers to it.
        rank: Not 0 when the row is meant that has, among those for which all other facts hold, the `rank`-th smallest value (negative: the greatest);
            `value` is then what it is.
        bound: Not 0 when the field's value only has to be greater (1) or less (-1) than `value`, or the same.
    """

    path: Path
    value: object
    type: Type
    rank: int = 0
    bound: int = 0

    @property
    def name(self) -> str:
        """The path joined by dots; for a bound, with what it is."""
        return ".".join((*self.path, *((("to", "", "from")[self.bound + 1],) if self.bound else ())))


def back(name: str) -> tuple[str, str]:
    """Entity and reference field of a step that leads back; empty for one that does not."""
    entity, _, field = name[1:].partition(".") if name.startswith("<") else ("", "", "")
    return entity, field


def below(leaves: Iterable[Leaf], name: str) -> tuple[Leaf, ...]:
    """The facts about the row that the step `name` leads to."""
    return tuple(replace(leaf, path=leaf.path[1:]) for leaf in leaves if len(leaf.path) > 1 and leaf.path[0] == name)


@dataclass(frozen=True, slots=True)
class View:
    """One state of one domain, read by field names."""

    domain: Domain
    state: State

    @property
    def today(self) -> dt.date:
        """The day on which the seed stands."""
        return dt.datetime.fromisoformat(self.domain.now).date()

    def keys(self, entity: str) -> list[str]:
        """Ids of the rows that are not archived, in key order."""
        if not self.domain.entity(entity).archive:
            return self.state.keys(entity)
        return [key for key in self.state.keys(entity) if not self.state.tables[entity][key]["archived"]]

    def parent(self, entity: str, key: str, name: str) -> tuple[str, str] | None:
        """Entity and id of the row that the reference field `name` points at, or None."""
        column = self.domain.entity(entity).field(name).columns[0]
        target = self.state.tables[entity][key][column.name]
        for candidate in column.references:
            if target is not None and str(target) in self.state.tables[candidate]:
                return candidate, str(target)
        return None

    def value(self, entity: str, key: str, path: Path) -> object:
        """The value at `path`, in the language's own form; None when a reference on the way is empty."""
        for name in path[:-1]:
            step = self.parent(entity, key, name)
            if step is None:
                return None
            entity, key = step
        if path[-1] == "id":
            return key
        field = self.domain.entity(entity).field(path[-1])
        if not field.columns:
            return None
        value: object = decoder(field.columns[0].type)(self.state.tables[entity][key][field.columns[0].name])
        return tuple(value) if isinstance(value, list) else value

    def field_at(self, entity: str, path: Path) -> Field:
        """The field at the end of `path`."""
        return self.entity_at(entity, path).field(path[-1])

    def entity_at(self, entity: str, path: Path) -> Entity:
        """The entity that the field at the end of `path` belongs to."""
        for name in path[:-1]:
            entity = back(name)[0] or self.domain.entity(entity).field(name).columns[0].references[0]
        return self.domain.entity(entity)

    def leaf(self, entity: str, key: str, path: Path) -> Leaf:
        """The fact at `path`."""
        kind = TEXT if path[-1] == "id" else self.field_at(entity, path).type.required()
        return Leaf(path=path, value=self.value(entity, key, path), type=kind)

    def matching(self, entity: str, leaves: tuple[Leaf, ...]) -> list[str]:
        """Ids of the rows for which all `leaves` hold; of rows that tie for a rank, all."""
        found: set[str] | None = None
        for fitting in self._fitting(entity, leaves):
            found = fitting if found is None else found & fitting
            if not found:
                return []
        keys = self.state.keys(entity) if found is None else sorted(found)
        if self.domain.entity(entity).archive:
            keys = [key for key in keys if not self.state.tables[entity][key]["archived"]]
        for leaf in leaves:
            if leaf.bound:
                keys = [key for key in keys if self._within(entity, key, leaf)]
        for leaf in leaves:
            if leaf.rank:
                keys = self._ranked(entity, keys, leaf)
        return list(keys)

    def _fitting(self, entity: str, leaves: tuple[Leaf, ...]) -> Iterable[set[str]]:
        """For each fact, or all facts about one row that refers here, the ids of the rows for which it holds."""
        for leaf in leaves:
            if not leaf.rank and not leaf.bound and not back(leaf.path[0])[0]:
                yield self._with(entity, leaf, leaf.path)
        for name in dict.fromkeys(leaf.path[0] for leaf in leaves if back(leaf.path[0])[0]):
            child, field = back(name)
            column = self.domain.entity(child).field(field).columns[0].name
            yield {str(self.state.tables[child][key][column]) for key in self.matching(child, below(leaves, name))}

    def _within(self, entity: str, key: str, leaf: Leaf) -> bool:
        value: Any = self.value(entity, key, leaf.path)
        limit: Any = leaf.value
        return value is not None and bool(value >= limit if leaf.bound > 0 else value <= limit)

    def _ranked(self, entity: str, keys: list[str], leaf: Leaf) -> list[str]:
        values = {key: value for key in keys if (value := self.value(entity, key, leaf.path)) is not None}
        in_order = sorted(values.values(), reverse=leaf.rank < 0)  # type: ignore[type-var]
        if abs(leaf.rank) > len(in_order):
            return []
        wanted = in_order[abs(leaf.rank) - 1]
        return [key for key, value in values.items() if value == wanted]

    def meant(self, entity: str, leaves: tuple[Leaf, ...]) -> str | None:
        """Id of the only row for which the facts hold; None where there is none or another one, or where a rank belongs to another value by now."""
        keys = self.matching(entity, leaves)
        if len(keys) != 1 or any(leaf.rank and self.value(entity, keys[0], leaf.path) != leaf.value for leaf in leaves):
            return None
        return keys[0]

    def _with(self, entity: str, leaf: Leaf, path: Path) -> set[str]:
        """Ids of the rows for which a fact holds at the end of `path`, from the indexes of the state."""
        if path == ("id",):
            return {str(leaf.value)} & self.state.tables[entity].keys()
        field = self.domain.entity(entity).field(path[0])
        if not field.columns:
            return {key for key in self.keys(entity) if self.value(entity, key, path) == leaf.value}
        column = field.columns[0]
        if len(path) == 1:
            value = list(leaf.value) if isinstance(leaf.value, tuple) else leaf.value
            return set(self.state.where(entity, column.name, encoder(column.type)(value)))
        return {key for target in column.references for up in self._with(target, leaf, path[1:]) for key in self.state.where(entity, column.name, up)}
