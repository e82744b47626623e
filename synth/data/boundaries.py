"""Finds where the rules of a seed change their mind: values of fields at which a comparison with a constant turns."""

import datetime as dt
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from synth.lang import nodes as n
from synth.lang.domain import Domain, Field, Tool
from synth.lang.visit import inside
from synth.reference.evaluate import Expressions
from synth.reference.run import Fault, Run

ORDER = ("<", "<=", ">", ">=", "==", "!=")
Turn = Callable[[Any], Any]
Turning = tuple[str, Field, Any, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Boundary:
    """A value at which a rule turns.

    Attributes:
        value: In computed form.
        plus: Another field of the row, whose value counts too (of `amount - paid <= 100`, `amount` turns at 100 plus `paid`).
        less: The other way round: `paid` turns at `amount` less 100.
        states: What other rules of the same tool ask of the same row: field, and the words of which it must have one.
    """

    entity: str
    field: str
    value: Any
    plus: str
    less: bool
    states: tuple[tuple[str, tuple[str, ...]], ...]

    def turning(self, value: Any, other: Any) -> Any:
        """Where the field turns in a row whose other field has this value."""
        return other - value if self.less else value + other

    def swapped(self) -> "Boundary":
        """The same boundary of a difference, met by its other field."""
        return replace(self, field=self.plus, plus=self.field, less=not self.less)


def boundaries(domain: Domain, expressions: Expressions, run: Run) -> tuple[Boundary, ...]:
    """All boundaries, in the order of the seed, each once."""
    found: dict[tuple[str, str, Any, str], Boundary] = {}
    for body, states in (*((tool.body, _states(tool)) for tool in domain.tools), *((function.body, {}) for function in domain.functions)):
        for compare in (node for node in inside(body) if isinstance(node, n.Compare)):
            for entity, field, value, plus in _turning(domain, compare, expressions, run):
                wanted = tuple(sorted(states.get(entity, {}).items()))
                name, other, less = _later(domain, entity, field.name, plus)
                one = Boundary(entity=entity, field=name, value=value, plus=other, less=less, states=wanted)
                found.setdefault((entity, name, value, other), one)
    return tuple(found.values())


def _later(domain: Domain, entity: str, field: str, plus: str) -> tuple[str, str, bool]:
    """The one of two fields that the maker binds last, on which no other depends; then the other; and whether they changed places."""
    maker = next((one for one in domain.makers if one.entity == entity), None)
    order = [one.name for one in maker.body if isinstance(one, n.Bind)] if maker is not None else []
    if field in order and plus in order and order.index(plus) > order.index(field):
        return plus, field, True
    return field, plus, False


def _states(tool: Tool) -> dict[str, dict[str, tuple[str, ...]]]:
    """By entity and field, the words that enforced rules of a tool ask for."""
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for rule in (one for one in tool.body if isinstance(one, n.Rule) and one.enforced):
        parts = rule.condition.operands if isinstance(rule.condition, n.Logic) and rule.condition.op == "and" else (rule.condition,)
        for part in parts:
            if isinstance(part, n.Compare) and len(part.rest) == 1 and isinstance(part.left, n.Attr) and len(part.left.base.type.entities) == 1:
                words = _words(*part.rest[0])
                if words:
                    found.setdefault(part.left.base.type.entities[0], {})[part.left.name] = words
    return found


def _words(op: str, side: n.Node) -> tuple[str, ...]:
    """The words that `== 'word'` or `in ('word', …)` allows."""
    options = side.items if op == "in" and isinstance(side, n.Display) else (side,) if op == "==" else ()
    words = tuple(one.value for one in options if isinstance(one, n.Const) and isinstance(one.value, str))
    return words if len(words) == len(options) else ()


def _turning(domain: Domain, compare: n.Compare, expressions: Expressions, run: Run) -> Iterator[Turning]:
    left = compare.left
    for op, right in compare.rest:
        if op in ORDER:
            for subject, other in ((left, right), (right, left)):
                yield from _turn(domain, subject, other, expressions, run)
        left = right


def _turn(domain: Domain, subject: n.Node, other: n.Node, expressions: Expressions, run: Run) -> Iterator[Turning]:
    if not _constant(other):
        return
    found = _subject(subject, expressions, run)
    if found is None:
        return
    attr, solve, plus = found
    entities = attr.base.type.entities
    if attr.access != "field" or len(entities) != 1:
        return
    field = domain.entity(entities[0]).field(attr.name)
    if field.role != "value" or field.computed is not None or field.lifecycle is not None or len(field.columns) != 1:
        return
    try:
        value = solve(expressions.code(other)(run, {}))
    except (Fault, ArithmeticError, LookupError, TypeError, AttributeError):
        return
    if isinstance(value, int | Fraction | dt.date | dt.time | dt.timedelta) and not isinstance(value, bool):
        yield entities[0], field, value, plus


def _subject(node: n.Node, expressions: Expressions, run: Run) -> tuple[n.Attr, Turn, str] | None:
    """The field in `field`, `field - k`, `field + k`, `k - field` or `field - other`, what it is when the whole has a given value, and the other."""
    if isinstance(node, n.Attr):
        return (node, lambda whole: whole, "") if not _constant(node) else None
    if not isinstance(node, n.Binary) or node.op not in ("+", "-"):
        return None
    if node.op == "-" and isinstance(node.left, n.Attr) and isinstance(node.right, n.Attr) and _of_one_row(node.left, node.right):
        return node.left, lambda whole: whole, node.right.name
    if isinstance(node.left, n.Attr) and _constant(node.right):
        constant = expressions.code(node.right)
        if node.op == "-":
            return node.left, lambda whole: constant(run, {}) + whole, ""
        return node.left, lambda whole: whole - constant(run, {}), ""
    if isinstance(node.right, n.Attr) and _constant(node.left) and node.op == "-":
        constant = expressions.code(node.left)
        return node.right, lambda whole: constant(run, {}) - whole, ""
    return None


def _same(one: n.Node, other: n.Node) -> bool:
    """Whether two expressions name the same row, wherever they stand."""
    if isinstance(one, n.Local) and isinstance(other, n.Local):
        return one.name == other.name
    return isinstance(one, n.Attr) and isinstance(other, n.Attr) and one.name == other.name and _same(one.base, other.base)


def _of_one_row(one: n.Attr, other: n.Attr) -> bool:
    """Whether both are fields of the same row, the other one a number."""
    return other.access == "field" and other.type.kind in ("integer", "money", "decimal") and _same(one.base, other.base)


def _constant(node: n.Node) -> bool:
    """Whether an expression means the same for every call: it speaks of no parameter, binding or set of rows."""
    for one in inside(node):
        if isinstance(one, n.Local | n.Rows | n.Apply | n.Comprehension | n.Lambda) or (isinstance(one, n.Given) and one.name == "me"):
            return False
    return True
