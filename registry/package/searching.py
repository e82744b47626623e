"""Derived searches: filters, order, paging."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, cast

from registry.package.change import Stored
from registry.package.columns import Column, Links
from registry.package.row import Row
from registry.package.schema import Table

if TYPE_CHECKING:
    from registry.package.reading import Reader

R = TypeVar("R", bound=Row)
Mode = Literal["equal", "contains", "from", "to", "has"]
_SIGNS = {"equal": "=", "from": ">=", "to": "<="}


@dataclass(frozen=True, slots=True)
class Condition:
    """One filter; a value of None was not asked for."""

    field: str
    mode: Mode
    value: Any


@dataclass(frozen=True, slots=True)
class Page(Generic[R]):
    """Some of the rows found, how many there are, and the offset of the next page."""

    items: list[R]
    total: int
    next_offset: int | None


def equal(field: str, value: object) -> Condition:
    """Rows whose field has this value."""
    return Condition(field, "equal", value)


def contains(field: str, value: object) -> Condition:
    """Rows whose text holds this one, ignoring case."""
    return Condition(field, "contains", value)


def at_least(field: str, value: object) -> Condition:
    """Rows whose field is this or more."""
    return Condition(field, "from", value)


def at_most(field: str, value: object) -> Condition:
    """Rows whose field is this or less."""
    return Condition(field, "to", value)


def has(field: str, value: object) -> Condition:
    """Rows whose list or set of links holds this, or whose map has this key."""
    return Condition(field, "has", value)


def search(ctx: "Reader", row: type[R], conditions: Sequence[Condition], sort: tuple[str, ...], limit: int, offset: int) -> Page[R]:
    """One page of the rows that fulfil all conditions, without archived ones, by `sort` then id.

    Args:
        sort: Names of fields; a name after "-" is in descending order.
        limit: Rows of a page.
        offset: Rows before it.
    """
    table = ctx.schema.tables[row]
    asked = [one for one in conditions if one.value is not None]
    slow = [one for one in asked if not _in_sql(table, one)]
    where, parameters = _where(table, [one for one in asked if _in_sql(table, one)])
    order = _order(table, sort)
    ctx.store.step()
    if not slow:
        total = ctx.store.count(table.name, where, parameters)
        rows = ctx.handles(row, ctx.store.select(table.name, where, parameters, order, limit, offset))
    else:
        matching = [one for one in ctx.handles(row, ctx.store.select(table.name, where, parameters, order)) if _fits(one, slow)]
        total, rows = len(matching), matching[offset : offset + limit]
    following = offset + len(rows)
    return Page(rows, total, following if rows and following < total else None)


def _in_sql(table: Table, condition: Condition) -> bool:
    if condition.mode == "contains":
        return False
    return condition.field in table.fields or condition.field in table.links or condition.field == "id"


def _where(table: Table, conditions: Sequence[Condition]) -> tuple[str, list[Stored]]:
    parts = ['"archived" = 0'] if table.archived and not any(one.field == "archived" for one in conditions) else []
    parameters: list[Stored] = []
    parts.extend(_part(table, one, parameters) for one in conditions)
    return " AND ".join(parts), parameters


def _part(table: Table, condition: Condition, parameters: list[Stored]) -> str:
    if condition.field == "id":
        parameters.append(condition.value)
        return '"id" = ?'
    if condition.field in table.links:
        return _link_part(table.name, table.links[condition.field], condition, parameters)
    column = table.fields[condition.field]
    if condition.mode == "has":
        is_map = column.kind.name == "map"
        parameters.append(condition.value if is_map else _element(column, condition.value))
        each, part = f'json_each("{table.name}"."{column.stored[0]}")', "key" if is_map else "value"
        return f'EXISTS (SELECT 1 FROM {each} WHERE json_each."{part}" = ?)'  # noqa: S608 names of the schema
    parameters.append(column.encode(condition.value)[column.stored[0]])
    return f'"{column.stored[0]}" {_SIGNS[condition.mode]} ?'


def _link_part(table: str, links: Links[Any], condition: Condition, parameters: list[Stored]) -> str:
    parameters.append(condition.value.id)
    return f'"id" IN (SELECT "{links.own}" FROM "{links.table}" WHERE "{links.other}" = ?)'  # noqa: S608 names of the schema


def _element(column: Column[Any], value: Any) -> Stored:
    """Stored form of one element of a list column."""
    stored: Stored = cast("Stored", _first_of(column.kind.encode([value])))
    return stored


def _first_of(stored: Stored) -> Any:

    return json.loads(str(stored))[0]


def _order(table: Table, sort: tuple[str, ...]) -> str:
    parts = []
    for name in sort:
        direction = " DESC" if name.startswith("-") else ""
        parts.append(_order_part(table, name.lstrip("-")) + direction)
    return ", ".join([*parts, '"id"'])


def _order_part(table: Table, name: str) -> str:
    if name == "id":
        return '"id"'
    column = table.fields[name]
    words = column.options.get("words") or tuple(column.moves)
    if not words:
        return f'"{column.stored[0]}"'
    ranks = " ".join(f"WHEN '{word.replace(chr(39), chr(39) * 2)}' THEN {rank}" for rank, word in enumerate(words))
    return f'CASE "{column.stored[0]}" {ranks} END'


def _fits(row: Row, conditions: Sequence[Condition]) -> bool:
    return all(_holds(getattr(row, one.field), one) for one in conditions)


def _holds(value: Any, condition: Condition) -> bool:
    if value is None:
        return False
    if condition.mode == "contains":
        return str(condition.value).lower() in str(value).lower()
    if condition.mode == "from":
        return bool(value >= condition.value)
    if condition.mode == "to":
        return bool(value <= condition.value)
    if condition.mode == "has":
        return condition.value in value
    return bool(value == condition.value)
