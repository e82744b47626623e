"""Checks that made rows keep the invariants of their seed."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from synth.lang import nodes as n
from synth.lang.domain import Domain, Invariant
from synth.lang.visit import through
from synth.reference.evaluate import Expressions
from synth.reference.run import Run, Scope
from synth.reference.state import Ref
from synth.reference.statements import Statements
from synth.reference.tables import Tables

MOST_STEPS = 10**12
NAMED = 5
"""How many rows a sentence names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """An invariant that does not hold, and the rows for which it does not, where it speaks of single rows."""

    invariant: Invariant
    rows: tuple[Ref, ...]

    @property
    def named(self) -> str:
        """The first of the rows; empty where there are none."""
        return ", ".join(row.key for row in self.rows[:NAMED]) + (f" and {len(self.rows) - NAMED} more" if len(self.rows) > NAMED else "")

    def __str__(self) -> str:
        return (
            f"{self.invariant.where}: invariants.{self.invariant.name}: expected rows for which it holds that {self.invariant.doc!r}, "
            f"got {self.named or 'rows for which it does not'}. Change the data of the seed, or the invariant."
        )


Failing = Callable[[Run, Scope], tuple[Ref, ...] | None]
"""The rows for which a condition does not hold; None if it holds."""


class Invariants:
    """The invariants of a domain as closures, made once for all looks at a state.

    What one came to is known until a table is written that it may read.
    """

    def __init__(self, domain: Domain, statements: Statements) -> None:
        expressions = statements.expressions
        self._checks = [
            (one, statements.body(one.bindings), _failing(one.condition, expressions), _tables_of(domain, one, expressions.tables))
            for one in (*domain.invariants, *domain.at_start)
        ]
        self._known: dict[int, tuple[tuple[int, ...], tuple[Ref, ...] | None]] = {}

    def broken(self, run: Run) -> tuple[Break, ...]:
        """Those that do not hold in this state, in the order of the seed."""
        found = []
        for number, (invariant, bindings, failing, tables) in enumerate(self._checks):
            versions = tuple(map(run.state.version, tables))
            known = self._known.get(number)
            if known is None or known[0] != versions:
                run.steps = MOST_STEPS
                scope: Scope = {}
                bindings(run, scope)
                known = self._known[number] = versions, failing(run, scope)
            if known[1] is not None:
                found.append(Break(invariant=invariant, rows=known[1]))
        return tuple(found)


def _tables_of(domain: Domain, invariant: Invariant, tables: Tables) -> tuple[str, ...]:
    """All tables that it may read: those of the entities that its expressions speak of, of their links, and what computed fields of these read."""
    found: set[str] = set()
    pending = [*_entities(domain, (invariant.bindings, invariant.condition))]
    while pending:
        name = pending.pop()
        if name in found:
            continue
        found.add(name)
        for field in domain.entity(name).fields:
            pending += _entities(domain, (field.computed, field.always))
    links = [link.table for (owner, _), link in tables.links.items() if owner in found or link.target in found]
    return (*sorted(found), *sorted(links))


def _entities(domain: Domain, body: Any) -> Iterator[str]:
    """The entities of whose rows the expressions speak."""
    for node in through(domain, body):
        if isinstance(node, n.Rows):
            yield node.entity
        pending = [node.type]
        while pending:
            kind = pending.pop()
            yield from kind.entities
            pending += [one for one in (kind.item, *(one for _, one in kind.fields)) if one is not None]
    if domain.actor:
        yield domain.actor


def broken(domain: Domain, statements: Statements, run: Run) -> tuple[Break, ...]:
    """The invariants that do not hold in this state, in the order of the seed."""
    return Invariants(domain, statements).broken(run)


def _failing(condition: n.Node, expressions: Expressions) -> Failing:
    """Names rows where the condition has the form `all(… for row in rows)` or `not any(…)`, or is made of such by `and`."""
    if isinstance(condition, n.Logic) and condition.op == "and":
        return _any_failing([_failing(one, expressions) for one in condition.operands])
    form, wanted = condition, False
    if isinstance(condition, n.Unary) and condition.op == "not":
        form, wanted = condition.operand, True
    holds, rows = expressions.code(condition), _failing_rows(form, expressions, wanted=wanted)
    if rows is None:
        return lambda run, scope: None if holds(run, scope) else ()
    if isinstance(form, n.Call) and form.name == ("any" if wanted else "all") and not _may_lack_rows(form):
        return lambda run, scope: rows(run, scope) or None
    return lambda run, scope: None if holds(run, scope) else rows(run, scope)


def _may_lack_rows(form: n.Call) -> bool:
    """Whether None may be among what is looked at, which no row can be named for."""
    inner = form.args[0]
    item = inner.clauses[0].source.type.item if isinstance(inner, n.Comprehension) else None
    return item is None or item.optional


def _any_failing(parts: list[Failing]) -> Failing:
    def failing(run: Run, scope: Scope) -> tuple[Ref, ...] | None:
        found = [rows for rows in (part(run, scope) for part in parts) if rows is not None]
        return tuple(dict.fromkeys(row for rows in found for row in rows)) if found else None

    return failing


def _failing_rows(form: n.Node, expressions: Expressions, *, wanted: bool) -> Callable[[Run, Scope], tuple[Ref, ...]] | None:
    """The rows of `all(… for row in rows)` or `any(…)` for which what is said of each is as is wanted; None for another form."""
    if not isinstance(form, n.Call) or form.name not in ("all", "any") or not isinstance(form.args[0], n.Comprehension):
        return None
    inner = form.args[0]
    clause, item = inner.clauses[0], inner.clauses[0].source.type.item
    if len(inner.clauses) > 1 or len(clause.targets) > 1 or item is None or item.kind != "row":
        return None
    source, target = expressions.code(clause.source), clause.targets[0]
    element, conditions = expressions.code(inner.element), [expressions.code(one) for one in clause.conditions]

    def failing(run: Run, scope: Scope) -> tuple[Ref, ...]:
        found, local = [], dict(scope)
        for row in source(run, scope):
            local[target] = row
            for condition in conditions:
                if not condition(run, local):
                    break
            else:
                if bool(element(run, local)) is wanted and row is not None:
                    found.append(row)
        return tuple(found)

    return failing
