"""Which rows of a state belong together."""

from synth.lang.domain import Domain
from synth.reference.interpret import reference
from synth.reference.state import State

RowId = tuple[str, str]
DEPTH = 3


class Kinship:
    """Relations between the rows of one state, those of its links among them, remembered once found.

    Args:
        before: Relations of a state to which only rows were added.
    """

    def __init__(self, domain: Domain, state: State, before: "Kinship | None" = None) -> None:
        self.state = state
        self._known: dict[RowId, frozenset[RowId]] = {} if before is None else {row: kin for row, kin in before._known.items() if kin}
        self._references = {
            table: tuple((column.name, column.references) for column in columns if column.references)
            for table, columns in reference(domain).tables.columns.items()
        }

    def of(self, entity: str, key: str) -> frozenset[RowId]:
        """The row and all rows that it refers to over at most DEPTH references; empty for a row that is not in the state."""
        found = self._known.get((entity, key))
        if found is None:
            found = self._known[entity, key] = self._find(entity, key)
        return found

    def _find(self, entity: str, key: str) -> frozenset[RowId]:
        if key not in self.state.tables[entity]:
            return frozenset()
        found = {(entity, key)}
        edge = [(entity, key)]
        for _ in range(DEPTH):
            edge = [up for name, one in edge for up in self._parents(name, one) if up not in found]
            found.update(edge)
        return frozenset(found)

    def _parents(self, entity: str, key: str) -> list[RowId]:
        row = self.state.tables[entity][key]
        found = []
        for column, targets in self._references[entity]:
            value = row[column]
            if value is not None:
                found += [(name, str(value)) for name in targets if str(value) in self.state.tables[name]]
        return found
