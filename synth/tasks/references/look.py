"""A look at what belongs to a row that was found, with one given reading tool."""

from registry.package.pack import Source
from registry.package.symbols import SymbolError
from synth.lang.domain import Domain, Tool
from synth.reference.state import Ref
from synth.tasks.play import Play, Stuck
from synth.tasks.references.lookup import argument_of, result_source


def within_sight(domain: Domain, tool: Tool, entity: str) -> bool:
    """Whether the tool can be asked about a row of the entity, or about rows that it refers to or that refer to it."""
    if tool.kind == "declared":
        needed = [param for param in tool.params if param.required]
        near = {entity, *(up for field in domain.entity(entity).fields if field.role == "reference" for up in field.columns[0].references)}
        return bool(needed) and all(one.type.kind == "row" for one in needed) and any(near & set(one.type.entities) for one in needed)
    if tool.entity == entity:
        return tool.kind in ("get", "list")
    if tool.kind in ("get", "list"):
        return bool(_columns(domain, entity, tool.entity))
    return tool.search is not None and any(_filtered(domain, tool, entity))


def look(play: Play, tool: Tool, row: Ref) -> bool:
    """Makes the read about a row that was found; whether it could be made. Nothing that follows needs its result.

    A clerk looks at the route before a leg is added to it, at the kennel that an animal leaves, at the hand-overs of a leg.
    """
    for arguments in _arguments(play, tool, row):
        sources: dict[str, Source] = {name: result_source(found) for name, found in arguments.items()}
        try:
            play.call(tool.name, arguments, sources)
        except (Stuck, SymbolError):
            continue
        return True
    return False


def _arguments(play: Play, tool: Tool, row: Ref) -> list[dict[str, str]]:
    """Symbolic arguments of calls that tell something about the row, or about what it refers to."""
    found = play.found.get((row.entity, row.key))
    if found is None or not within_sight(play.domain, tool, row.entity):
        return []
    if tool.kind == "list":
        return [{}]
    if tool.kind == "declared":
        return _of_found_rows(play, tool, row)
    if tool.kind == "get":
        argument = tool.params[0].argument
        if tool.entity == row.entity:
            return [{argument: found}]
        held = play.state.tables[row.entity][row.key]
        columns = [one for one in _columns(play.domain, row.entity, tool.entity) if held[one] is not None]
        return [{argument: f"{found.removesuffix('.id')}.{one}"} for one in columns]
    return [{argument_of(tool, one): found} for one in _filtered(play.domain, tool, row.entity)]


def _of_found_rows(play: Play, tool: Tool, row: Ref) -> list[dict[str, str]]:
    """For each row that the tool needs the row itself, else one that it refers to, else such of the rows found; nothing where there is none."""
    arguments: dict[str, str] = {}
    rows = [row, *(Ref(*one) for one in play.found)]
    for param in (one for one in tool.params if one.required):
        names = param.type.entities if param.type.kind == "row" else ()
        fitting = [symbol for one in rows for name in names for symbol in _leading(play, one, name)]
        if not fitting:
            return []
        arguments[param.argument] = fitting[0]
    return [arguments]


def _leading(play: Play, row: Ref, name: str) -> list[str]:
    """Symbols of the row, if it is of this entity, and of the rows of it to which it refers."""
    found, held = play.found[row.entity, row.key], play.state.tables[row.entity].get(row.key)
    columns = [one for one in _columns(play.domain, row.entity, name) if held is not None and held[one] is not None]
    return [*([found] if row.entity == name else []), *(f"{found.removesuffix('.id')}.{one}" for one in columns)]


def _columns(domain: Domain, entity: str, target: str) -> list[str]:
    """Columns of the entity that refer to rows of `target` alone."""
    fields = [one for one in domain.entity(entity).fields if one.role == "reference"]
    return [one.columns[0].name for one in fields if one.columns[0].references == (target,)]


def _filtered(domain: Domain, tool: Tool, target: str) -> list[str]:
    """Parameters of a search that take a row of `target`."""
    assert tool.search is not None
    fields = {one.name: one for one in domain.entity(tool.search.entity).fields}
    found = [(one.param, fields[one.field]) for one in tool.search.filters if one.mode == "equal" and one.field in fields]
    return [param for param, field in found if field.role == "reference" and target in field.columns[0].references]
