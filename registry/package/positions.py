"""Dense positions of rows within the row that they refer to."""

from typing import TYPE_CHECKING

from registry.package.change import Stored
from registry.package.row import Row
from registry.package.schema import Table

if TYPE_CHECKING:
    from registry.package.tool_context import ToolContext


class Positions:
    """Keeps positions dense (1, 2, 3 …) when rows come, go or move."""

    __slots__ = ("_ctx",)

    def __init__(self, ctx: "ToolContext") -> None:
        self._ctx = ctx

    def make_room(self, table: Table, row: Row, wanted: int | None) -> None:
        """Gives a draft its position, the last one unless another is wanted, and moves those after it."""
        last = self._count(table, row._values()) + 1
        place = last if wanted is None else max(1, min(wanted, last))
        self._shift(table, row, row._values(), place, last, 1)
        self._place(table, row, place)

    def move(self, table: Table, row: Row, before: tuple[Stored, ...], *, placed: bool) -> None:
        """Moves the others after a write to the draft of a row: within its group, or into another one."""
        after = row._values()
        at = table.fields["position"].index
        old, new = int(before[at] or 0), int(after[at] or 0)
        if self._group(table, before) != self._group(table, after):
            self._shift(table, row, before, old + 1, None, -1)
            self._place(table, row, self._count(table, after, but=row.id) + 1)
        elif placed:
            place = max(1, min(new, self._count(table, before)))
            if place < old:
                self._shift(table, row, before, place, old - 1, 1)
            elif place > old:
                self._shift(table, row, before, old + 1, place, -1)
            self._place(table, row, place)

    def close_gap(self, table: Table, gone: tuple[Stored, ...]) -> None:
        """Moves the rows after one that was removed."""
        at = table.fields["position"].index
        self._shift(table, None, gone, int(gone[at] or 0) + 1, None, -1)

    def _place(self, table: Table, row: Row, place: int) -> None:
        values = list(row._values())
        values[table.fields["position"].index] = place
        self._ctx.seen[(type(row), row.id)] = tuple(values)

    def _group(self, table: Table, values: tuple[Stored, ...]) -> Stored:
        return None if table.position is None else values[table.position.index]

    def _where(self, table: Table, values: tuple[Stored, ...]) -> tuple[str, list[Stored]]:
        group = self._group(table, values)
        column = "" if table.position is None else table.position.stored[0]
        return (f'"{column}" IS NULL', []) if group is None else (f'"{column}" = ?', [group])

    def _count(self, table: Table, values: tuple[Stored, ...], but: str = "") -> int:
        where, parameters = self._where(table, values)
        return self._ctx.store.count(table.name, f'{where} AND "id" <> ?', [*parameters, but])

    def _shift(self, table: Table, row: Row | None, values: tuple[Stored, ...], low: int, high: int | None, by: int) -> None:
        where, parameters = self._where(table, values)
        limits = f'{where} AND "position" >= ?' + ("" if high is None else ' AND "position" <= ?')
        chosen = [*parameters, low] if high is None else [*parameters, low, high]
        at = table.fields["position"].index
        for held in self._ctx.store.select(table.name, limits, chosen):
            key = str(held[0])
            if row is None or key != row.id:
                self._ctx.write(table.row(self._ctx, key), {"position": int(held[at] or 0) + by})
