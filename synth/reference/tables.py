"""Which tables a domain has, and which of their columns refer to which others."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from registry.package.change import MatchClass
from synth.lang.domain import Column, Domain, Entity, Field
from synth.lang.types import TEXT
from synth.reference.values import decoder


@dataclass(frozen=True, slots=True, kw_only=True)
class Referrer:
    """A column that refers to rows of an entity.

    Attributes:
        owner: Entity that declares the field; for a `links` field, `table` is the table of the links.
        part: Whether rows of `table` die with the row that they refer to.
    """

    table: str
    column: str
    owner: str
    field: str
    part: bool = False
    links: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """The table of a `links` field."""

    table: str
    own: str
    target: str
    entity: str


class Tables:
    """Tables, columns and references of one domain.

    Attributes:
        names: All tables, each entity followed by the tables of its links.
        columns: Stored columns but `id` of each table, in order.
        match: Class of each column.
        referrers: For each entity, the columns that may refer to its rows.
        reverse: For (entity, name of a reverse set), the column that gives it.
    """

    def __init__(self, domain: Domain) -> None:
        self.entities: dict[str, Entity] = {one.name: one for one in domain.entities}
        self.fields: dict[str, dict[str, Field]] = {one.name: {field.name: field for field in one.fields} for one in domain.entities}
        self.columns: dict[str, tuple[Column, ...]] = {}
        self.match: dict[str, dict[str, MatchClass]] = {}
        self.links: dict[tuple[str, str], Link] = {}
        self._decoders: dict[tuple[str, str], Callable[[Any], Any]] = {}
        self.referrers: dict[str, list[Referrer]] = {one.name: [] for one in domain.entities}
        self.reverse: dict[tuple[str, str], Referrer] = {}
        for entity in domain.entities:
            self._entity(entity)
        self.names = tuple(self.columns)

    def _entity(self, entity: Entity) -> None:
        stored = [(column, field.match) for field in entity.fields for column in field.columns]
        self.columns[entity.name] = tuple(column for column, _ in stored)
        self.match[entity.name] = {column.name: match for column, match in stored}
        for field in entity.fields:
            if field.role == "reference":
                self._refer(field, field.columns[0].references, Referrer(
                    table=entity.name, column=field.columns[0].name, owner=entity.name, field=field.name, part=field.part
                ))  # fmt: skip
            elif field.role == "links":
                self._links(entity, field)

    def _links(self, entity: Entity, field: Field) -> None:
        target = field.type.item.entities[0] if field.type.item else ""
        same = target == entity.name
        own, other = ("left_id", "right_id") if same else (f"{entity.name.lower()}_id", f"{target.lower()}_id")
        table = f"{entity.name}_{field.name}"
        self.links[entity.name, field.name] = Link(table=table, own=own, target=other, entity=target)
        self.columns[table] = tuple(Column(name=name, field=name, type=TEXT, references=(to,)) for name, to in ((own, entity.name), (other, target)))
        self.match[table] = {own: "exact", other: "exact"}
        self.referrers[entity.name].append(Referrer(table=table, column=own, owner=entity.name, field=field.name, part=True, links=True))
        self._refer(field, (target,), Referrer(table=table, column=other, owner=entity.name, field=field.name, links=True))

    def _refer(self, field: Field, targets: tuple[str, ...], referrer: Referrer) -> None:
        for target in targets:
            self.referrers[target].append(referrer)
            if field.many:
                self.reverse[target, field.many] = referrer

    def decoders(self, table: str, column: Column) -> Callable[[Any], Any]:
        """Stored to computed form of one column."""
        held = self._decoders.get((table, column.name))
        if held is None:
            held = self._decoders[table, column.name] = decoder(column.type)
        return held

    def parts(self, entity: str) -> tuple[Referrer, ...]:
        """References by which rows of other entities are parts of rows of this one."""
        return tuple(one for one in self.referrers[entity] if one.part and not one.links)
