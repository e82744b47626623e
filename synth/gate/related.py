"""Rows that belong together: found by following references both ways."""

from dataclasses import dataclass
from random import Random

from synth.reference.state import Ref, State, handle
from synth.reference.tables import Tables

HOPS = 4
PATHS = 4
WIDTH = 12


@dataclass(frozen=True, slots=True)
class Hop:
    """From rows of one entity to rows of another: by a reference of theirs (`forward`), or of the others to them."""

    target: str
    column: str
    forward: bool


class Related:
    """Finds rows of an entity near a given row, by the shortest ways between the two entities."""

    def __init__(self, tables: Tables) -> None:
        self._hops = {entity: list(_hops(tables, entity)) for entity in tables.entities}
        self._paths: dict[tuple[str, str], list[tuple[Hop, ...]]] = {}

    def near(self, state: State, start: Ref, entity: str, random: Random) -> list[Ref]:
        """Some rows of the entity that one of the ways leads to."""
        paths = self._between(start.entity, entity)
        if not paths:
            return []
        found = [start]
        for hop in random.choice(paths):
            found = list(dict.fromkeys(other for one in found for other in _follow(state, one, hop)))
            if len(found) > WIDTH:
                found = random.sample(found, WIDTH)
        return [one for one in found if one != start]

    def _between(self, start: str, target: str) -> list[tuple[Hop, ...]]:
        """The shortest ways from one entity to another, a few."""
        place = (start, target)
        if place not in self._paths:
            found: list[tuple[Hop, ...]] = []
            ring: list[tuple[str, tuple[Hop, ...]]] = [(start, ())]
            for _ in range(HOPS):
                ring = [(hop.target, (*path, hop)) for at, path in ring for hop in self._hops[at]][:400]
                found.extend(path for at, path in ring if at == target)
                if len(found) >= PATHS:
                    break
            self._paths[place] = found[:PATHS]
        return self._paths[place]


def _hops(tables: Tables, entity: str) -> list[Hop]:
    forward = [Hop(target, column.name, forward=True) for column in tables.columns[entity] for target in column.references]
    backward = [Hop(one.table, one.column, forward=False) for one in tables.referrers[entity] if not one.links]
    return [*forward, *backward]


def _follow(state: State, ref: Ref, hop: Hop) -> list[Ref]:
    if not hop.forward:
        return [handle(hop.target, key) for key in state.where(hop.target, hop.column, ref.key)]
    row = state.row(ref.entity, ref.key)
    key = row[hop.column] if row is not None else None
    return [handle(hop.target, str(key))] if key is not None and str(key) in state.tables[hop.target] else []
