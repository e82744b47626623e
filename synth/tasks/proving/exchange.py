"""Patches in which a described row and another one have exchanged what they hold."""

from collections.abc import Iterator

from synth.lang.domain import Entity
from synth.reference.state import Ref
from synth.tasks.draft import Draft, Patch
from synth.tasks.references.describe import Described
from synth.tasks.rows.view import Leaf, View, back, below
from synth.tasks.workshop import Workshop

MOST_OTHERS = 12
"""With so many rows that the words do not nearly fit a described row changes places."""


def swaps(shop: Workshop, draft: Draft) -> Iterator[Patch]:
    """First a single fact that tells a described row from another, then all that follows from it, then rows that change places altogether.

    Invariants may tie a fact to others of its row (a day to the day after it): those go along in the end.
    """
    near = [(described, leaf, other) for described, leaf in _told(shop, draft) for other in _nearly(shop, described, leaf)]
    for described, leaf, other in near:
        yield from _swapped(shop, described, other, leaf)
    for described, leaf, other in near:
        yield from _referred(shop, described, other, leaf)
    for described, _, other in near:
        yield from _changed_places(shop, described, other)
    for described in shop.rng.sample(draft.rows, len(draft.rows)):
        for other in shop.rng.sample(shop.view.keys(described.entity), MOST_OTHERS):
            if other != described.key:
                yield from _changed_places(shop, described, other)


def _told(shop: Workshop, draft: Draft) -> Iterator[tuple[Described, Leaf]]:
    for described in shop.rng.sample(draft.rows, len(draft.rows)):
        for leaf in shop.rng.sample(described.leaves, len(described.leaves)):
            yield described, leaf


def _nearly(shop: Workshop, described: Described, leaf: Leaf) -> list[str]:
    """Other rows for which all is true but this, those first that hold the fact beside the same words, so that a tea does not end up among cleansers.

    Among equals the order is random: the first row of a table must not be right more often than others.
    """
    rest = tuple(one for one in described.leaves if one != leaf)
    found = [other for other in shop.view.matching(described.entity, rest) if other != described.key]
    return sorted(shop.rng.sample(found, len(found)), key=lambda other: _unlike(shop, described, other, leaf))[:MOST_OTHERS]


def _unlike(shop: Workshop, described: Described, other: str, leaf: Leaf) -> int:
    """In how many words (of an enum) the two rows differ that hold the fact."""
    one, two = (_carrier(shop.view, described, key, leaf) for key in (described.key, other))
    if one is None or two is None:
        return 0
    columns = [field.columns[0].name for field in shop.domain.entity(one.entity).fields if field.type.kind == "enum" and field.columns]
    rows = [shop.state.tables[ref.entity][ref.key] for ref in (one, two)]
    return sum(rows[0][name] != rows[1][name] for name in columns)


def _swapped(shop: Workshop, described: Described, other: str, leaf: Leaf) -> Iterator[Patch]:
    """The two rows that carry the fact, with each other's value."""
    if leaf.path[-1] == "id":
        return
    one, two = (_carrier(shop.view, described, key, leaf) for key in (described.key, other))
    if one is not None and two is not None and one != two:
        yield _exchanged(shop, one, two, [shop.domain.entity(one.entity).field(leaf.path[-1]).columns[0].name])


def _referred(shop: Workshop, described: Described, other: str, leaf: Leaf) -> Iterator[Patch]:
    """The two rows, each referring to the row by which the other one is told."""
    if len(leaf.path) > 1 and not back(leaf.path[0])[0]:
        field = shop.domain.entity(described.entity).field(leaf.path[0])
        if not field.part:
            yield _exchanged(shop, Ref(described.entity, described.key), Ref(described.entity, other), [field.columns[0].name])


def _changed_places(shop: Workshop, described: Described, other: str) -> Iterator[Patch]:
    """The two rows with each other's values, and with each other's references too."""
    entity = shop.domain.entity(described.entity)
    one, two = Ref(described.entity, described.key), Ref(described.entity, other)
    for roles in (("value",), ("value", "reference")):
        columns = _movable(entity, roles)
        rows = [shop.state.tables[ref.entity][ref.key] for ref in (one, two)]
        if any(rows[0][name] != rows[1][name] for name in columns):
            yield _exchanged(shop, one, two, columns)


def _movable(entity: Entity, roles: tuple[str, ...]) -> list[str]:
    """Columns that are no part of what a row is."""
    fixed = {*entity.key, entity.id_per}
    fields = [one for one in entity.fields if one.role in roles and not one.part and one.name not in fixed and one.name != "position"]
    return [column.name for field in fields for column in field.columns]


def _exchanged(shop: Workshop, one: Ref, two: Ref, columns: list[str]) -> Patch:
    rows = [shop.state.tables[ref.entity][ref.key] for ref in (one, two)]
    given = [{name: row[name] for name in columns} for row in rows]
    return ((one.entity, one.key, {**rows[0], **given[1]}), (two.entity, two.key, {**rows[1], **given[0]}))


def _carrier(view: View, described: Described, key: str, leaf: Leaf) -> Ref | None:
    """The row that holds the fact for the row `key`."""
    at = Ref(described.entity, key)
    child, reference = back(leaf.path[0])
    if child:
        facts = below(described.leaves, leaf.path[0])
        others = tuple(one for one in facts if one.path != leaf.path[1:])
        here = view.state.where(child, view.domain.entity(child).field(reference).columns[0].name, key)
        fitting = [one for wanted in (facts, others) for one in view.matching(child, wanted) if one in here]
        return Ref(child, fitting[0]) if fitting else None
    for name in leaf.path[:-1]:
        step = view.parent(at.entity, at.key, name)
        if step is None:
            return None
        at = Ref(*step)
    return at
