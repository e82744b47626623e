"""Derived refusals: fixed sentences that name entity and field as a person would.

The compiled tools and the reference interpreter both use these, so that what an agent reads has one source.
"""

import re
from collections.abc import Sequence

from registry.package.errors import ToolRefusal


def spoken(name: str) -> str:
    """How a person writes the name of an entity or field: `OrderLine` is `order line`, `born_on` is `born on`."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return words.replace("_", " ").strip().lower()


def article(name: str) -> str:
    """The spoken name with `a` or `an`."""
    said = spoken(name)
    return f"{'an' if said[:1] in 'aeiou' else 'a'} {said}"


def _and(names: Sequence[str]) -> str:
    said = [spoken(name) for name in names]
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"


def not_found(entities: Sequence[str], key: str) -> ToolRefusal:
    """An id that belongs to no row of these entities."""
    return ToolRefusal("NOT_FOUND", f"There is no {' or '.join(map(spoken, entities))} with the id '{key}'.")


def wrong_state(entity: str, field: str, current: str, wanted: str, key: str) -> ToolRefusal:
    """A move that the lifecycle of `field` does not declare; evidence is the row."""
    sentence = f"The {spoken(field)} of this {spoken(entity)} is {spoken(current)} and cannot become {spoken(wanted)}."
    return ToolRefusal("WRONG_STATE", sentence, (key,))


def duplicate(entity: str, fields: Sequence[str], others: Sequence[str]) -> ToolRefusal:
    """A value, or values together, that another row has; evidence is that row."""
    return ToolRefusal("DUPLICATE", f"There is already {article(entity)} with the same {_and(fields)}.", tuple(sorted(others)))


def below(entity: str, field: str, least: str, keys: Sequence[str]) -> ToolRefusal:
    """A number, date or time that is less than allowed; `least` as shown to people."""
    return _limit(entity, field, f"must be at least {least}", keys)


def above(entity: str, field: str, greatest: str, keys: Sequence[str]) -> ToolRefusal:
    """A number, date or time that is greater than allowed."""
    return _limit(entity, field, f"must be at most {greatest}", keys)


def too_long(entity: str, field: str, length: int, keys: Sequence[str]) -> ToolRefusal:
    """A text with too many characters."""
    return _limit(entity, field, f"must have at most {length} characters", keys)


def not_allowed(entity: str, field: str, allowed: Sequence[str], keys: Sequence[str]) -> ToolRefusal:
    """A value that is not among those of the field (`of:`)."""
    return _limit(entity, field, f"must be one of {', '.join(allowed)}", keys)


def cycle(entity: str, field: str, key: str) -> ToolRefusal:
    """A row that would come to stand below itself in a tree."""
    return ToolRefusal("LIMIT", f"The {spoken(field)} of {article(entity)} cannot be the {spoken(entity)} itself or one below it.", (key,))


def _limit(entity: str, field: str, must: str, keys: Sequence[str]) -> ToolRefusal:
    return ToolRefusal("LIMIT", f"The {spoken(field)} of {article(entity)} {must}.", tuple(sorted(keys)))


def in_use(entity: str, users: str, keys: Sequence[str]) -> ToolRefusal:
    """A row that others refer to: `users` is the entity of the first that do, `keys` all of its rows that do, which are the evidence."""
    count = len(keys)
    used = f"{article(users)} refers" if count == 1 else f"{count} rows of the kind {spoken(users)} refer"
    return ToolRefusal("IN_USE", f"This {spoken(entity)} cannot be deleted: {used} to it.", tuple(sorted(keys)))
