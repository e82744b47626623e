"""Stored values as tools show them: what rows, changes and scores hold is the form of the database.

Money and decimals are stored as integers (value * 10**places), bools as 0 and 1; all else is shown as it is stored.
"""

from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction
from typing import Any

from registry.package.meta import TableMeta
from registry.package.numbers import shown_number

NUMBERS = ("money", "decimal")
Columns = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""Table and column to `{"kind": …, "places": …}`."""


def columns_of(tables: Iterable[TableMeta], only: Collection[str] | None = None) -> dict[str, dict[str, dict[str, Any]]]:
    """The columns whose stored form is not what tools show, by table; tables without any are left out.

    Args:
        tables: Of the environment.
        only: Names of the tables that matter; None for all.
    """
    found = {
        table.name: {column.name: {"kind": column.kind, "places": column.places} for column in table.columns if column.kind in (*NUMBERS, "bool")}
        for table in tables
        if only is None or table.name in only
    }
    return {name: columns for name, columns in found.items() if columns}


def shown_text(value: Any, columns: Columns, table: str, column: str) -> str | None:
    """The value as tools show it: `5.9` for 59 with one place, `true` for 1; None where it is shown as it is stored.

    Args:
        value: In stored form.
        columns: As `columns_of` gives them; they may come from JSON.
        table: That the value stands in.
        column: Likewise.
    """
    about = columns.get(table, {}).get(column)
    if about is None or not isinstance(value, int):
        return None
    if about["kind"] == "bool":
        return "true" if value else "false"
    places = int(about["places"])
    return shown_number(Fraction(value, 10**places), places)
