"""Which declared facts a text states."""

from registry.package.pack import Alternative
from registry.score.facts import elements
from registry.score.facts import facts_in as stated
from synth.lang.domain import Domain


def facts_in(domain: Domain, names: tuple[str, ...], text: str) -> tuple[tuple[str, ...], ...]:
    """The synonym groups of the named facts that `text` states, in order of declaration; `ear drops` states no `ear`, as for the scorer."""
    declared = dict(domain.facts)
    groups = tuple(group for name in names for group in declared.get(name, ()))
    found = stated(elements(text, groups))
    return tuple(group for number, group in enumerate(groups) if str(number) in found)


def facts_of_changes(domain: Domain, accepted: Alternative) -> dict[str, tuple[tuple[str, ...], ...]]:
    """For every text column that the change writes, the facts that the new value states, by `Table.key.column`."""
    found: dict[str, tuple[tuple[str, ...], ...]] = {}
    for change in accepted.changes:
        for column, value in change.values.items():
            if value.match == "text" and isinstance(value.after, str):
                field = next(one for one in domain.entity(change.table).fields if any(c.name == column for c in one.columns))
                found[f"{change.table}.{change.key}.{column}"] = facts_in(domain, field.facts, value.after)
    return found
