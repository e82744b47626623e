"""Invariants, limits and uniqueness after a few rows have been added or changed: first for those rows alone, then for all."""

from dataclasses import dataclass, replace

from synth.gate.standing import Standing
from synth.lang import nodes as n
from synth.lang.domain import Domain
from synth.reference.interpret import Reference
from synth.reference.run import Code, Scope
from synth.reference.state import Ref, State
from synth.reference.statements import NO_VALUE, Step

ROWS = "rows of the guard"


class Guard:
    """The invariants of one domain and those of its start states, those that say `all(… for row in Entity …)` ready to be asked of single rows.

    Which rows each of them reads is learnt when it is first asked whether they hold.

    Args:
        start: A state in which all hold, from which all others come.
    """

    def __init__(self, domain: Domain, start: State) -> None:
        made = _made(domain)
        self._machine, self._quick = made.machine, made.quick
        self._start = start
        self._learnt: Standing | None = None

    @property
    def _standing(self) -> Standing:
        if self._learnt is None:
            self._learnt = Standing(self._machine, self._start, self._machine.now)
        return self._learnt

    def admits(self, state: State, rows: list[Ref]) -> bool:
        """Whether these rows keep what their fields declare and the invariants hold of them; other rows may still be at odds with them."""
        run = self._machine.run(state, self._machine.now)
        writes = self._machine.statements.writes
        if not all(writes.sound(run, one) and writes.rooted(run, one) for one in rows):
            return False
        for entity, bindings, condition in self._quick:
            mine = [one for one in rows if one.entity == entity]
            scope: Scope = {ROWS: mine}
            try:
                bindings(run, scope)
                if mine and not condition(run, scope):
                    return False
            except NO_VALUE:
                return False
        return True

    def move(self, state: State) -> None:
        """Goes on from another state, in which all hold."""
        self._start = state
        if self._learnt is not None and not self._learnt.move(state):
            self._learnt = None

    def holds(self, state: State) -> bool:
        """Whether all invariants hold; only rows that a change could have put at odds are looked at."""
        return not self._standing.broken(state)


@dataclass(frozen=True, slots=True)
class _Made:
    """What all guards of one domain share."""

    domain: Domain
    machine: Reference
    quick: tuple[tuple[str, Step, Code], ...]


_known: list[_Made] = []


def _made(domain: Domain) -> _Made:
    """What guards of the domain share; that of the domain asked about last is kept."""
    if not _known or _known[0].domain is not domain:
        strict = replace(domain, invariants=(*domain.invariants, *domain.at_start), at_start=())
        machine = Reference(strict)
        found = [(one, _narrowed(one.condition)) for one in strict.invariants]
        quick = [
            (narrowed[0], machine.statements.body(one.bindings), machine.expressions.code(narrowed[1]))
            for one, narrowed in found
            if narrowed is not None
        ]
        _known[:] = [_Made(domain, machine, tuple(quick))]
    return _known[0]


def _narrowed(condition: n.Node) -> tuple[str, n.Node] | None:
    """The entity that the outermost `all` goes through, and the condition with given rows instead."""
    if not isinstance(condition, n.Call) or condition.name != "all" or not isinstance(condition.args[0], n.Comprehension):
        return None
    inner = condition.args[0]
    first = inner.clauses[0]
    if not isinstance(first.source, n.Rows):
        return None
    given = n.Local(where=first.source.where, type=first.source.type, name=ROWS)
    clauses = (replace(first, source=given), *inner.clauses[1:])
    return first.source.entity, replace(condition, args=(replace(inner, clauses=clauses),))
