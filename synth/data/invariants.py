"""Checks that made rows keep the invariants of their seed."""

from dataclasses import dataclass
from typing import Any

from synth.lang import nodes as n
from synth.lang.domain import Domain, Invariant
from synth.reference.evaluate import Expressions
from synth.reference.run import Run, Scope
from synth.reference.state import Ref
from synth.reference.statements import Statements

MOST_STEPS = 10**12
NAMED = 5
"""How many rows a sentence names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """An invariant that does not hold, and the rows for which it does not, where it speaks of single rows."""

    invariant: Invariant
    rows: tuple[Ref, ...]

    def __str__(self) -> str:
        named = ", ".join(row.key for row in self.rows[:NAMED]) + (f" and {len(self.rows) - NAMED} more" if len(self.rows) > NAMED else "")
        return (
            f"{self.invariant.where}: invariants.{self.invariant.name}: expected rows for which it holds that {self.invariant.doc!r}, "
            f"got {named or 'rows for which it does not'}. Change the data of the seed, or the invariant."
        )


def broken(domain: Domain, statements: Statements, run: Run) -> tuple[Break, ...]:
    """The invariants that do not hold in this state, in the order of the seed."""
    found, expressions = [], statements.expressions
    for invariant in (*domain.invariants, *domain.at_start):
        run.steps = MOST_STEPS
        scope: Scope = {}
        statements.body(invariant.bindings)(run, scope)
        if not expressions.code(invariant.condition)(run, scope):
            found.append(Break(invariant=invariant, rows=_culprits(invariant.condition, expressions, run, scope)))
    return tuple(found)


def _culprits(condition: n.Node, expressions: Expressions, run: Run, scope: Scope) -> tuple[Ref, ...]:
    """The rows that fail a condition of the form `all(… for row in rows)`, or that a false `not any(…)` finds."""
    wanted: Any = False
    if isinstance(condition, n.Logic) and condition.op == "and":
        parts = (_culprits(one, expressions, run, scope) for one in condition.operands if not expressions.code(one)(run, scope))
        return tuple(dict.fromkeys(row for part in parts for row in part))
    if isinstance(condition, n.Unary) and condition.op == "not":
        condition, wanted = condition.operand, True
    if not isinstance(condition, n.Call) or condition.name not in ("all", "any") or not isinstance(condition.args[0], n.Comprehension):
        return ()
    inner = condition.args[0]
    clause = inner.clauses[0]
    if len(inner.clauses) > 1 or len(clause.targets) > 1:
        return ()
    return tuple(_failing(inner, expressions, run, scope, wanted))


def _failing(inner: n.Comprehension, expressions: Expressions, run: Run, scope: Scope, wanted: Any) -> list[Ref]:
    clause = inner.clauses[0]
    element, conditions = expressions.code(inner.element), [expressions.code(one) for one in clause.conditions]
    found = []
    for row in expressions.code(clause.source)(run, scope):
        local = {**scope, clause.targets[0]: row}
        if isinstance(row, Ref) and all(one(run, local) for one in conditions) and bool(element(run, local)) is wanted:
            found.append(row)
    return found
