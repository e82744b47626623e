"""A world's file written row by row, with what manifest and README say of it."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import BinaryIO

from registry.package.change import Stored
from registry.package.digest import world_line

WorldRow = tuple[str, dict[str, Stored]]

CHUNK = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldNotes:
    """What is known of a world once its file is written.

    Attributes:
        sha256: Of the file.
        digest: Of the state: the same lines, ordered by the names of tables.
        counts: Rows of each table that has some, in the order of the file.
        first: The first row of each of these tables.
        values: The first value that is not None in each (table, column).
    """

    sha256: str
    digest: str
    counts: dict[str, int]
    first: dict[str, dict[str, Stored]]
    values: dict[tuple[str, str], Stored]

    @property
    def rows(self) -> int:
        """How many there are in all."""
        return sum(self.counts.values())


@dataclass(slots=True, kw_only=True)
class _Writing:
    counts: dict[str, int] = field(default_factory=dict)
    first: dict[str, dict[str, Stored]] = field(default_factory=dict)
    values: dict[tuple[str, str], Stored] = field(default_factory=dict)
    places: dict[str, tuple[int, int]] = field(default_factory=dict)

    def add(self, table: str, row: dict[str, Stored], start: int, end: int) -> None:
        if table not in self.counts:
            self.first[table] = row
            self.counts[table] = 0
            self.places[table] = (start, end)
        self.counts[table] += 1
        self.places[table] = (self.places[table][0], end)
        for column, value in row.items():
            if value is not None and (table, column) not in self.values:
                self.values[table, column] = value


def write_world(file: BinaryIO, rows: Iterable[WorldRow]) -> WorldNotes:
    """Writes the lines of a world; no more than one row of it is held.

    Args:
        file: Empty; can be read and sought too.
        rows: Ordered by table, then id.
    """
    whole, end = hashlib.sha256(), 0
    writing = _Writing()
    for table, row in rows:
        line = world_line(table, row)
        file.write(line)
        whole.update(line)
        writing.add(table, row, end, end + len(line))
        end += len(line)
    digest = hashlib.sha256()
    for table in sorted(writing.places):
        _add_part(digest, file, *writing.places[table])
    return WorldNotes(sha256=whole.hexdigest(), digest=digest.hexdigest(), counts=writing.counts, first=writing.first, values=writing.values)


def _add_part(digest: "hashlib._Hash", file: BinaryIO, start: int, end: int) -> None:
    file.seek(start)
    while start < end:
        chunk = file.read(min(CHUNK, end - start))
        if not chunk:
            raise EOFError(f"expected {end - start} more bytes of the world that was written, got none")
        digest.update(chunk)
        start += len(chunk)
