"""Rows that belong together: found by following references both ways."""

from synth.reference.state import Ref, State
from synth.reference.tables import Tables


class Related:
    """Finds rows of an entity near a given row."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._forward = {
            entity: [(column.name, column.references) for column in tables.columns[entity] if column.references] for entity in tables.entities
        }

    def near(self, state: State, start: Ref, entity: str, hops: int = 4, most: int = 60) -> list[Ref]:
        """Rows of the entity within so many references of the start, nearest first; not the start itself."""
        seen, ring, found = {start}, [start], list[Ref]()
        for _ in range(hops):
            ring = [other for one in ring for other in self._neighbours(state, one)]
            ring = [one for one in dict.fromkeys(ring) if one not in seen][:most]
            seen.update(ring)
            found.extend(one for one in ring if one.entity == entity)
            if not ring or len(found) >= most:
                break
        return found

    def _neighbours(self, state: State, ref: Ref) -> list[Ref]:
        row = state.row(ref.entity, ref.key)
        if row is None:
            return []
        found: list[Ref] = []
        for column, targets in self._forward[ref.entity]:
            key = row[column]
            found.extend(Ref(target, str(key)) for target in targets if key is not None and str(key) in state.tables[target])
        for referrer in self._tables.referrers[ref.entity]:
            if not referrer.links:
                found.extend(Ref(referrer.table, key) for key in state.where(referrer.table, referrer.column, ref.key))
        return found
