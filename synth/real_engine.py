"""Proves that models.py and the rows of a package agree, by the real SQLModel engine, in a process of its own."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from registry.package.errors import PackageError

LONGEST = 600
"""Seconds that a check may take."""


def check_in_child(folder: Path) -> None:
    """Creates the tables of models.py with SQLModel, and sends every row of world 0 through its typed classes.

    A process of its own, because SQLModel classes cost memory for as long as a process lives.

    Raises:
        PackageError: The tables cannot be made, or a row does not come back as it was.
    """
    command = [sys.executable, "-m", "synth.real_engine", str(folder)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST, check=False)
    except subprocess.TimeoutExpired as error:
        raise PackageError(f"{folder}/models.py: expected tables and rows within {LONGEST} seconds, got none. Make fewer rows.") from error
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no reason given"]
        raise PackageError(
            f"{folder.name}/models.py: expected tables that hold the rows of world 0, got {lines[-1]}. This is a fault of the compiler."
        )


def check(folder: Path) -> int:
    """The same in this process; gives the number of rows checked."""
    from sqlmodel import Session, create_engine, insert, select

    from registry.modules import load_module

    path = folder / "models.py"
    module = load_module("envfarm_models", "models", path.read_bytes(), str(path))
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
