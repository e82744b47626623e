"""Sets of rows as queries: filters of a search that several rows fit, and what a person calls them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from registry.package.change import Stored
from synth.lang.domain import Field, Filter, Tool
from synth.reference.values import scalar_json
from synth.tasks.chance import Chance
from synth.tasks.draft import Script, Wanted
from synth.tasks.references.describe import Described
from synth.tasks.references.lookup import argument_of, result_source
from synth.tasks.references.plural import Condition, set_words
from synth.tasks.rows.view import Leaf, View
from synth.tasks.wording.phrase import Phrase, as_phrase

FEWEST, MOST = 2, 6
MOST_FILTERS = 3
_KINDS = ("enum", "bool", "row")


@dataclass(frozen=True, slots=True, kw_only=True)
class RowSet:
    """The rows of an entity that fit all of `wanted`; `filters` are the search's own, in the same order."""

    entity: str
    tool: Tool
    filters: tuple[Filter, ...]
    wanted: tuple[Wanted, ...]
    keys: tuple[str, ...]


def members(view: View, entity: str, wanted: Sequence[Wanted]) -> list[str]:
    """Ids of the rows that are not archived and hold all these values, in order."""
    found: set[str] | None = None
    for column, value in wanted:
        fitting = set(view.state.where(entity, column, value))
        found = fitting if found is None else found & fitting
    keys = view.keys(entity)
    return list(keys) if found is None else [key for key in keys if key in found]


def row_sets(view: View, search: Tool, rng: Chance) -> Iterator[RowSet]:
    """Sets of FEWEST to MOST rows in random order, each by filters of the search, of which every one leaves rows out."""
    assert search.search is not None
    entity = view.domain.entity(search.search.entity)
    usable = [one for one in search.search.filters if one.mode == "equal" and _groups(entity.field(one.field))]
    choices = [filters for size in range(1, MOST_FILTERS + 1) for filters in combinations(usable, size)]
    rng.shuffle(choices)
    keys = view.keys(entity.name)
    for filters in choices:
        columns = [entity.field(one.field).columns[0].name for one in filters]
        by_values: dict[tuple[Stored, ...], list[str]] = {}
        for key in keys:
            row = view.state.tables[entity.name][key]
            by_values.setdefault(tuple(row[column] for column in columns), []).append(key)
        fitting = [(values, several) for values, several in by_values.items() if FEWEST <= len(several) <= MOST and None not in values]
        rng.shuffle(fitting)
        for values, several in fitting[:4]:
            wanted = tuple(zip(columns, values, strict=True))
            if all(len(members(view, entity.name, _without(wanted, one))) > len(several) for one in wanted):
                yield RowSet(entity=entity.name, tool=search, filters=filters, wanted=wanted, keys=tuple(several))


def _groups(field: Field) -> bool:
    return field.type.kind in _KINDS and len(field.columns) == 1 and len(field.columns[0].references) < 2


def _without(wanted: tuple[Wanted, ...], one: Wanted) -> tuple[Wanted, ...]:
    return tuple(other for other in wanted if other != one)


def near(view: View, entity: str, wanted: tuple[Wanted, ...], one: Wanted) -> list[str]:
    """Ids of the rows that fit all but this."""
    return [key for key in members(view, entity, _without(wanted, one)) if view.state.tables[entity][key][one[0]] != one[1]]


def set_phrase(view: View, rows: RowSet, parents: Sequence[Described | None], prefix: str) -> Phrase:
    """`all booked appointments whose vet is Dr. Ann Lee`."""
    entity = view.domain.entity(rows.entity)
    conditions = []
    for one, (_, value), words in zip(rows.filters, rows.wanted, parents, strict=True):
        field = entity.field(one.field)
        leaf = None if words is not None else Leaf(path=(one.field,), value=value, type=field.type.required())
        conditions.append(Condition(field=field, filters=(one,), leaf=leaf, parent=words))
    return as_phrase("all ") + set_words(view, entity, conditions, prefix).phrase()


def search_set(script: Script, rows: RowSet, parents: Sequence[Described | None], prefix: str) -> int:
    """Makes the look-ups for the rows that the words describe, and the search that shows the set; gives the place of the search.

    Raises:
        Stuck: A look-up is not possible.
    """
    arguments: dict[str, object] = {}
    sources = {}
    entity = script.play.domain.entity(rows.entity)
    for one, (_, value), words in zip(rows.filters, rows.wanted, parents, strict=True):
        name = argument_of(rows.tool, one.param)
        if words is not None:
            found = script.find(words)
            arguments[name], sources[name] = found, result_source(found)
        else:
            kind = entity.field(one.field).type
            arguments[name] = bool(value) if kind.kind == "bool" else scalar_json(kind)(value)
            sources[name] = script.span(f"{prefix}.{one.field}")
    return script.play.call(rows.tool.name, arguments, sources)
