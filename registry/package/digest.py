"""Canonical JSON with its hashes: what makes states and logs comparable byte by byte."""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

import orjson

from registry.package.change import Stored


def canonical(value: Any) -> bytes:
    """Canonical JSON: sorted keys, no spaces, UTF-8."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def world_line(table: str, values: Mapping[str, Stored]) -> bytes:
    """One line of a world, `["Owner",{"id":…}]` and a newline; keys sorted."""
    return canonical([table, values]) + b"\n"


def state_digest(rows: Iterable[tuple[str, Mapping[str, Stored]]]) -> str:
    """sha256 of a full state: all rows as lines of canonical JSON, ordered by table name, then id, in whatever order they come."""
    ordered = sorted(rows, key=lambda row: (row[0], str(row[1]["id"])))
    return hashlib.sha256(b"".join(world_line(table, values) for table, values in ordered)).hexdigest()


def file_digest(content: bytes) -> str:
    """sha256 of a file's bytes, hexadecimal."""
    return hashlib.sha256(content).hexdigest()
