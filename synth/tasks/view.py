"""Typed reading of a state along paths of fields, as descriptions of rows need it."""

from dataclasses import dataclass

from synth.lang.domain import Domain, Entity, Field
from synth.lang.types import Type
from synth.reference.state import State

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """One scalar fact about a row: the field at the end of `path` (references on the way) has `value`."""

    path: Path
    value: object
    type: Type


@dataclass(frozen=True, slots=True)
class View:
    """One state of one domain, read by field names."""

    domain: Domain
    state: State

    def keys(self, entity: str) -> list[str]:
        """Ids of the rows that are not archived, in key order."""
        return [key for key in self.state.keys(entity) if not self._archived(entity, key)]

    def _archived(self, entity: str, key: str) -> bool:
        return self.domain.entity(entity).archive and bool(self.state.row(entity, key)["archived"])

    def parent(self, entity: str, key: str, name: str) -> tuple[str, str] | None:
        """Entity and id of the row that the reference field `name` points at, or None."""
        field = self.domain.entity(entity).field(name)
        target = self.state.row(entity, key)[field.columns[0].name]
        if target is None:
            return None
        for candidate in field.columns[0].references:
            if self.state.has(candidate, str(target)):
                return candidate, str(target)
        return None

    def value(self, entity: str, key: str, path: Path) -> object:
        """The value at `path`, in the language's own form; None when a reference on the way is empty."""
        for name in path[:-1]:
            step = self.parent(entity, key, name)
            if step is None:
                return None
            entity, key = step
        field = self.domain.entity(entity).field(path[-1])
        return self.state.value(entity, key, field.columns[0].name)

    def field_at(self, entity: str, path: Path) -> Field:
        """The field at the end of `path`."""
        for name in path[:-1]:
            entity = self.domain.entity(entity).field(name).columns[0].references[0]
        return self.domain.entity(entity).field(path[-1])

    def entity_at(self, entity: str, path: Path) -> Entity:
        """The entity that the field at the end of `path` belongs to."""
        for name in path[:-1]:
            entity = self.domain.entity(entity).field(name).columns[0].references[0]
        return self.domain.entity(entity)

    def leaf(self, entity: str, key: str, path: Path) -> Leaf:
        """The fact at `path`."""
        return Leaf(path=path, value=self.value(entity, key, path), type=self.field_at(entity, path).type.required())

    def matching(self, entity: str, leaves: tuple[Leaf, ...]) -> list[str]:
        """Ids of the rows for which all `leaves` hold."""
        return [key for key in self.keys(entity) if all(self.value(entity, key, leaf.path) == leaf.value for leaf in leaves)]
