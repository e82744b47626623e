"""Dense order of rows within the row that they belong to."""

from registry.package.change import Stored
from synth.lang.domain import Entity
from synth.reference.run import Run
from synth.reference.state import Row
from synth.reference.tables import Tables

COLUMN = "position"


class Positions:
    """Inserts and changes rows so that positions stay 1, 2, 3, … within each parent."""

    def __init__(self, tables: Tables) -> None:
        self._parent = {
            entity.name: next((field.columns[0].name for field in entity.fields if field.position), "") for entity in tables.entities.values()
        }

    def forget(self, entity: Entity, row: Row) -> None:
        """Makes a copied row come last."""
        if self._parent[entity.name]:
            row[COLUMN] = None

    def insert(self, run: Run, entity: Entity, row: Row) -> None:
        """Adds the row, at its position if it has one, else last."""
        column = self._parent[entity.name]
        if column:
            siblings = run.state.where(entity.name, column, row[column])
            row[COLUMN] = self._allowed(row[COLUMN], len(siblings) + 1)
            self._shift(run, entity, siblings, int(row[COLUMN] or 0), 1)
        run.state.insert(entity.name, row)

    def update(self, run: Run, entity: Entity, key: str, stored: dict[str, Stored]) -> None:
        """Writes columns of a row and moves its neighbours."""
        column, before = self._parent[entity.name], run.state.tables[entity.name][key]
        moves = bool(column) and stored.get(column, before[column]) != before[column]
        if not moves and not (column and COLUMN in stored):
            run.state.update(entity.name, key, stored)
            return
        parent = stored.get(column, before[column])
        others = [one for one in run.state.where(entity.name, column, parent) if one != key]
        place = self._allowed(None if parent != before[column] else stored.get(COLUMN), len(others) + 1)
        self.close(run, entity, key)
        self._shift(run, entity, tuple(others), place, 1)
        run.state.update(entity.name, key, {**stored, COLUMN: place})

    def close(self, run: Run, entity: Entity, key: str) -> None:
        """Moves the rows after this one up by one."""
        column = self._parent[entity.name]
        if column:
            row = run.state.tables[entity.name][key]
            others = tuple(one for one in run.state.where(entity.name, column, row[column]) if one != key)
            self._shift(run, entity, others, int(row[COLUMN] or 0), -1)

    @staticmethod
    def _allowed(wanted: Stored, last: int) -> int:
        return last if wanted is None else max(1, min(int(wanted), last))

    @staticmethod
    def _shift(run: Run, entity: Entity, rows: tuple[str, ...], place: int, by: int) -> None:
        """Moves those of the rows that stand at this place or later."""
        for key in rows:
            at = int(run.state.tables[entity.name][key][COLUMN] or 0)
            if at >= place:
                run.state.update(entity.name, key, {COLUMN: at + by})
