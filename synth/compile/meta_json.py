"""meta.json: what JSON Schema cannot say of tables and tools."""

from typing import Any

from registry.package.meta import ColumnKind, ColumnMeta, Meta, ParameterMeta, StructMeta, TableMeta, ToolMeta
from synth.compile.json_schema import words
from synth.compile.names import Names
from synth.compile.tables import TableColumn, TableForm, table_forms
from synth.compile.walk import rules_through
from synth.lang.domain import Domain, Entity, Param, Tool
from synth.lang.types import Type

_PAGING = tuple(ParameterMeta(name=name, argument=name, kind="integer", required=False) for name in ("limit", "offset"))


def package_meta(domain: Domain, names: Names) -> Meta:
    """The whole file."""
    return Meta(
        now=domain.now,
        actor=domain.actor,
        tables=tuple(_table(domain, one) for one in table_forms(domain)),
        tools=tuple(_tool(domain, names, one) for one in domain.tools),
        facts=dict(domain.facts),
        structs=tuple(
            StructMeta(name=one.name, fields=tuple(_plain_column(domain, name, kind) for name, kind in one.fields)) for one in domain.structs
        ),
    )


def _table(domain: Domain, table: TableForm) -> TableMeta:
    entity = table.entity
    columns = tuple(_column(domain, table, one) for one in table.columns)
    if table.links is not None:
        key = ColumnMeta(name="id", kind="text", match="exempt")
        return TableMeta(name=table.name, plural=f"{entity.name} {table.links.name}", id_kind="key", link=True, columns=(key, *columns))
    generated = entity.id_kind == "counter"
    key = ColumnMeta(name="id", kind="text", match="exempt" if generated else "exact", generated=generated)
    return TableMeta(
        name=table.name,
        plural=entity.plural,
        id_kind=entity.id_kind,
        id_pattern=entity.id_pattern,
        id_per=entity.id_per,
        called=entity.called_text,
        archive=entity.archive,
        part_of=_part_of(entity),
        columns=(key, *columns),
    )


def _part_of(entity: Entity) -> str:
    return next((field.type.entities[0] for field in entity.fields if field.part), "")


def _column(domain: Domain, table: TableForm, one: TableColumn) -> ColumnMeta:
    field = one.field
    if field is None:
        return ColumnMeta(name=one.name, kind="reference", match="exact", references=one.references)
    plain = _plain_column(domain, one.name, one.type)
    return plain.model_copy(
        update={
            "kind": "reference" if one.references else plain.kind,
            "match": field.match,
            "optional": one.optional,
            "references": one.references,
            "history": field.history,
            "facts": field.facts,
            "length": field.length if one.type.kind == "text" and not one.references else None,
        }
    )


def _plain_column(domain: Domain, name: str, kind: Type) -> ColumnMeta:
    item = kind.item if kind.kind in ("list", "map") else None
    enum = item if item is not None and item.kind == "enum" else kind
    return ColumnMeta(
        name=name,
        kind=column_kind(kind),
        match="exact",
        optional=kind.optional,
        places=places(item or kind),
        words=words(domain, enum.name) if enum.kind == "enum" else (),
        of=column_kind(item) if item is not None else None,
    )


def places(kind: Type) -> int:
    """Decimal places of money and decimals, 0 for all else."""
    return 2 if kind.kind == "money" else kind.places if kind.kind == "decimal" else 0


def column_kind(kind: Type) -> ColumnKind:
    """The kind of a scalar, list or map in meta.json."""
    match kind.kind:
        case "row":
            return "reference"
        case "struct" | "record" | "none":
            raise ValueError(f"a {kind.kind} has no column of its own")
        case other:
            return other


def _tool(domain: Domain, names: Names, tool: Tool) -> ToolMeta:
    rules = rules_through(domain, tool.body)
    return ToolMeta(
        name=tool.name,
        kind=tool.kind,
        read_only=tool.read_only,
        parameters=(*(_parameter(domain, names, one) for one in tool.params), *(_PAGING if tool.kind == "search" else ())),
        requires=tuple(dict.fromkeys(one.code for one in rules if one.enforced)),
        policies=tuple(dict.fromkeys(one.code for one in rules if not one.enforced)),
        role=tool.role,
    )


def _parameter(domain: Domain, names: Names, one: Param) -> ParameterMeta:
    kind = one.type
    item = kind.item if kind.kind in ("list", "map") else None
    rows = kind if kind.kind == "row" else item if item is not None and item.kind == "row" else None
    shape = kind if kind.kind == "struct" else item if item is not None and item.kind == "struct" else None
    field = domain.entity(one.of[0]).field(one.of[1]) if one.of else None
    default_none = one.default is not None and getattr(one.default, "value", 0) is None
    return ParameterMeta(
        name=names.local(one.name),
        argument=one.argument,
        kind=_parameter_kind(kind, item),
        required=one.required,
        optional=kind.optional or default_none,
        unset=one.unset,
        places=places(item or kind),
        tables=rows.entities if rows is not None else (),
        of=column_kind(item) if item is not None and item.kind not in ("row", "struct") else None,
        struct=shape.name if shape is not None else "",
        match=field.match if field is not None else "exact",
    )


def _parameter_kind(kind: Type, item: Type | None) -> Any:
    if item is not None and kind.kind == "list" and item.kind in ("row", "struct"):
        return "rows" if item.kind == "row" else "structs"
    return kind.kind
