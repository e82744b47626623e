"""What is known of the invariants in states that differ much from the start, to look at one made from such a state by what was changed last."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from synth.gate.reading import Read
from synth.reference.state import Place, Row, State

Member = tuple[int, str]
"""Number of a check, id of the row that it is looked at for."""

Change = tuple[str, str, Row | None, Row | None]

MANY = 64
"""A state differs much where so many checks have to be made."""

STATES = 64
"""So many states are known at a time; the oldest is forgotten."""

FEW = 8
"""In so few places a state may differ from the one that it was made from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """One such state.

    Attributes:
        changes: How it differs from the start.
        affected: The checks that these changes concern.
        reads: What each of them has read, and whether it held; those of rows that are gone were not made.
    """

    state: State
    changes: dict[Place, Change]
    affected: frozenset[Member]
    reads: dict[Member, Read]


class Likeness:
    """Keeps such states."""

    def __init__(self) -> None:
        self._known: dict[int, Known] = {}

    def keep(self, known: Known) -> None:
        """One more."""
        if len(self._known) >= STATES:
            del self._known[next(iter(self._known))]
        self._known[id(known.state)] = known

    def of(self, near: State | None) -> Known | None:
        """What is known of a state."""
        known = self._known.get(id(near)) if near is not None else None
        return known if known is not None and known.state is near else None


def carried(known: Known, start: State, state: State, concerned: Callable[[Iterable[Change]], set[Member]]) -> Known | None:
    """A state made from one that is known, with the reads that are the same in it; None where it differs in more than a few places.

    Args:
        concerned: The checks that changes since the start concern.
    """
    places = state.differing(known.state)
    if len(places) > FEW:
        return None
    changes = dict(known.changes)
    for table, key in places:
        before, after = start.tables[table].get(key), state.tables[table].get(key)
        if before is after:
            del changes[table, key]
        else:
            changes[table, key] = (table, key, before, after)
    if any(place in known.changes for place in places):
        affected = frozenset(concerned(changes.values()))
    else:
        affected = known.affected | concerned([changes[place] for place in places])
    tables = {table for table, _ in places}
    held = known.reads.items()
    again = {member for place in places for member, read in held if place in read.rows}
    again.update(member for member, read in held if read.sets and any(asked[0] in tables for asked in read.sets))
    reads = {member: read for member, read in held if member not in again}
    return Known(state=state, changes=changes, affected=affected, reads=reads)
