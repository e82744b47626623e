"""What is known of each curriculum, on disk: tries and successes by task, the runs that were counted."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import apsw

_SCHEMA = """
CREATE TABLE IF NOT EXISTS curriculum (name TEXT NOT NULL PRIMARY KEY, given INTEGER NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS curriculum_task (
    name TEXT NOT NULL, task TEXT NOT NULL, tries INTEGER NOT NULL, successes REAL NOT NULL, PRIMARY KEY (name, task)
) STRICT;
CREATE TABLE IF NOT EXISTS curriculum_run (name TEXT NOT NULL, run TEXT NOT NULL, PRIMARY KEY (name, run)) STRICT;
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How a task went so far; `successes` is the sum of its rewards."""

    tries: int = 0
    successes: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One outcome; `run` is empty where it is not of a run of this sidecar."""

    task: str
    reward: float
    run: str = ""


class CurriculumStore:
    """Curricula by name, in the database of the runs.

    Args:
        database: Where the tables are, or are made.
    """

    def __init__(self, database: apsw.Connection) -> None:
        self._database = database
        database.execute(_SCHEMA)

    def given(self, name: str) -> int:
        """How many tasks this curriculum has given out."""
        found = self._database.execute("SELECT given FROM curriculum WHERE name = ?", (name,)).fetchone()
        return int(found[0]) if found else 0

    def give(self, name: str, count: int) -> None:
        """Counts tasks as given out."""
        insert = "INSERT INTO curriculum VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET given = given + excluded.given"
        self._database.execute(insert, (name, count))

    def tallies(self, name: str) -> dict[str, Tally]:
        """Each task that was tried, by id."""
        rows: list[tuple[Any, ...]] = self._database.execute(
            "SELECT task, tries, successes FROM curriculum_task WHERE name = ? ORDER BY task", (name,)
        ).fetchall()
        return {str(task): Tally(tries=int(tries), successes=float(successes)) for task, tries, successes in rows}

    def count(self, name: str, outcomes: Sequence[Told]) -> int:
        """Counts outcomes, all or none, each run once; gives how many were new."""
        new = 0
        with self._database:
            for one in outcomes:
                if one.run and not self._first(name, one.run):
                    continue
                new += 1
                self._database.execute(
                    "INSERT INTO curriculum_task VALUES (?, ?, 1, ?) "
                    "ON CONFLICT (name, task) DO UPDATE SET tries = tries + 1, successes = successes + excluded.successes",
                    (name, one.task, one.reward),
                )
        return new

    def _first(self, name: str, run: str) -> bool:
        self._database.execute("INSERT INTO curriculum_run VALUES (?, ?) ON CONFLICT DO NOTHING", (name, run))
        return self._database.changes() == 1
