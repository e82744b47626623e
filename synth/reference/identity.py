"""Ids of new rows."""

import re
from collections.abc import Mapping

from registry.package.change import Stored
from registry.package.compound import joined
from synth.lang.domain import Entity
from synth.reference.state import State

_NUMBER = re.compile(r"\{n(?::0?(\d+))?\}")


def number_pattern(entity: Entity) -> re.Pattern[str]:
    """Finds the number in an id made by a counter."""
    before, after = (re.escape(part).replace(re.escape("{parent}"), ".+") for part in _split(entity.id_pattern))
    return re.compile(f"{before}([0-9]+){after}")


def _split(pattern: str) -> tuple[str, str]:
    found = _NUMBER.search(pattern)
    if found is None:
        raise ValueError(f"the id pattern {pattern!r} has no {{n}}")
    return pattern[: found.start()], pattern[found.end() :]


def start_counters(state: State, entity: Entity, parent_column: str) -> None:
    """Sets the counters of an entity to the greatest numbers in use."""
    pattern = number_pattern(entity)
    for row in state.tables[entity.name].values():
        found = pattern.fullmatch(str(row["id"]))
        if found is not None:
            place = (entity.name, str(row[parent_column]) if parent_column else "")
            state.counters[place] = max(state.counters.get(place, 0), int(found.group(1)))


def counted_id(state: State, entity: Entity, parent: str) -> str:
    """The next id of the entity's counter; `parent` is the row that has the counter, or empty."""
    place = (entity.name, parent)
    number = state.counters.get(place, 0) + 1
    state.counters[place] = number
    return formatted_id(entity, number, parent)


def formatted_id(entity: Entity, number: int, parent: str) -> str:
    """The id with this number."""
    found = _NUMBER.search(entity.id_pattern)
    width = int(found.group(1) or 0) if found else 0
    before, after = _split(entity.id_pattern)
    return f"{before}{number:0{width}}{after}".replace("{parent}", parent)


def joined_id(entity: Entity, values: Mapping[str, Stored], columns: Mapping[str, str]) -> str:
    """The id of an entity with `key:`, from stored values; `columns` names the column of each key field."""
    return joined(values[columns[field]] for field in entity.key)


def id_shape(entity: Entity) -> re.Pattern[str]:
    """What every id made by the entity's counter looks like."""
    found = _NUMBER.search(entity.id_pattern)
    width = int(found.group(1) or 1) if found else 1
    before, after = (re.escape(part).replace(re.escape("{parent}"), ".{1,80}") for part in _split(entity.id_pattern))
    return re.compile(f"{before}[0-9]{{{width},12}}{after}")
