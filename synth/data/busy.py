"""Which stretch of time a row takes."""

import datetime as dt
from collections.abc import Sequence
from typing import Any

from synth.data.draws import Stretch
from synth.lang.domain import Column, Entity
from synth.reference.run import Run
from synth.reference.tables import Tables

STARTS = ("starts_at", "start", "start_at", "begins_at", "at", "from_at", "scheduled_at", "time")
ENDS = ("ends_at", "end", "end_at", "until", "finishes_at", "to_at")
LENGTHS = ("minutes", "length", "duration", "length_minutes", "duration_minutes", "takes")
MINUTE = dt.timedelta(minutes=1)


class Busy:
    """Finds the stretches of rows: from their start, to their end or for their length."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._columns: dict[str, tuple[Column | None, Column | None, Column | None]] = {}

    def stretches(self, run: Run, rows: Sequence[Any], length: dt.timedelta) -> list[Stretch]:
        """The stretch of each row; one that says neither its end nor its length takes as long as the row being made."""
        found = []
        for ref in rows:
            start, end, lasts = self._of(ref.entity)
            row = run.row(ref)
            if start is None or row[start.name] is None:
                continue
            first = dt.datetime.fromisoformat(str(row[start.name]))
            if end is not None and row[end.name] is not None:
                found.append((first, dt.datetime.fromisoformat(str(row[end.name]))))
            elif lasts is not None and row[lasts.name] is not None:
                found.append((first, first + int(row[lasts.name] or 0) * MINUTE))
            else:
                found.append((first, first + length))
        return found

    def _of(self, entity: str) -> tuple[Column | None, Column | None, Column | None]:
        if entity not in self._columns:
            self._columns[entity] = self._find(self._tables.entities[entity])
        return self._columns[entity]

    @staticmethod
    def _find(entity: Entity) -> tuple[Column | None, Column | None, Column | None]:
        columns = [column for field in entity.fields for column in field.columns]
        times = [one for one in columns if one.type.kind == "datetime"]
        start = next((one for one in times if one.name in STARTS), times[0] if times else None)
        end = next((one for one in times if one.name in ENDS), None)
        lasts = next((one for one in columns if one.type.kind in ("integer", "duration") and one.name in LENGTHS), None)
        return start, end, lasts or next((one for one in columns if one.type.kind == "duration"), None)
