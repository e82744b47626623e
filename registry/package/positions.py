"""Positions of rows within the row that they refer to, kept dense (1, 2, 3 …) when rows come, go or move."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from registry.package.change import Stored
from registry.package.row import Row
from registry.package.schema import Table

if TYPE_CHECKING:
    from registry.package.tool_context import ToolContext


def make_room(ctx: "ToolContext", table: Table, row: Row, wanted: int | None) -> None:
    """Gives a draft its position, the last one unless another is wanted, and moves those after it."""
    last = _count(ctx, table, row._values()) + 1
    place = last if wanted is None else max(1, min(wanted, last))
    _shift(ctx, table, row, row._values(), place, last, 1)
    _place(ctx, table, row, place)


def move(ctx: "ToolContext", table: Table, row: Row, before: tuple[Stored, ...], *, placed: bool) -> None:
    """Moves the others after a write to the draft of a row: within its group, or into another one."""
    after = row._values()
    at = table.fields["position"].index
    old, new = int(before[at] or 0), int(after[at] or 0)
    if _group(table, before) != _group(table, after):
        _shift(ctx, table, row, before, old + 1, None, -1)
        _place(ctx, table, row, _count(ctx, table, after, but=row.id) + 1)
    elif placed:
        place = max(1, min(new, _count(ctx, table, before)))
        if place < old:
            _shift(ctx, table, row, before, place, old - 1, 1)
        elif place > old:
            _shift(ctx, table, row, before, old + 1, place, -1)
        _place(ctx, table, row, place)


def close_gap(ctx: "ToolContext", table: Table, gone: tuple[Stored, ...]) -> None:
    """Moves the rows after one that was removed."""
    at = table.fields["position"].index
    _shift(ctx, table, None, gone, int(gone[at] or 0) + 1, None, -1)


def _place(ctx: "ToolContext", table: Table, row: Row, place: int) -> None:
    values = list(row._values())
    values[table.fields["position"].index] = place
    ctx.draft(row, tuple(values))


def _group(table: Table, values: tuple[Stored, ...]) -> Stored:
    return None if table.position is None else values[table.position.index]


def _members(ctx: "ToolContext", table: Table, values: tuple[Stored, ...]) -> Sequence[tuple[Stored, ...]]:
    """Rows of the group that a row belongs to."""
    place = 0 if table.position is None else table.position.index
    found = ctx.store.having(table.name, place, values[place])
    ctx.store.step(len(found))
    return found


def _count(ctx: "ToolContext", table: Table, values: tuple[Stored, ...], but: str = "") -> int:
    return sum(one[0] != but for one in _members(ctx, table, values))


def _shift(ctx: "ToolContext", table: Table, row: Row | None, values: tuple[Stored, ...], low: int, high: int | None, by: int) -> None:
    at = table.fields["position"].index
    for held in _members(ctx, table, values):
        key, place = str(held[0]), int(held[at] or 0)
        if place >= low and (high is None or place <= high) and (row is None or key != row.id):
            ctx.write(table.row(ctx, key), {"position": place + by})
