"""The initial database of an episode as bytes: built once from rows, then copied into each episode."""

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

import apsw

from registry.package.change import Stored
from registry.package.digest import StateLines
from registry.package.errors import PackageError
from registry.package.meta import Meta, TableMeta
from registry.package.ordering import StoredRow
from registry.package.pack import WorldRow
from registry.start_table import StartTable

PatchedRow = tuple[str, str, Mapping[str, Stored] | None]
"""Table, id, the whole row; None for none."""

PAGE_SIZE = 1024
"""Small pages: an environment has many small tables, and every open episode holds a copy."""
FEW = 64
"""Rows in which a template may differ from another one to be made from it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """One initial state.

    Attributes:
        database: Bytes of a SQLite database, to deserialize.
        lines: The state as canonical lines.
        digest: Digest of the state.
        tables: The rows of each table.
        maxima: Highest number in use per (table, scope) of the tables whose ids are counted; scope is the parent's id or "".
        shared: Whether most of its rows and lines are those of another one.
    """

    database: bytes
    lines: StateLines
    digest: str
    tables: dict[str, StartTable]
    maxima: dict[tuple[str, str], int]
    shared: bool = False

    @property
    def size(self) -> int:
        """Bytes that it takes, about: the lines are as long as the database, and their places come with them; the rows take most."""
        return (2 if self.shared else 8) * len(self.database)


def build_template(meta: Meta, schema: str, rows: Iterable[WorldRow], where: str, near: Template | None = None) -> Template:
    """The template that holds these rows.

    Args:
        meta: Of the environment.
        schema: Text of schema.sql.
        rows: All rows in stored form.
        where: Named in errors.
        near: Another one of the same environment. Where only few rows differ, as in tasks of one world, it is changed instead of filling a
            database anew; what comes of it is the same.

    Raises:
        PackageError: A row does not fit the schema.
    """
    if near is not None:
        rows = tuple(rows)
        patch = _few_changes(meta, rows, near)
        if patch is not None:
            return near_template(meta, near, patch, where)
    database = apsw.Connection(":memory:")
    try:
        database.execute(f"PRAGMA page_size={PAGE_SIZE}")
        database.execute(schema)
        with database:
            maxima = _fill(database, meta, rows, where)
        # As stored: a table of SQLite may keep another form of a value than it was given (1 for 1.0).
        stored = {table.name: _stored_rows(database, table) for table in meta.tables}
        lines = StateLines(_named(meta, stored))
        return Template(
            database=database.serialize("main"),
            lines=lines,
            digest=lines.digest(),
            tables={name: StartTable(rows) for name, rows in stored.items()},
            maxima=maxima,
        )
    except apsw.Error as error:
        raise PackageError(f"{where}: expected rows that fit schema.sql, got an error of the database ({error}). Rebuild the package.") from error
    finally:
        database.close()


def near_template(meta: Meta, start: Template, patch: Sequence[PatchedRow], where: str) -> Template:
    """The template of a state that differs from another one in a few rows: what is known of that is kept, its rows are not read again.

    Args:
        meta: Of the environment.
        start: The other state.
        patch: Table, id, and the whole row that is there instead; None for no row. Each row once.
        where: Named in errors.

    Raises:
        PackageError: A row does not fit the schema.
    """
    database = apsw.Connection(":memory:")
    try:
        database.deserialize("main", start.database)
        with database:
            for table, key, _ in patch:
                database.execute(f'DELETE FROM "{table}" WHERE "id" = ?', (key,))  # noqa: S608 names come from the checked package
            _fill(database, meta, [(table, {**values, "id": key}) for table, key, values in patch if values is not None], where)
        changed = {(table, key): _stored_row(database, meta.table(table), key) for table, key, _ in patch}
        lines = start.lines.near({at: None if row is None else _by_name(meta.table(at[0]), row) for at, row in changed.items()})
        tables = dict(start.tables)
        for name in dict.fromkeys(table for table, _ in changed):
            tables[name] = start.tables[name].near({key: row for (table, key), row in changed.items() if table == name})
        return Template(
            database=database.serialize("main"),
            lines=lines,
            digest=lines.digest(),
            tables=tables,
            maxima=_recounted(meta, start, tables),
            shared=True,
        )
    except apsw.Error as error:
        raise PackageError(f"{where}: expected rows that fit schema.sql, got an error of the database ({error}). Rebuild the package.") from error
    finally:
        database.close()


def _few_changes(meta: Meta, rows: Iterable[WorldRow], near: Template) -> list[PatchedRow] | None:
    """What to change in another template to have these rows; None where that is much, or where the rows are not what a table takes."""
    wanted: dict[str, dict[str, tuple[StoredRow, Mapping[str, Stored]]]] = {table.name: {} for table in meta.tables}
    places = {table.name: (_row_of(table), len(table.columns), wanted[table.name]) for table in meta.tables}
    count = 0
    try:
        for table, values in rows:
            row_of, columns, listed = places[table]
            if len(values) != columns:
                return None
            row = row_of(values)
            listed[str(row[0])] = (row, values)
            count += 1
    except KeyError:
        return None
    if count != sum(map(len, wanted.values())):
        return None  # two of one id
    patch: list[PatchedRow] = []
    for table, listed in wanted.items():
        held = near.tables[table].rows
        patch += [(table, key, None) for key in sorted(held.keys() - listed.keys())]
        patch += [(table, key, values) for key, (row, values) in listed.items() if held.get(key) != row]
    return patch if len(patch) <= FEW else None


def _row_of(table: TableMeta) -> Callable[[Mapping[str, Stored]], StoredRow]:
    """Gives the values of a row in the order of its columns."""
    names = [column.name for column in table.columns]
    return itemgetter(*names) if len(names) > 1 else lambda values: (values[names[0]],)


def _stored_row(database: apsw.Connection, table: TableMeta, key: str) -> StoredRow | None:
    listed = ", ".join(f'"{column.name}"' for column in table.columns)
    return next(iter(database.execute(f'SELECT {listed} FROM "{table.name}" WHERE "id" = ?', (key,))), None)  # noqa: S608 likewise


def _by_name(table: TableMeta, row: StoredRow) -> dict[str, Stored]:
    return dict(zip((column.name for column in table.columns), row, strict=True))


def _recounted(meta: Meta, start: Template, tables: Mapping[str, StartTable]) -> dict[tuple[str, str], int]:
    """Highest numbers in use, counted again for the tables that are not those of the start."""
    maxima = _Maxima(meta)
    maxima.highest = {at: number for at, number in start.maxima.items() if tables[at[0]] is start.tables[at[0]]}
    for table in meta.tables:
        if tables[table.name] is not start.tables[table.name]:
            for row in tables[table.name].rows.values():
                maxima.add(table.name, _by_name(table, row))
    return maxima.highest


def _fill(database: apsw.Connection, meta: Meta, rows: Iterable[WorldRow], where: str) -> dict[tuple[str, str], int]:
    """Writes the rows one by one; gives the highest number in use per (table, scope)."""
    columns = {table.name: tuple(column.name for column in table.columns) for table in meta.tables}
    statements = {name: _insertion(name, names) for name, names in columns.items()}
    maxima = _Maxima(meta)
    for table, values in rows:
        names = columns.get(table)
        if names is None or values.keys() != set(names):
            raise PackageError(f"{where}: expected rows of known tables with all columns, got {table[:80]!r} with {sorted(values)}. Rebuild it.")
        database.execute(statements[table], tuple(values[name] for name in names))
        maxima.add(table, values)
    return maxima.highest


def _stored_rows(database: apsw.Connection, table: TableMeta) -> list[StoredRow]:
    """Rows as stored; texts that occur often are kept once."""
    listed = ", ".join(f'"{column.name}"' for column in table.columns)
    once: dict[Stored, Stored] = {}
    rows = database.execute(f'SELECT {listed} FROM "{table.name}" ORDER BY "id"')  # noqa: S608 names come from the checked package
    return [tuple(once.setdefault(value, value) if type(value) is str else value for value in row) for row in rows]


def _named(meta: Meta, stored: dict[str, list[StoredRow]]) -> Iterator[WorldRow]:
    for table in meta.tables:
        names = tuple(column.name for column in table.columns)
        for row in stored[table.name]:
            yield table.name, dict(zip(names, row, strict=True))


def _insertion(table: str, names: tuple[str, ...]) -> str:
    quoted = ", ".join(f'"{name}"' for name in names)
    return f'INSERT INTO "{table}" ({quoted}) VALUES ({", ".join("?" * len(names))})'  # noqa: S608 names come from the checked package


class _Maxima:
    """The highest number in use per (table, scope), of the tables whose ids are counted."""

    def __init__(self, meta: Meta) -> None:
        self._counted = {table.name: (_number_pattern(table), _scope_column(table)) for table in meta.tables if table.id_kind == "counter"}
        self.highest: dict[tuple[str, str], int] = {}

    def add(self, table: str, values: dict[str, Stored]) -> None:
        """Counts one row."""
        if table not in self._counted:
            return
        pattern, scope_column = self._counted[table]
        match = pattern.fullmatch(str(values["id"]))
        if match:
            at = (table, _text(values[scope_column]) if scope_column else "")
            self.highest[at] = max(self.highest.get(at, 0), int(match["n"]))


def _text(value: Stored) -> str:
    return "" if value is None else str(value)


def _scope_column(table: TableMeta) -> str:
    """Column that holds the id of the row that owns the counter; `id_per` may name the field or the column."""
    names = {column.name for column in table.columns}
    return next((name for name in (table.id_per, f"{table.id_per}_id") if name in names), "")


def _number_pattern(table: TableMeta) -> re.Pattern[str]:
    pieces = re.split(r"(\{[^{}]*\})", table.id_pattern)
    return re.compile("".join(_piece(piece) for piece in pieces))


def _piece(piece: str) -> str:
    if not piece.startswith("{"):
        return re.escape(piece)
    return r"(?P<n>[0-9]+)" if piece.startswith("{n") else ".*"


class TemplateCache:
    """Templates by name, the least recently used dropped beyond a number of bytes."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held: OrderedDict[str, Template] = OrderedDict()
        self._bytes = 0

    def get(self, name: str) -> Template | None:
        """The template of that name, if it is held."""
        found = self._held.get(name)
        if found is not None:
            self._held.move_to_end(name)
        return found

    def put(self, name: str, template: Template) -> Template:
        """Keeps a template, dropping others if needed, and gives it back."""
        if name not in self._held:
            self._bytes += template.size
        self._held[name] = template
        while self._bytes > self._limit and len(self._held) > 1:
            _, dropped = self._held.popitem(last=False)
            self._bytes -= dropped.size
        return template
