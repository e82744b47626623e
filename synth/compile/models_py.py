"""models.py: the tables as SQLModel classes, for people, migrations and admin code."""

from synth.compile import literals
from synth.compile.header import module_docstring, one_line
from synth.compile.layout import Code, call, code, lay_out, listed
from synth.compile.names import Names
from synth.compile.schema_sql import index_name, indexed
from synth.compile.tables import TableColumn, TableForm, table_forms
from synth.lang.domain import Domain
from synth.lang.types import Type

_PYTHON = {
    "text": "str",
    "enum": "str",
    "integer": "int",
    "decimal": "Decimal",
    "money": "Decimal",
    "bool": "bool",
    "date": "dt.date",
    "time": "dt.time",
    "datetime": "dt.datetime",
    "duration": "dt.timedelta",
    "list": "list[Any]",
    "map": "dict[str, Any]",
}
_SQL = {
    "text": "StrictText()",
    "enum": "StrictText()",
    "integer": "StrictInteger()",
    "money": "Money()",
    "bool": "Flag()",
    "date": "IsoDate()",
    "time": "IsoTime()",
    "datetime": "IsoDatetime()",
    "duration": "Minutes()",
    "list": "JsonText()",
    "map": "JsonText()",
}


def models_module(domain: Domain, names: Names) -> str:
    """Text of models.py."""
    tables = table_forms(domain)
    body: list[str] = []
    for table in tables:
        body += ["", "", *_model(domain, names, table)]
    return "\n".join([*_head(domain, tables, "\n".join(body)), *body]) + "\n"


def _head(domain: Domain, tables: tuple[TableForm, ...], body: str) -> list[str]:
    standard = ["import builtins"] if "builtins." in body else []
    standard += [line for mark, line in (("dt.", "import datetime as dt"), ("Decimal", "from decimal import Decimal")) if mark in body]
    typing = [name for name in ("Any", "Literal") if f"{name}]" in body or f"{name}[" in body]
    columns = [one for table in tables for one in table.columns]
    wanted = ["Column", "Field", *(["ForeignKey"] if any(one.foreign for one in columns) else [])]
    wanted += [*(["Index"] if any(indexed(one) for one in columns) else []), "SQLModel"]
    wanted += ["UniqueConstraint"] if any(table.unique or any(one.unique for one in table.columns) for table in tables) else []
    return [
        *module_docstring(domain, f"Tables of {one_line(domain.title)} as SQLModel classes; serving never imports them."),
        "",
        *standard,
        f"from typing import {', '.join(['ClassVar', *typing])}" if not typing else f"from typing import {', '.join(sorted(['ClassVar', *typing]))}",
        "",
        "from sqlalchemy.orm import registry",
        f"from sqlmodel import {', '.join(wanted)}",
        "",
        "# isort: split",
        "from registry.package import sqltypes as st",
        "",
        "",
        "class Base(SQLModel, registry=registry()):",
        '    """All tables of this environment, apart from those of any other."""',
        "",
        '    model_config = {"protected_namespaces": ()}',
    ]


def _model(domain: Domain, names: Names, table: TableForm) -> list[str]:
    about = table.entity.description or f"One of the {table.entity.plural}."
    if table.links is not None:
        about = f"One row for each pair of {table.entity.name} and its {table.links.name}."
    lines = [f"class {names.entity(table.name) if table.links is None else table.name}(Base, table=True):", *literals.docstring(about, 1), ""]
    lines.append(f"    __tablename__: ClassVar[str] = {literals.text(table.name)}")
    lines += _constraints(table)
    hidden = frozenset(one.name for one in table.columns)
    lines += ["", f'    id: {_visible("str", hidden)} = Field(sa_column=Column("id", st.StrictText(), primary_key=True, nullable=False))']
    for one in table.columns:
        lines += _field(domain, names, one, hidden)
    return lines


def _constraints(table: TableForm) -> list[str]:
    items: list[Code | str] = [call("UniqueConstraint", [literals.text(one.name)]) for one in table.columns if one.unique]
    items += [call("UniqueConstraint", [literals.text(name) for name in group]) for group in table.unique]
    items += [call("Index", [literals.text(index_name(table, one)), literals.text(one.name), '"id"']) for one in table.columns if indexed(one)]
    if not items:
        return []
    return lay_out(listed("(", items, ",)" if len(items) == 1 else ")"), 1, "__table_args__ = ")


def _field(domain: Domain, names: Names, one: TableColumn, hidden: frozenset[str]) -> list[str]:
    items: list[Code | str] = [literals.text(one.name), f"st.{_sql_type(one.type)}"]
    items += [f'ForeignKey("{one.foreign}.id")'] if one.foreign else []
    items.append(f"nullable={one.optional}")
    described = [code("description=", literals.text(one_line(one.field.description)))] if one.field and one.field.description else []
    field = call("Field", [*(["default=None"] if one.optional else []), code("sa_column=", call("Column", items)), *described])
    annotation = f"{_visible(_python_type(domain, one), hidden)}{' | None' if one.optional else ''}"
    return lay_out(field, 1, f"{names.attribute(one.name)}: {annotation} = ")


def _visible(annotation: str, hidden: frozenset[str]) -> str:
    """The annotation, which fields of the same class may hide."""
    name = annotation.partition("[")[0]
    inner = annotation.replace("dict[str, ", "dict[builtins.str, ") if "str" in hidden else annotation
    return f"builtins.{inner}" if name in hidden else inner


def _sql_type(kind: Type) -> str:
    return f"Scaled({kind.places})" if kind.kind == "decimal" else _SQL[kind.kind]


def _python_type(domain: Domain, one: TableColumn) -> str:
    if one.type.kind != "enum" or one.references:
        return _PYTHON[one.type.kind]
    words = next((enum.words for enum in domain.enums if enum.name == one.type.name), ())
    return f"Literal[{', '.join(literals.text(word) for word in words)}]" if words else "str"
