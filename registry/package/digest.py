"""Canonical JSON with its hashes: what makes states and logs comparable byte by byte."""

import bisect
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


TOGETHER = 4096
"""Lines that are hashed at a time, so that a large state is not written out whole."""

Place = tuple[str, str]
"""Table and id of a row."""


class StateLines:
    """A state as lines of canonical JSON, ordered by table name, then id; a state near it is hashed without writing all lines again."""

    __slots__ = ("_lines", "_places")

    def __init__(self, rows: Iterable[tuple[str, Mapping[str, Stored]]]) -> None:
        made = sorted(((table, str(values["id"])), world_line(table, values)) for table, values in rows)
        self._places = [place for place, _ in made]
        self._lines = [line for _, line in made]

    def near(self, changed: Mapping[Place, Mapping[str, Stored] | None]) -> "StateLines":
        """The state that has these rows instead: all columns, or None for a row that is gone."""
        made = StateLines(())
        made._places, made._lines = list(self._places), list(self._lines)
        for place, values in changed.items():
            at = bisect.bisect_left(made._places, place)
            end = at + (at < len(made._places) and made._places[at] == place)
            made._places[at:end] = [] if values is None else [place]
            made._lines[at:end] = [] if values is None else [world_line(place[0], values)]
        return made

    def digest(self, changed: Mapping[Place, Mapping[str, Stored] | None] | None = None) -> str:
        """Digest of the state, or of the one that has these rows instead: all columns, or None for a row that is gone."""
        lines = self.near(changed)._lines if changed else self._lines
        made = hashlib.sha256()
        for start in range(0, len(lines), TOGETHER):
            made.update(b"".join(lines[start : start + TOGETHER]))
        return made.hexdigest()


def state_digest(rows: Iterable[tuple[str, Mapping[str, Stored]]]) -> str:
    """sha256 of a full state: all rows as lines of canonical JSON, ordered by table name, then id, in whatever order they come."""
    return StateLines(rows).digest()


def file_digest(content: bytes) -> str:
    """sha256 of a file's bytes, hexadecimal."""
    return hashlib.sha256(content).hexdigest()
