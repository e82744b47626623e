"""Net changes of rows: what the scorer compares."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Stored = str | int | float | None
"""A value as SQLite stores it: text, integer (bool, money and decimals scaled, durations in minutes), null."""

MatchClass = Literal["exact", "text", "exempt"]


class ColumnChange(BaseModel):
    """One column of a changed row; `from` is null for inserts, `to` for deletes."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    before: Stored = Field(alias="from")
    after: Stored = Field(alias="to")
    match: MatchClass = Field(alias="class")


class RowChange(BaseModel):
    """One row that differs between two states. `key` is its id; in gold, `$1`, `$2` … stand for rows that the run creates.

    Lists of changes are ordered by table, then key. An insert or delete lists all stored columns but `id`, an update those that differ.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    table: str
    op: Literal["insert", "update", "delete"]
    key: str
    values: dict[str, ColumnChange]
