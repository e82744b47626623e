"""Makes the rows of a world from a seed and a number."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from registry.package.pack import WorldRow
from synth.data.counts import FEW, Count, chosen_from, counts
from synth.data.edges import Edges
from synth.data.invariants import broken
from synth.data.renumber import Renumbered
from synth.data.rows import RowMaker
from synth.data.stream import Stream, world_stream
from synth.errors import EmptyTables, WorldError
from synth.lang.domain import Domain
from synth.reference.state import Held

SHORT = 0.8
"""A world of less than this share of the rows that were asked for is made again."""

CHANCES = 3
"""How often a small world is tried before its tables are left larger: in another draw something may be under way."""

DONORS = 100
"""About so many rows of a table lend their values, at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """The initial rows of an environment.

    Attributes:
        number: 0 is for free play, tasks have others.
        rows: In stored form with final ids, ordered by table (each entity, then its links) then id.
    """

    number: int
    rows: tuple[WorldRow, ...]


def make_world(domain: Domain, number: int = 0, scale: int | None = None) -> World:
    """The world with this number: other numbers give other people under the same rules.

    Args:
        scale: About how many rows to make in all; None for as many as the seed says.

    Raises:
        WorldError: The data of the seed give no rows, or rows that break its invariants.
    """
    return World(number=number, rows=tuple(world_rows(domain, number, scale)))


def donor_rows(domain: Domain, number: int) -> tuple[WorldRow, ...]:
    """Rows that lend their values to other worlds: some of each table, made like those of a world, without what `edges` asks for."""
    stream = world_stream(domain.sha256, number, None)
    maker = RowMaker(domain, stream)
    for entity in domain.entities:
        maker.fill(entity, counts(domain, None)[entity.name], DONORS)
    return tuple(Renumbered(domain, maker.state.tables, stream).rows())


def world_rows(domain: Domain, number: int = 0, scale: int | None = None) -> Iterator[WorldRow]:
    """The rows of a world one by one, in the same order; what was given out is not held any more.

    Every row is held until the last one is made, because makers, invariants and final ids look back at all of them.

    Raises:
        WorldError: As `make_world`, before the first row.
    """
    held, stream = _made(domain, number, scale)
    yield from Renumbered(domain, held, stream).rows()


def _made(domain: Domain, number: int, scale: int | None) -> tuple[Mapping[str, Held], Stream]:
    """The rows with the ids that they had while they were made, and the stream after them.

    A small world may be too small: three places are too few for a route over four, and where nothing is under way nothing can be handed
    over. Then its smallest tables are left larger, step by step. Where makers find nothing to choose from so often that a world comes out
    much smaller than it was asked for, it is made again from so many rows more. A world of usual size whose rows break an invariant is drawn
    anew too, unless it is the one of free play: that one tells its author.
    """
    few: dict[str, int] = {}
    asked, wanted, stream, failed = scale, counts(domain, scale), world_stream(domain.sha256, number, scale), 0
    while True:
        try:
            held = _filled(domain, stream, wanted, scale)
        except WorldError as error:
            failed += 1
            again = failed % CHANCES if scale is not None else number and failed < CHANCES and not isinstance(error, EmptyTables)
            larger = (few, wanted) if again else _larger(domain, asked, few, wanted, error)
            if larger is None:
                raise
            few, wanted = larger
        else:
            made = sum(map(len, held.values()))
            if scale is None or asked != scale or made >= SHORT * scale:
                return held, stream
            asked = scale * scale // max(made, 1)
            wanted = counts(domain, asked, few)
        stream = world_stream(domain.sha256, number, scale, asked, failed, *few.items())


def _larger(
    domain: Domain, scale: int | None, few: dict[str, int], wanted: dict[str, Count], error: WorldError
) -> tuple[dict[str, int], dict[str, Count]] | None:
    """The next larger size of the smallest tables that changes any table, and the counts by it; None if none does.

    The tables from which those that stay empty choose come first. Steps are small, since a world of twice the rows that were asked for is
    of no use where a few rows more would have done.
    """
    if scale is None:
        return None
    every = [one.name for one in domain.entities]
    first = chosen_from(domain, error.tables) if isinstance(error, EmptyTables) else every
    natural = counts(domain, None)
    for names in (first, every):
        more = dict(few)
        while any(more.get(name, FEW) < natural[name].total for name in names):
            more |= {name: more.get(name, FEW) + max(more.get(name, FEW) // 4, 1) for name in every if name in names}
            again = counts(domain, scale, more)
            if again != wanted:
                return more, again
    return None


def _filled(domain: Domain, stream: Stream, wanted: dict[str, Count], scale: int | None) -> Mapping[str, Held]:
    """Rows of all tables. What makers remember besides is gone when this returns."""
    maker = RowMaker(domain, stream, packed=scale is not None)
    for entity in domain.entities:
        maker.fill(entity, wanted[entity.name])
    _refuse_empty(domain, maker, wanted)
    breaks = Edges(domain, maker, wanted, scale).add() if domain.edges else broken(domain, maker.statements, maker.run)
    if breaks:
        raise WorldError(tuple(str(one) for one in breaks))
    return maker.state.tables


def _refuse_empty(domain: Domain, maker: RowMaker, wanted: dict[str, Count]) -> None:
    """Refuses data by which every single row of an entity found nothing to choose from."""
    empty = [one for one in domain.entities if wanted[one.name].total > FEW and not maker.state.tables[one.name]]
    if empty:
        raise EmptyTables(
            tuple(
                f"{one.where}: data.{one.name}: expected {wanted[one.name].total} rows, got none (each had nothing to choose from, or was "
                f"refused by its fields). Change the maker so that its lists are not empty and its values within their limits."
                for one in empty
            ),
            tuple(one.name for one in empty),
        )
