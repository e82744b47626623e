"""What the servers that are compared with do for a call: the statements that the tool runs, on a database in memory, without a log."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw

Rows = dict[str, Any]


class Database:
    """A copy of a start state.

    Args:
        file: Its bytes.
    """

    def __init__(self, file: Path) -> None:
        self._database = apsw.Connection(":memory:")
        self._database.deserialize("main", file.read_bytes())
        self._tools: dict[str, Callable[..., Rows]] = {
            "get_owner": self._get_owner,
            "update_owner": self._update_owner,
            "move_appointment": self._move_appointment,
        }

    def call(self, tool: str, arguments: Rows) -> Rows:
        """The row that was read or written."""
        return self._tools[tool](**arguments)

    def _one(self, sql: str, *values: Any) -> Rows:
        cursor = self._database.execute(sql, values)
        row = next(cursor)
        return dict(zip((one[0] for one in cursor.get_description()), row, strict=True))

    def _get_owner(self, owner_id: str) -> Rows:
        return self._one('SELECT * FROM "Owner" WHERE "id" = ?', owner_id)

    def _update_owner(self, owner_id: str, plan: str) -> Rows:
        row = self._one('SELECT * FROM "Owner" WHERE "id" = ?', owner_id)
        with self._database:
            self._database.execute('UPDATE "Owner" SET "plan" = ? WHERE "id" = ?', (plan, owner_id))
        return {**row, "plan": plan}

    def _move_appointment(self, appointment_id: str, starts_at: str) -> Rows:
        row = self._one('SELECT * FROM "Appointment" WHERE "id" = ?', appointment_id)
        others = self._database.execute(
            'SELECT * FROM "Appointment" WHERE "vet_id" = ? AND "status" IN (?, ?) ORDER BY "id"', (row["vet_id"], "booked", "checked_in")
        ).fetchall()
        if any(other[0] != appointment_id and starts_at == other[3] for other in others):
            raise ValueError("busy")
        with self._database:
            self._database.execute(
                'UPDATE "Appointment" SET "starts_at" = ?, "moved" = ? WHERE "id" = ?', (starts_at, row["moved"] + 1, appointment_id)
            )
        return {**row, "starts_at": starts_at, "moved": row["moved"] + 1}
