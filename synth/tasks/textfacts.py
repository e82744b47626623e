"""Which declared facts a text states."""

import re

from registry.package.pack import Alternative
from synth.lang.domain import Domain


def facts_in(domain: Domain, names: tuple[str, ...], text: str) -> tuple[tuple[str, ...], ...]:
    """The synonym groups of the named facts that `text` states, in order of declaration."""
    declared = dict(domain.facts)
    groups = [group for name in names for group in declared.get(name, ())]
    return tuple(group for group in groups if any(says(text, word) for word in group))


def says(text: str, word: str) -> bool:
    """Whether a word or phrase stands in the text as whole words, ignoring case."""
    return re.search(rf"(?<!\w){re.escape(word.lower())}(?!\w)", text.lower()) is not None


def facts_of_changes(domain: Domain, accepted: Alternative) -> dict[str, tuple[tuple[str, ...], ...]]:
    """For every text column that the change writes, the facts that the new value states, by `Table.key.column`."""
    found: dict[str, tuple[tuple[str, ...], ...]] = {}
    for change in accepted.changes:
        for column, value in change.values.items():
            if value.match == "text" and isinstance(value.after, str):
                field = next(one for one in domain.entity(change.table).fields if any(c.name == column for c in one.columns))
                found[f"{change.table}.{change.key}.{column}"] = facts_in(domain, field.facts, value.after)
    return found
