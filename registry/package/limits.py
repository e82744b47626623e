"""Derived refusals of a row that is about to be written."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from registry.package import refusals
from registry.package.change import Stored
from registry.package.columns import Column
from registry.package.errors import ToolRefusal
from registry.package.language import show
from registry.package.row import Row
from registry.package.schema import Table

if TYPE_CHECKING:
    from registry.package.reading import Reader


def creation_refusals(ctx: "Reader", table: Table, row: Row) -> Iterator[ToolRefusal]:
    """Why this new row, which the context knows as a draft, cannot be added; in the order in which they are reported."""
    if table.about.identity != "counter" and ctx.store.read(table.name, row.id) is not None:
        yield refusals.duplicate(table.name, table.about.key or ("id",), (row.id,))
        return
    for column in table.fields.values():
        if column.unique:
            yield from _duplicates(ctx, table, row, (column,))
        if column.limited:
            yield from _limits(table, column, row, ())
    for group in table.about.unique:
        yield from _duplicates(ctx, table, row, tuple(table.fields[name] for name in group))


def update_refusals(ctx: "Reader", table: Table, row: Row, before: tuple[Stored, ...], written: Sequence[str]) -> Iterator[ToolRefusal]:
    """Why these fields of a row, whose new values the context knows as a draft, cannot be written."""
    for name in written:
        column = table.fields[name]
        if column.moves:
            current, wanted = str(before[column.index]), str(row._values()[column.index])
            if wanted not in column.moves.get(current, ()):
                yield refusals.wrong_state(table.name, name, current, wanted, row.id)
        if column.unique:
            yield from _duplicates(ctx, table, row, (column,))
        if column.limited:
            yield from _limits(table, column, row, (row.id,))
        if column.tree and _below_itself(ctx, column, row):
            yield refusals.cycle(table.name, name, row.id)
    for group in table.about.unique:
        if set(group) & set(written):
            yield from _duplicates(ctx, table, row, tuple(table.fields[name] for name in group))


def _duplicates(ctx: "Reader", table: Table, row: Row, columns: tuple[Column[Any], ...]) -> Iterator[ToolRefusal]:
    values = row._values()
    places = [column.index + number for column in columns for number in range(len(column.stored))]
    if any(values[place] is None for place in places):
        return
    first, *more = places
    others = [one for one in ctx.store.having(table.name, first, values[first]) if one[0] != row.id]
    for place in more:
        others = [one for one in others if one[place] == values[place]]
    if others:
        yield refusals.duplicate(table.name, tuple(column.name for column in columns), tuple(str(other[0]) for other in others))


def _limits(table: Table, column: Column[Any], row: Row, keys: tuple[str, ...]) -> Iterator[ToolRefusal]:
    options = column.options
    value = column.__get__(row, type(row))
    if value is None:
        return
    if "length" in options and isinstance(value, str) and len(value) > options["length"]:
        yield refusals.too_long(table.name, column.name, options["length"], keys)
    if "closed" in options and value not in options["closed"]:
        yield refusals.not_allowed(table.name, column.name, tuple(column.kind.show(one) for one in options["closed"]), keys)
    low = column.low(row) if column.low else None
    if low is not None and value < low:
        yield refusals.below(table.name, column.name, _shown(column, low), keys)
    high = column.high(row) if column.high else None
    if high is not None and value > high:
        yield refusals.above(table.name, column.name, _shown(column, high), keys)


def _shown(column: Column[Any], limit: Any) -> str:
    return column.kind.show(limit) if limit is not None else show(limit)


def _below_itself(ctx: "Reader", column: Column[Any], row: Row) -> bool:
    at = column.__get__(row, type(row))
    while isinstance(at, Row):
        if at == row:
            return True
        ctx.store.step()
        at = column.__get__(at, type(at))
    return False
