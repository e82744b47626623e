"""How many rows of each entity a world has."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from synth.lang import nodes as n
from synth.lang.domain import Domain, Entity
from synth.lang.visit import through

ALONE = 24
"""Rows of an entity that refers to none and says nothing of its number."""

REFERRING = 48
"""Rows of an entity that refers to others and says nothing of its number."""

FEW = 3
"""Rows that a table keeps when a world is made small, unless no world comes of so few."""

ROUNDS = 12
"""Steps in which the factor is found that gives a number of rows; tables that are combined make it no plain division."""

EACH = (0, 3)
"""Rows per referred row where a maker has a parameter without `each:`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """How the rows of one entity are counted: so many in all, or so many for each combination of rows of the parents.

    Attributes:
        parents: Reference fields.
    """

    total: int = 0
    parents: tuple[str, ...] = ()
    low: int = 1
    high: int = 1


def counts(domain: Domain, scale: int | None, few: Mapping[str, int] | None = None) -> dict[str, Count]:
    """The count of every entity; with `scale`, so that about that many rows come out in all.

    Args:
        few: Rows that a table keeps, if it has so many in a world of usual size; `FEW` where nothing is said.
    """
    found = {entity.name: _natural(domain, entity) for entity in domain.entities}
    if scale is None:
        return found
    steady = _combined(domain, found)
    factor = Fraction(1)
    for _ in range(ROUNDS):
        usual = sum(expected(domain, _scaled(found, factor, steady, few or {})).values())
        factor *= Fraction(scale) / max(usual, Fraction(1))
        factor = factor.limit_denominator(1_000_000)
    return _scaled(found, factor, steady, few or {})


def chosen_from(domain: Domain, names: Iterable[str]) -> frozenset[str]:
    """Entities whose rows makers choose from, and those that say how many rows there are of them."""
    natural = {entity.name: _natural(domain, entity) for entity in domain.entities}
    makers = {maker.entity: maker for maker in domain.makers}
    found: set[str] = set()
    pending: list[str] = []
    for name in names:
        pending += [one.entity for one in through(domain, makers[name].body) if isinstance(one, n.Rows)] if name in makers else []
        pending += [target for field in domain.entity(name).fields for column in field.columns for target in column.references]
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending += [target for field in natural[name].parents for target in domain.entity(name).field(field).columns[0].references]
    return frozenset(found)


def _scaled(found: dict[str, Count], factor: Fraction, steady: frozenset[str], few: Mapping[str, int]) -> dict[str, Count]:
    """So many times as many rows; of a small table a few stay in any case."""
    return {
        name: one if one.parents or name in steady else Count(total=max(round(one.total * factor), min(one.total, few.get(name, FEW))))
        for name, one in found.items()
    }


def _combined(domain: Domain, found: dict[str, Count]) -> frozenset[str]:
    """Entities that keep their number of rows: single ones, and all but the largest of those whose rows are combined with each other."""
    usual = expected(domain, found)
    steady = {one.name for one in domain.entities if one.single}
    for entity in domain.entities:
        parents = [target for name in found[entity.name].parents for target in entity.field(name).columns[0].references]
        if len(found[entity.name].parents) > 1:
            steady.update(set(parents) - {max(parents, key=lambda name: usual[name])})
    return frozenset(steady)


def expected(domain: Domain, found: dict[str, Count]) -> dict[str, Fraction]:
    """About how many rows each entity will have."""
    usual: dict[str, Fraction] = {}
    for entity in domain.entities:
        one = found[entity.name]
        number = Fraction(one.total)
        if one.parents:
            number = Fraction(one.low + one.high, 2)
            for parent in one.parents:
                number *= sum((usual.get(target, Fraction(0)) for target in entity.field(parent).columns[0].references), Fraction(0))
        usual[entity.name] = number
    return usual


def _natural(domain: Domain, entity: Entity) -> Count:
    if entity.single:
        return Count(total=1)
    maker = next((one for one in domain.makers if one.entity == entity.name), None)
    bound = {getattr(statement, "name", "") for statement in maker.body} if maker else set[str]()
    parents = maker.params if maker and maker.params else _by_each(entity, bound)
    if parents:
        low, high = _each(entity, parents)
        return Count(parents=parents, low=low, high=high)
    if entity.rows is not None:
        return Count(total=entity.rows)
    return Count(total=REFERRING if any(one.role == "reference" for one in entity.fields) else ALONE)


def _by_each(entity: Entity, bound: set[str]) -> tuple[str, ...]:
    """The first reference that says how many rows there are for each, unless the maker binds it."""
    return tuple(one.name for one in entity.fields if one.role == "reference" and one.each and one.name not in bound)[:1]


def _each(entity: Entity, parents: tuple[str, ...]) -> tuple[int, int]:
    given = [entity.field(parent).each for parent in parents]
    found = [one for one in given if one is not None]
    return found[0] if found else EACH if len(parents) == 1 else (0, 1)
