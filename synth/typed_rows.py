"""Sends every row of a package through its SQLModel classes; run in a process of its own by `real_engine`."""

import json
import sys
from pathlib import Path
from typing import Any

from sqlmodel import Session, create_engine, insert, select

from registry.modules import PackageModules


def check(folder: Path) -> int:
    """Creates the tables of models.py with SQLModel, and reads, validates and writes every row of world 0; gives their number."""
    path = folder / "models.py"
    module = PackageModules("envfarm_models").load("models", path.read_bytes(), str(path))
    tables = module.Base.metadata.tables
    classes = {mapper.local_table.name: mapper.class_ for mapper in module.Base._sa_registry.mappers}
    rows = _rows(folder)
    raw = create_engine("sqlite://")
    typed = create_engine("sqlite://")
    for engine in (raw, typed):
        module.Base.metadata.create_all(engine)
    with raw.begin() as connection:
        for name, group in rows.items():
            connection.exec_driver_sql(_insert(name, list(group[0])), [tuple(row.values()) for row in group])
    with Session(raw) as source, Session(typed) as target:
        for name in rows:
            for one in source.exec(select(classes[name])):
                checked = classes[name].model_validate(one.model_dump())
                target.execute(insert(classes[name]).values(**{key: getattr(checked, key) for key in type(checked).model_fields}))
        target.commit()
    with typed.connect() as connection:
        for name, group in rows.items():
            columns = [column.name for column in tables[name].columns]
            stored = connection.exec_driver_sql(f'SELECT {", ".join(_quoted(one) for one in columns)} FROM {_quoted(name)} ORDER BY "id"')  # noqa: S608
            expected = [tuple(row[one] for one in columns) for row in sorted(group, key=lambda row: str(row["id"]))]
            _compare(name, [tuple(one) for one in stored], expected)
    return sum(len(group) for group in rows.values())


def _rows(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """The rows of world 0 by table."""
    found: dict[str, list[dict[str, Any]]] = {}
    with (folder / "worlds" / "0.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            table, row = json.loads(line)
            found.setdefault(table, []).append(row)
    return found


def _insert(table: str, columns: list[str]) -> str:
    return f"INSERT INTO {_quoted(table)} ({', '.join(map(_quoted, columns))}) VALUES ({', '.join('?' * len(columns))})"  # noqa: S608 names of our own


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _compare(table: str, found: list[tuple[Any, ...]], expected: list[tuple[Any, ...]]) -> None:
    if len(found) != len(expected):
        raise SystemExit(f"{len(found)} rows of {table} instead of {len(expected)}")
    for one, other in zip(found, expected, strict=True):
        if one != other:
            raise SystemExit(f"{table} {other!r} that came back as {one!r}")


if __name__ == "__main__":
    check(Path(sys.argv[1]))
