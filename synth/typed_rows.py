"""Sends every row of a package through its SQLModel classes; run in a process of its own by `real_engine`."""

import json
import sys
from collections.abc import Iterator
from itertools import chain, groupby, islice, zip_longest
from pathlib import Path
from types import ModuleType
from typing import Any

from sqlalchemy import Engine
from sqlmodel import Session, create_engine, insert, select

from registry.modules import PackageModules

BATCH = 1000
"""Rows that are held at a time: a world may have a hundred thousand."""

Line = tuple[str, dict[str, Any]]


def check(folder: Path) -> int:
    """Creates the tables of models.py with SQLModel, and reads, validates and writes every row of world 0; gives their number."""
    path = folder / "models.py"
    module = PackageModules("envfarm_models").load("models", path.read_bytes(), str(path))
    raw, typed = create_engine("sqlite://"), create_engine("sqlite://")
    for engine in (raw, typed):
        module.Base.metadata.create_all(engine, checkfirst=False)
    with raw.begin() as connection:
        for table, rows in _batches(folder):
            connection.exec_driver_sql(_insert(table, list(rows[0])), [tuple(row.values()) for row in rows])
    _through_classes(module, raw, typed)
    return _compare(folder, typed)


def _through_classes(module: ModuleType, raw: Engine, typed: Engine) -> None:
    """Reads each row as an object of its class, validates it, and stores it in the other database."""
    with Session(raw) as source, Session(typed) as target:
        for table in module.Base.metadata.sorted_tables:
            kind = next(mapper.class_ for mapper in module.Base._sa_registry.mappers if mapper.local_table is table)
            found = iter(source.exec(select(kind).execution_options(yield_per=BATCH)))
            while part := list(islice(found, BATCH)):
                checked = [kind.model_validate(one.model_dump()) for one in part]
                target.execute(insert(kind), [{key: getattr(one, key) for key in kind.model_fields} for one in checked])
        target.commit()


def _lines(folder: Path) -> Iterator[Line]:
    with (folder / "worlds" / "0.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            table, row = json.loads(line)
            yield table, row


def _batches(folder: Path) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The rows of world 0, some at a time, each with their table."""
    for table, group in groupby(_lines(folder), key=lambda line: line[0]):
        while part := [row for _, row in islice(group, BATCH)]:
            yield table, part


def _compare(folder: Path, typed: Engine) -> int:
    """Compares what was stored through the classes with the world; gives the number of rows."""
    count = 0
    with typed.connect() as connection:
        for table, group in groupby(_lines(folder), key=lambda line: line[0]):
            expected = (row for _, row in group)
            first = next(expected)
            columns = list(first)
            names = ", ".join(map(_quoted, columns))
            stored = connection.exec_driver_sql(f'SELECT {names} FROM {_quoted(table)} ORDER BY "id"')  # noqa: S608 names of our own
            for found, row in zip_longest(stored, chain([first], expected)):
                if found is None or row is None or tuple(found) != tuple(row[one] for one in columns):
                    raise SystemExit(f"{table} {row!r} that came back as {found!r}")
                count += 1
    return count


def _insert(table: str, columns: list[str]) -> str:
    return f"INSERT INTO {_quoted(table)} ({', '.join(map(_quoted, columns))}) VALUES ({', '.join('?' * len(columns))})"  # noqa: S608 names of our own


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


if __name__ == "__main__":
    check(Path(sys.argv[1]))
