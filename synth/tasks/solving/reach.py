"""Reads that lead from rows already found to another row that belongs to them."""

from registry.package.pack import Source
from registry.package.symbols import symbol
from synth.lang.domain import Domain, Entity
from synth.reference.state import Ref
from synth.tasks.play import Play, Stuck
from synth.tasks.references.lookup import argument_of, result_source, tool_of


def entity_of(domain: Domain, play: Play, key: str) -> Entity:
    """The entity of the row with this id.

    Raises:
        Stuck: There is no such row.
    """
    for entity in domain.entities:
        if key in play.state.tables[entity.name]:
            return entity
    raise Stuck(f"no row {key}")


def reach(play: Play, known: list[Ref], key: str) -> list[Ref]:
    """Finds the row `key` by reads that start from `known` rows, and gives the rows newly found on the way.

    A row is reached by the reference that a known row shows, by a search for rows that refer to a known row, or over one row between.

    Raises:
        Stuck: No such reads show it.
    """
    domain = play.domain
    target = Ref(entity_of(domain, play, key).name, key)
    if target in known:
        return []
    for one in known:
        if _upward(play, one, target) or _downward(play, one, target):
            return [target]
    for one in known:
        for between in _parents(play, one):
            if _upward(play, one, between) and (_upward(play, between, target) or _downward(play, between, target)):
                return [between, target]
    raise Stuck(f"{key} cannot be reached")


def _parents(play: Play, one: Ref) -> list[Ref]:
    row = play.state.tables[one.entity][one.key]
    found = []
    for field in play.domain.entity(one.entity).fields:
        if field.role == "reference" and row[field.columns[0].name] is not None:
            target = str(row[field.columns[0].name])
            found += [Ref(name, target) for name in field.columns[0].references if target in play.state.tables[name]]
    return found


def _upward(play: Play, one: Ref, target: Ref) -> bool:
    """Whether `one` refers to `target`; then its id is read from `one` and the row is got."""
    row = play.state.tables[one.entity][one.key]
    for field in play.domain.entity(one.entity).fields:
        if field.role == "reference" and row[field.columns[0].name] == target.key:
            return _get(play, target, _shown(play, one, field.columns[0].name))
    return False


def _shown(play: Play, one: Ref, column: str) -> str:
    """Symbol for a column of a found row: of the item that a search showed, or of the result of a get."""
    found = play.found.get((one.entity, one.key))
    if found is None:
        raise Stuck(f"{one.key} was not found before")
    return found.removesuffix(".id") + "." + column


def _get(play: Play, target: Ref, found: str) -> bool:
    tool = tool_of(play.domain, "get", target.entity)
    if tool is None:
        return False
    argument = tool.params[0].argument
    index = play.call(tool.name, {argument: found}, {argument: result_source(found)})
    play.found.setdefault((target.entity, target.key), symbol(index))
    return True


def _downward(play: Play, one: Ref, target: Ref) -> bool:
    """Whether `target` refers to `one` and a search by that reference shows it."""
    search = tool_of(play.domain, "search", target.entity)
    found = play.found.get((one.entity, one.key))
    if search is None or search.search is None or found is None:
        return False
    row = play.state.tables[target.entity][target.key]
    for wanted in search.search.filters:
        field = next((field for field in play.domain.entity(target.entity).fields if field.name == wanted.field), None)
        if field is None or field.role != "reference" or row[field.columns[0].name] != one.key:
            continue
        name = argument_of(search, wanted.param)
        sources = {name: Source(kind="result", call=result_source(found).call, path=result_source(found).path)}
        index = play.call(search.name, {name: found}, sources)
        items = play.results[index]["items"]
        if any(item["id"] == target.key for item in items):
            play.found.setdefault((target.entity, target.key), symbol(index, "items", {"id": target.key}))
            return True
    return False
