"""schema.sql: the tables as DDL for SQLite, printed from the intermediate form."""

from synth.compile.header import origin
from synth.compile.tables import TableColumn, TableForm, table_forms
from synth.lang.domain import Domain


def schema_sql(domain: Domain) -> str:
    """Text of schema.sql."""
    blocks = ["\n".join(f"-- {line}" for line in origin(domain))]
    blocks.extend("\n".join(_table(table)) for table in table_forms(domain))
    return "\n\n".join(blocks) + "\n"


def _table(table: TableForm) -> list[str]:
    items = ['"id" TEXT NOT NULL', *(_column(one) for one in table.columns), 'PRIMARY KEY ("id")']
    items += [f"UNIQUE ({_names((one.name,))})" for one in table.columns if one.unique]
    items += [f"UNIQUE ({_names(group)})" for group in table.unique]
    items += [f'FOREIGN KEY ("{one.name}") REFERENCES "{one.foreign}" ("id")' for one in table.columns if one.foreign]
    lines = [f'CREATE TABLE "{table.name}" (', *(f"  {item}," for item in items[:-1]), f"  {items[-1]}", ") STRICT;"]
    return [*lines, *(_index(table, one) for one in table.columns if indexed(one))]


def indexed(column: TableColumn) -> bool:
    """Whether a column has an index of its own."""
    return bool(column.references) and not column.unique


def index_name(table: TableForm, column: TableColumn) -> str:
    """Name of the index of a reference."""
    return f"ix_{table.name}_{column.name}"


def _index(table: TableForm, column: TableColumn) -> str:
    return f'CREATE INDEX "{index_name(table, column)}" ON "{table.name}" ("{column.name}", "id");'


def _column(one: TableColumn) -> str:
    return f'"{one.name}" {one.sql}{"" if one.optional else " NOT NULL"}'


def _names(names: tuple[str, ...]) -> str:
    return ", ".join(f'"{name}"' for name in names)
