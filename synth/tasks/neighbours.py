"""Tasks that are there already: rows made for another task must not stand in their way."""

from collections.abc import Iterable
from typing import NamedTuple

from registry.package.change import Stored
from synth.lang.domain import Domain
from synth.reference.state import Ref, State
from synth.tasks.draft import Draft, start_of
from synth.tasks.rows.view import View, back, below


class Neighbour(NamedTuple):
    """A task, the entities that its words speak of, and how many rows its descriptions fit."""

    draft: Draft
    entities: frozenset[str]
    fits: tuple[object, ...]


class Neighbours:
    """The tasks of one world so far.

    Attributes:
        reserved: Values that tasks put into columns, by table and column: no other row may take them where they must be unique.
    """

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._known: list[Neighbour] = []
        self.reserved: dict[tuple[str, str], set[Stored]] = {}

    def note(self, state: State, draft: Draft) -> None:
        """One more task, in the world as it is."""
        spoken = {described.entity for described in draft.rows} | ({draft.gathered.entity} if draft.gathered is not None else set())
        for described in draft.rows:
            for leaf in described.leaves:
                spoken |= set(_on_the_way(self._domain, described.entity, leaf.path))
        self._known.append(Neighbour(draft, frozenset(spoken), self._fits(state, draft)))
        for change in (one for net in draft.accepted for one in net.changes):
            for name, value in change.values.items():
                self.reserved.setdefault((change.table, name), set()).add(value.after)
        for table, _, row in draft.patch:
            for name, stored in (row or {}).items():
                self.reserved.setdefault((table, name), set()).add(stored)

    def undisturbed(self, state: State, made: Iterable[Ref]) -> bool:
        """Whether the words of all tasks mean in `state`, with the new rows, as many rows as before."""
        tables = {ref.entity for ref in made}
        return all(self._fits(state, one.draft) == one.fits for one in self._known if tables & one.entities)

    def _fits(self, state: State, draft: Draft) -> tuple[object, ...]:
        view = View(self._domain, start_of(state, draft.patch))
        found: list[object] = []
        for described in draft.rows:
            found.append(len(view.matching(described.entity, described.leaves)))
            for name in dict.fromkeys(leaf.path[0] for leaf in described.leaves if len(leaf.path) > 1):
                child, _ = back(name)
                target = child or view.domain.entity(described.entity).field(name).columns[0].references[0]
                found.append(len(view.matching(target, below(described.leaves, name))))
        if draft.gathered is not None:
            entity, wanted = draft.gathered.entity, draft.gathered.wanted
            found += [row["id"] for row in view.state.rows(entity) if all(row[column] == value for column, value in wanted)]
        return tuple(found)


def _on_the_way(domain: Domain, entity: str, path: tuple[str, ...]) -> Iterable[str]:
    """The entities that a path leads over."""
    for name in path[:-1]:
        entity = back(name)[0] or domain.entity(entity).field(name).columns[0].references[0]
        yield entity
