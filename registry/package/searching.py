"""Derived searches: filters, order, paging."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from registry.package.columns import LINK_OTHER, LINK_OWN, Column
from registry.package.ordering import StoredRow
from registry.package.row import Row
from registry.package.schema import Table

if TYPE_CHECKING:
    from registry.package.reading import Reader

R = TypeVar("R", bound=Row)
Mode = Literal["equal", "contains", "from", "to", "has"]


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
    found = _found(ctx, table, asked, sort)
    page = found[offset : offset + limit]
    ctx.store.step(2 + len(page))
    following = offset + len(page)
    return Page(ctx.handles(row, page), len(found), following if page and following < len(found) else None)


def _found(ctx: "Reader", table: Table, asked: list[Condition], sort: tuple[str, ...]) -> Sequence[StoredRow]:
    """Stored rows in order. A reference is looked up; all other filters go through the rows, which the store keeps in order."""
    order = table.order(sort)
    looked_up = next((one for one in asked if one.mode == "equal" and one.field in table.fields and table.fields[one.field].tables), None)
    if looked_up is None:
        found = ctx.store.rows(table.name, order)
    else:
        found = ctx.store.having(table.name, table.fields[looked_up.field].index, looked_up.value.id)
        found = found if order is None else order.arranged(found)
    if table.archived and not any(one.field == "archived" for one in asked):
        place = table.fields["archived"].index
        found = [values for values in found if not values[place]]
    for one in asked:
        if one is not looked_up:
            found = _filtered(ctx, table, one, found)
    return found


def _filtered(ctx: "Reader", table: Table, condition: Condition, rows: Sequence[StoredRow]) -> Sequence[StoredRow]:
    if condition.field in table.links:
        links = table.links[condition.field]
        owners = {values[LINK_OWN] for values in ctx.store.having(links.table, LINK_OTHER, condition.value.id)}
        return [values for values in rows if values[0] in owners]
    if condition.field == "id":
        return [values for values in rows if values[0] == condition.value]
    column = table.fields.get(condition.field)
    if column is None or (condition.mode == "contains" and not column.kind.plain):
        # Not stored, or not as text: worked out row by row.
        ctx.store.step(len(rows))
        return [one._values() for one in ctx.handles(table.row, rows) if _holds(getattr(one, condition.field), condition)]
    return _FILTERS[condition.mode](column, condition.value, rows)


def _equal(column: Column[Any], value: Any, rows: Sequence[StoredRow]) -> list[StoredRow]:
    place, wanted = column.index, column.searched(value)
    return [values for values in rows if values[place] == wanted]


def _from(column: Column[Any], value: Any, rows: Sequence[StoredRow]) -> list[StoredRow]:
    place, least = column.index, column.searched(value)
    return [values for values in rows if values[place] is not None and values[place] >= least]  # type: ignore[operator]  # of one kind


def _to(column: Column[Any], value: Any, rows: Sequence[StoredRow]) -> list[StoredRow]:
    place, most = column.index, column.searched(value)
    return [values for values in rows if values[place] is not None and values[place] <= most]  # type: ignore[operator]  # of one kind


def _contains(column: Column[Any], value: Any, rows: Sequence[StoredRow]) -> list[StoredRow]:
    place, wanted = column.index, str(value).lower()
    return [values for values in rows if values[place] is not None and wanted in str(values[place]).lower()]


def _has(column: Column[Any], value: Any, rows: Sequence[StoredRow]) -> list[StoredRow]:
    place = column.index
    wanted = value if column.kind.name == "map" else json.loads(str(column.kind.encode([value])))[0]
    return [values for values in rows if values[place] is not None and wanted in _held(str(values[place]))]


@lru_cache(maxsize=1 << 12)
def _held(stored: str) -> Any:
    """The list or map in a stored text; never changed."""
    return json.loads(stored)


_FILTERS: dict[Mode, Callable[[Column[Any], Any, Sequence[StoredRow]], list[StoredRow]]] = {
    "equal": _equal,
    "contains": _contains,
    "from": _from,
    "to": _to,
    "has": _has,
}


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
