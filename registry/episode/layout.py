"""The statements that an environment's tables need, written once per environment."""

from dataclasses import dataclass, field

from registry.package.change import MatchClass
from registry.package.meta import Meta, TableMeta


@dataclass(frozen=True, slots=True, kw_only=True)
class TableLayout:
    """One table: its columns in order, and its statements.

    Attributes:
        columns: Names, `id` first.
        place: Name to position.
        match: Match class per column, in order.
        select: Start of a selection of whole rows.
        insert: Takes all values in order.
        delete: Takes the id.
        updates: Update statements by the columns they write; filled as they are used.
    """

    name: str
    columns: tuple[str, ...]
    place: dict[str, int]
    match: tuple[MatchClass, ...]
    select: str
    insert: str
    delete: str
    updates: dict[tuple[str, ...], str] = field(default_factory=dict)

    def update(self, columns: tuple[str, ...]) -> str:
        """The statement that writes these columns of the row whose id is the last value."""
        found = self.updates.get(columns)
        if found is None:
            assigned = ", ".join(f'"{name}"=?' for name in columns)
            found = self.updates[columns] = f'UPDATE "{self.name}" SET {assigned} WHERE "id"=?'  # noqa: S608 names of the checked package
        return found


Layout = dict[str, TableLayout]


def make_layout(meta: Meta) -> Layout:
    """Layouts of all tables by name, in the order of meta.json."""
    return {table.name: _table(table) for table in meta.tables}


def _table(table: TableMeta) -> TableLayout:
    columns = tuple(column.name for column in table.columns)
    listed = ", ".join(f'"{name}"' for name in columns)
    name = f'"{table.name}"'
    return TableLayout(
        name=table.name,
        columns=columns,
        place={column: index for index, column in enumerate(columns)},
        match=tuple(column.match for column in table.columns),
        select=f"SELECT {listed} FROM {name}",  # noqa: S608
        insert=f"INSERT INTO {name} ({listed}) VALUES ({', '.join('?' * len(columns))})",  # noqa: S608
        delete=f'DELETE FROM {name} WHERE "id"=?',  # noqa: S608
    )
