"""A state in which a call that the rules forbid is allowed: rows that it names hold other values, as if their story had been another one."""

from collections.abc import Iterator
from fractions import Fraction

from synth.graph.access import access
from synth.lang.domain import Domain, Field
from synth.reference.interpret import reference
from synth.reference.state import Ref, Row, State
from synth.reference.values import encoder
from synth.tasks.chance import Chance
from synth.tasks.rows.fitting import allowed
from synth.tasks.rows.guard import Guard
from synth.tasks.rows.propose import Proposal, distance
from synth.tasks.rows.view import View

CHANGES = 2
"""So many values are changed at most."""
LOOK, VALUES = 60, 8
"""So many other rows are looked at for so many other values of a field."""
APART = (10, 50, 1)
"""So far a number is put from another one of its row."""
NUMBERS = ("integer", "money", "decimal")


def mended(domain: Domain, state: State, guard: Guard, proposal: Proposal, rng: Chance) -> State | None:
    """The state with other values in up to CHANGES fields that the tool reads, in which all invariants hold; None where none is found."""
    least = _broken(domain, state, proposal, 0)
    for _ in range(CHANGES):
        for ref, row in _others(domain, state, proposal, rng):
            there = state.fork()
            there.update(ref.entity, ref.key, row)
            left = _broken(domain, there, proposal, least)
            if left >= least or not guard.admits(there, [ref]):
                continue
            if not left and allowed(domain, there, proposal) and guard.holds(there):
                return there
            if left:
                state, least = there, left
                break
        else:
            return None
    return None


def _broken(domain: Domain, state: State, proposal: Proposal, most: int) -> int:
    machine = reference(domain)
    return len(machine.broken(state, proposal.tool.name, proposal.arguments(), machine.now, most))


def _others(domain: Domain, state: State, proposal: Proposal, rng: Chance) -> Iterator[tuple[Ref, Row]]:
    """Rows that the call names, each with one other value."""
    read, view = access(domain, proposal.tool).reads, View(domain, state)
    for ref in (one for one in proposal.values.values() if isinstance(one, Ref)):
        fields = [one for one in domain.entity(ref.entity).fields if _changeable(one) and (ref.entity, one.name) in read]
        for field in rng.sample(fields, len(fields)):
            column, row = field.columns[0], state.tables[ref.entity][ref.key]
            for value in _values(view, ref, field, rng):
                stored = encoder(column.type)(value)
                if stored != row[column.name]:
                    yield ref, {**row, column.name: stored}


def _changeable(field: Field) -> bool:
    return field.role == "value" and len(field.columns) == 1 and not field.unique and not field.lifecycle and field.computed is None


def _values(view: View, ref: Ref, field: Field, rng: Chance) -> Iterator[object]:
    """Values that other rows have, the nearest first; for a number those first that are near another number of the row."""
    if field.type.kind in NUMBERS:
        for other in view.domain.entity(ref.entity).fields:
            number = view.value(ref.entity, ref.key, (other.name,)) if _number(other) and other is not field else None
            yield from (number - apart for apart in APART if isinstance(number, int | Fraction) and number > apart)
    present = view.value(ref.entity, ref.key, (field.name,))
    keys = rng.sample(view.keys(ref.entity), LOOK)
    found = [one for one in dict.fromkeys(view.value(ref.entity, key, (field.name,)) for key in keys) if one is not None and one != present]
    found.sort(key=lambda one: distance(present, one))
    yield from (found[at] for at in sorted({at * (len(found) - 1) // (VALUES - 1) for at in range(VALUES)} if found else ()))


def _number(field: Field) -> bool:
    return field.role == "value" and field.type.kind in NUMBERS and len(field.columns) == 1
