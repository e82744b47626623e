"""Tasks that are there already: rows made for another task must not stand in their way."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from registry.package.change import Stored
from synth.lang.domain import Domain
from synth.reference.interpret import reference
from synth.reference.state import Ref, Row, State
from synth.reference.values import encoder
from synth.tasks.draft import Draft, start_of
from synth.tasks.rows.view import Leaf, View, back, below

Place = tuple[str, str, str]
"""Table, column and id of a row that the column refers to; no column for the row of the table itself."""


class Sought(NamedTuple):
    """What a row must hold, at least, to be among those that some words fit: stored values of columns of one entity."""

    entity: str
    cells: tuple[tuple[str, Stored], ...]


class Neighbour(NamedTuple):
    """A task, what its words look for, which rows its descriptions fit, and where it changes something."""

    draft: Draft
    sought: tuple[Sought, ...]
    fits: tuple[object, ...]
    touched: frozenset[Place]


class Neighbours:
    """The tasks of one world so far.

    Attributes:
        reserved: Values that tasks put into columns, by table and column: no other row may take them where they must be unique.
    """

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._known: list[Neighbour] = []
        self.reserved: dict[tuple[str, str], set[Stored]] = {}

    def note(self, state: State, draft: Draft, *, twin: bool = False) -> None:
        """One more task, in the world as it is; what disturbs a twin disturbs the other one too, nearly always."""
        sought = [one for described in draft.rows for one in _sought(self._domain, described.entity, described.leaves)]
        if draft.gathered is not None:
            sought.append(Sought(draft.gathered.entity, tuple(draft.gathered.wanted)))
        self._known.append(Neighbour(draft, tuple(sought), self._fits(state, draft), frozenset() if twin else self._touched(draft)))
        for change in (one for net in draft.accepted for one in net.changes):
            for name, value in change.values.items():
                self.reserved.setdefault((change.table, name), set()).add(value.after)
        for table, _, row in draft.patch:
            for name, stored in (row or {}).items():
                self.reserved.setdefault((table, name), set()).add(stored)

    def undisturbed(self, state: State, made: Iterable[Ref]) -> bool:
        """Whether the words of all tasks mean in `state`, with the new rows, the same rows as before."""
        rows = _rows(state, made)
        near = (one for one in self._known if any(_holds(row, wanted) for wanted in one.sought for row in rows.get(wanted.entity, ())))
        return all(self._fits(state, one.draft) == one.fits for one in near)

    def concerned(self, state: State, made: Iterable[Ref]) -> list[Draft]:
        """Tasks that change rows to which the new ones refer, or enter in a column what these have there: they may come to something else now."""
        places = {place for entity, several in _rows(state, made).items() for row in several for place in self._places(entity, row)}
        return [one.draft for one in self._known if not places.isdisjoint(one.touched)]

    def _places(self, entity: str, row: Row) -> Iterator[Place]:
        """Each row that a row refers to: by itself, and as what the column refers to."""
        for column in reference(self._domain).tables.columns[entity]:
            for target in column.references if row[column.name] is not None else ():
                yield target, "", str(row[column.name])
                yield entity, column.name, str(row[column.name])

    def _touched(self, draft: Draft) -> frozenset[Place]:
        """Each row that gold changes, and each that gold enters in a column, as what this refers to."""
        found: set[Place] = set()
        for change in (one for net in draft.accepted for one in net.changes):
            if change.op != "insert":
                found.add((change.table, "", change.key))
            references = {column.name for column in reference(self._domain).tables.columns[change.table] if column.references}
            found.update((change.table, name, str(value.after)) for name, value in change.values.items() if name in references)
        return frozenset(found)

    def _fits(self, state: State, draft: Draft) -> tuple[object, ...]:
        view = View(self._domain, start_of(state, draft.patch))
        found: list[object] = []
        for described in draft.rows:
            found.append(tuple(view.matching(described.entity, described.leaves)))
            for name in dict.fromkeys(leaf.path[0] for leaf in described.leaves if len(leaf.path) > 1):
                child, _ = back(name)
                target = child or view.domain.entity(described.entity).field(name).columns[0].references[0]
                found.append(len(view.matching(target, below(described.leaves, name))))
        if draft.gathered is not None:
            entity, wanted = draft.gathered.entity, draft.gathered.wanted
            found += [row["id"] for row in view.state.rows(entity) if all(row[column] == value for column, value in wanted)]
        return tuple(found)


def _rows(state: State, made: Iterable[Ref]) -> dict[str, list[Row]]:
    """The rows by table."""
    rows: dict[str, list[Row]] = {}
    for ref in made:
        rows.setdefault(ref.entity, []).append(state.tables[ref.entity][ref.key])
    return rows


def _holds(row: Row, wanted: Sought) -> bool:
    return all(row[column] == value for column, value in wanted.cells)


def _sought(domain: Domain, entity: str, leaves: tuple[Leaf, ...]) -> Iterator[Sought]:
    """What a new row must hold so that the facts can fit another number of rows, or lead over it: facts about it alone."""
    cells = [_cell(domain, entity, one) for one in leaves if len(one.path) == 1 and not one.rank and not one.bound]
    yield Sought(entity, tuple(one for one in cells if one is not None))
    for name in dict.fromkeys(leaf.path[0] for leaf in leaves if len(leaf.path) > 1):
        for target in (back(name)[0],) if back(name)[0] else domain.entity(entity).field(name).columns[0].references:
            yield from _sought(domain, target, below(leaves, name))


def _cell(domain: Domain, entity: str, leaf: Leaf) -> tuple[str, Stored] | None:
    """Column and stored value of a fact about a row; None where it is computed."""
    if leaf.path == ("id",):
        return "id", str(leaf.value)
    columns = domain.entity(entity).field(leaf.path[0]).columns
    value = list(leaf.value) if isinstance(leaf.value, tuple) else leaf.value
    return (columns[0].name, encoder(columns[0].type)(value)) if columns else None
