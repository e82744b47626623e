"""All records on a database server as files, and back."""

import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from typing import Any

import psycopg
from psycopg import Connection, sql

from registry.errors import StoreError, StoreLocked
from registry.store.migrate import migrate
from registry.store.postgres_url import LOCK, conninfo, schema_of

TABLES = ("episodes", "scenarios", "records")
NAME = re.compile(rf"(?P<worker>0|[1-9][0-9]{{0,3}})/(?P<table>{'|'.join(TABLES)})")
CONNECT_SECONDS = 5

_SCHEMAS = (
    "SELECT CASE WHEN nspname = current_schema() THEN 0 ELSE substr(nspname, 2)::integer END AS worker FROM pg_class JOIN pg_namespace "
    "ON pg_namespace.oid = relnamespace WHERE relname = 'episodes' AND (nspname = current_schema() OR nspname ~ '^w[1-9][0-9]{0,3}$') ORDER BY worker"
)
_COLUMNS = "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum"


def table_files(url: str) -> Iterator[tuple[str, bytes]]:
    """Name (`WORKER/TABLE`) and content of each table, all as they were at one moment, while farms go on writing.

    A content begins with one line: the revision of the format, then the columns. Rows follow as the server's COPY writes them.

    Raises:
        StoreError: the server does not answer, or is something else.
    """
    try:
        with psycopg.connect(url, connect_timeout=CONNECT_SECONDS) as connection:
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            for worker in _workers(connection):
                schema = schema_of(worker) or _one(connection, "SELECT current_schema()")
                revision = _one(connection, sql.SQL("SELECT version_num FROM {}").format(sql.Identifier(schema, "alembic_version")))
                for table in TABLES:
                    yield f"{worker}/{table}", _content(connection, schema, table, revision)
    except psycopg.Error as error:
        raise _refused(error) from error


def episodes_kept(url: str) -> int:
    """How many episodes there are records of, all workers together.

    Raises:
        StoreError: as `table_files`.
    """
    try:
        with psycopg.connect(url, connect_timeout=CONNECT_SECONDS) as connection:
            schemas = [schema_of(worker) or _one(connection, "SELECT current_schema()") for worker in _workers(connection)]
            counts = [_one(connection, sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(schema, "episodes"))) for schema in schemas]
    except psycopg.Error as error:
        raise _refused(error) from error
    return sum(int(count) for count in counts)


def replace_tables(url: str, files: Mapping[str, bytes]) -> None:
    """Makes the records those of `table_files`, instead of all that there are.

    Raises:
        StoreLocked: a farm works on the database.
        StoreError: as `table_files`, or a file is not one of its.
    """
    wrong = sorted(name for name in files if not NAME.fullmatch(name))
    if wrong:
        raise StoreError(f"backup: expected tables of records, got {wrong[0][:60]!r}. This is no backup.")
    given = {int(name.partition("/")[0]) for name in files}
    try:
        with ExitStack() as stack:
            first = stack.enter_context(psycopg.connect(url, autocommit=True, connect_timeout=CONNECT_SECONDS))
            connections = {
                worker: stack.enter_context(psycopg.connect(conninfo(url, worker), autocommit=True)) for worker in sorted({*_workers(first), *given})
            }
            for worker, connection in connections.items():
                _lock(connection, worker)
            for worker, connection in connections.items():
                connection.execute("DROP TABLE IF EXISTS episodes, scenarios, records, alembic_version")
                if worker in given:
                    _load(connection, url, worker, {table: files[f"{worker}/{table}"] for table in TABLES})
    except psycopg.Error as error:
        raise _refused(error) from error
    except (KeyError, ValueError) as error:
        raise StoreError(f"backup: expected whole tables of records, got {type(error).__name__}. This is no backup.") from error


def _workers(connection: Connection[Any]) -> list[int]:
    return [int(number) for (number,) in connection.execute(_SCHEMAS)]


def _one(connection: Connection[Any], query: Any) -> Any:
    row = connection.execute(query).fetchone()
    if row is None:
        raise StoreError("records: expected a revision of their format, got none. Start a farm on the database once.")
    return row[0]


def _content(connection: Connection[Any], schema: str, table: str, revision: str) -> bytes:
    name = sql.Identifier(schema, table)
    columns = [str(column) for (column,) in connection.execute(_COLUMNS, (name.as_string(connection),))]
    with connection.cursor() as cursor, cursor.copy(sql.SQL("COPY {} TO STDOUT").format(name)) as copied:
        rows = b"".join(bytes(part) for part in copied)
    return f"{revision} {','.join(columns)}\n".encode() + rows


def _lock(connection: Connection[Any], worker: int) -> None:
    if not _one(connection, sql.SQL("SELECT pg_try_advisory_lock({})").format(sql.Literal(LOCK + worker))):
        raise StoreLocked("ENVFARM_STORE: expected a database that nobody writes, got one in use by a farm. Stop it, or use another database.")


def _load(connection: Connection[Any], url: str, worker: int, tables: Mapping[str, bytes]) -> None:
    for number, (table, content) in enumerate(tables.items()):
        head, _, rows = content.partition(b"\n")
        revision, _, columns = head.decode().partition(" ")
        if number == 0:
            migrate(url, revision, worker)
        names = sql.SQL(", ").join(sql.Identifier(column) for column in columns.split(","))
        with connection.cursor() as cursor, cursor.copy(sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(table), names)) as copied:
            copied.write(rows)
    migrate(url, worker=worker)


def _refused(error: psycopg.Error) -> StoreError:
    line = str(error).strip().partition("\n")[0][:200]
    return StoreError(f"ENVFARM_STORE: expected a PostgreSQL database with records, got {type(error).__name__}: {line}.")
