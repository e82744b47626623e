"""Rows of a table held as bytes, so that a large world needs little memory while it is made."""

import marshal
from collections.abc import Iterator, Mapping, MutableMapping

from synth.reference.state import Row

LATELY = 400
"""So many rows of a table, and at most as many before them, are kept unpacked: whoever reads a row mostly reads it several times."""


class PackedRows(MutableMapping[str, Row]):
    """The rows of one table by id, in the order in which they came.

    A dictionary for each row takes three to five times the room of its values. A row is packed when it is written and unpacked when it is
    read; a row that was read is never changed in place (see `synth.reference.state.Row`), so that nobody can tell.
    """

    __slots__ = ("_before", "_columns", "_lately", "_packed")

    def __init__(self, rows: Mapping[str, Row]) -> None:
        self._columns: tuple[str, ...] = ()
        self._packed: dict[str, bytes] = {}
        self._lately: dict[str, Row] = {}
        self._before: dict[str, Row] = {}
        self.update(rows)

    def __getitem__(self, key: str) -> Row:
        row = self._lately.get(key)
        if row is None:
            row = self._before.get(key)
            if row is None:
                row = dict(zip(self._columns, marshal.loads(self._packed[key]), strict=True))  # noqa: S302 packed here, in this process
            self._keep(key, row)
        return row

    def __setitem__(self, key: str, row: Row) -> None:
        if not self._columns:
            self._columns = tuple(row)
        self._packed[key] = marshal.dumps(tuple([row[name] for name in self._columns]))
        self._keep(key, row)

    def __delitem__(self, key: str) -> None:
        del self._packed[key]
        self._lately.pop(key, None)
        self._before.pop(key, None)

    def _keep(self, key: str, row: Row) -> None:
        if len(self._lately) >= LATELY:
            self._before, self._lately = self._lately, {}
        self._lately[key] = row

    def __contains__(self, key: object) -> bool:
        return key in self._packed

    def __iter__(self) -> Iterator[str]:
        return iter(self._packed)

    def __len__(self) -> int:
        return len(self._packed)
