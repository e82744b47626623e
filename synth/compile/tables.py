"""The intermediate form of tables: what models.py, schema.sql and meta.json are all printed from."""

from dataclasses import dataclass
from typing import Literal

from synth.lang.domain import Domain, Entity, Field
from synth.lang.types import TEXT, Type

SqlType = Literal["TEXT", "INTEGER"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableColumn:
    """One stored column.

    Attributes:
        type: Of its value; text for ids and references.
        references: Entities referred to.
        foreign: Table of a foreign key: the one entity referred to, if its table comes before or is the same.
        field: The declared field, or None for the columns of link tables.
        unique: No two rows share its value.
    """

    name: str
    type: Type
    optional: bool
    references: tuple[str, ...] = ()
    foreign: str = ""
    field: Field | None = None
    unique: bool = False

    @property
    def sql(self) -> SqlType:
        """Type in a STRICT table."""
        return "INTEGER" if self.type.kind in ("integer", "decimal", "money", "bool", "duration") else "TEXT"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableForm:
    """One table: of an entity, or of the rows of a `links` field. The column `id` is its key and not among `columns`."""

    name: str
    columns: tuple[TableColumn, ...]
    entity: Entity
    links: Field | None = None
    unique: tuple[tuple[str, ...], ...] = ()


def table_forms(domain: Domain) -> tuple[TableForm, ...]:
    """All tables, each entity followed by the tables of its links."""
    order = {entity.name: number for number, entity in enumerate(domain.entities)}
    found: list[TableForm] = []
    for entity in domain.entities:
        found.append(_entity_table(entity, order))
        found.extend(_link_table(entity, field, order) for field in entity.fields if field.role == "links")
    return tuple(found)


def _entity_table(entity: Entity, order: dict[str, int]) -> TableForm:
    columns = tuple(
        TableColumn(
            name=column.name,
            type=column.type,
            optional=field.type.optional or column.type.optional,
            references=column.references,
            foreign=_foreign(column.references, entity.name, order),
            field=field,
            unique=field.unique and len(field.columns) == 1,
        )
        for field in entity.fields
        for column in field.columns
    )
    names = {field.name: tuple(column.name for column in field.columns) for field in entity.fields}
    groups = tuple(tuple(column for name in group for column in names[name]) for group in entity.unique)
    return TableForm(name=entity.name, columns=columns, entity=entity, unique=groups)


def link_columns(entity: Entity, field: Field) -> tuple[str, str, str]:
    """Names of the two columns of a link table, and the entity that the second refers to."""
    target = field.type.item.entities[0] if field.type.item else ""
    if target == entity.name:
        return "left_id", "right_id", target
    return f"{entity.name.lower()}_id", f"{target.lower()}_id", target


def _link_table(entity: Entity, field: Field, order: dict[str, int]) -> TableForm:
    own, other, target = link_columns(entity, field)
    columns = tuple(
        TableColumn(name=name, type=TEXT, optional=False, references=(to,), foreign=_foreign((to,), entity.name, order))
        for name, to in ((own, entity.name), (other, target))
    )
    return TableForm(name=f"{entity.name}_{field.name}", columns=columns, entity=entity, links=field)


def _foreign(references: tuple[str, ...], table: str, order: dict[str, int]) -> str:
    """A reference to a later table has no foreign key, so that tables can be made in order."""
    return references[0] if len(references) == 1 and order[references[0]] <= order[table] else ""
