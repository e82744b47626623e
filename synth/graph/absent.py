"""References that a result never holds: a tool that leaves them empty gives no id by them, so that no edge starts there."""

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from synth.lang import nodes as n
from synth.lang.domain import Domain, Entity, Tool
from synth.lang.types import Type


class Known(NamedTuple):
    """What is known of a value: that it is None, that it is not, or which constant it is."""

    what: Literal["none", "some", "constant"]
    value: object = None


NONE, SOME = Known("none"), Known("some")
Facts = dict[str, Known]
"""What is known of the fields of one row."""


def always_empty(domain: Domain, tool: Tool, entity: str, name: str) -> bool:
    """Whether a reference is empty in every row of an entity that a tool gives.

    It is where the tool has just made the row without it or emptied it, or where an invariant says so of a row as the tool leaves it.
    """
    field = domain.entity(entity).field(name)
    if field.role != "reference" or not field.type.optional or tool.search is not None or tool.kind == "get":
        return False
    ends = [one for one in tool.body if isinstance(one, n.Return)]
    given = _given(ends[-1].value, entity) if ends else None
    if not given:
        return False
    walk = _Walk(domain)
    walk.body(tool.body)
    return all(_excluded(domain, domain.entity(entity), name, walk.facts_of(one)) for one in given)


def _given(value: n.Node, entity: str) -> list[n.Node] | None:
    """The expressions that give rows of an entity; None if they cannot be told one by one."""
    if entity not in _entities(value.type):
        return []
    if value.type.kind == "row":
        return [value]
    if not isinstance(value, n.Record):
        return None
    found: list[n.Node] = []
    for _, one in value.entries:
        inner = _given(one, entity)
        if inner is None:
            return None
        found += inner
    return found


def _entities(of: Type) -> set[str]:
    return set(of.entities).union(*(_entities(one) for one in (*((of.item,) if of.item else ()), *(inner for _, inner in of.fields))))


class _Walk:
    """Goes through a body and keeps what is known of the rows that names stand for."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._facts: dict[str, Facts] = {}

    def body(self, statements: Iterable[n.Statement]) -> None:
        """Takes the statements in order; of branches and loops only what they may change counts."""
        for one in statements:
            match one:
                case n.Bind(name=name, value=n.Create() as made):
                    self._facts[name] = self._made(made)
                case n.Assign(target=n.Attr(base=n.Local(name=row), name=field, access="field"), op="=", value=value):
                    self._assign(row, field, _known(value))
                case _:
                    self._forget(_written(self._domain, (one,)))

    def _assign(self, row: str, field: str, known: Known | None) -> None:
        """Two names may stand for one row: of others only what agrees stays known."""
        for name, facts in self._facts.items():
            if name != row and facts.get(field) != known:
                facts.pop(field, None)
        held = self._facts.setdefault(row, {})
        if known is None:
            held.pop(field, None)
        else:
            held[field] = known

    def _forget(self, fields: set[str]) -> None:
        for facts in self._facts.values():
            for name in fields & facts.keys():
                del facts[name]

    def facts_of(self, value: n.Node) -> Facts:
        """What is known of a row when the tool ends."""
        if isinstance(value, n.Create):
            return self._made(value)
        return self._facts.get(value.name, {}) if isinstance(value, n.Local) else {}

    def _made(self, value: n.Create) -> Facts:
        facts: Facts = {}
        given = dict(value.values)
        for one in self._domain.entity(value.entity).fields:
            source = given[one.name] if one.name in given else one.start or one.computed
            known = _known(source) if source is not None else _unnamed(one.type, one.lifecycle.states[0] if one.lifecycle is not None else None)
            if known is not None:
                facts[one.name] = known
        return facts


def _unnamed(of: Type, first: str | None) -> Known | None:
    """The value that a field has when nobody names it."""
    if first is not None:
        return Known("constant", first)
    return NONE if of.optional else None


def _known(value: n.Node) -> Known | None:
    if isinstance(value, n.Const):
        return NONE if value.value is None else Known("constant", value.value)
    return None if value.type.optional or value.type.kind == "none" else SOME


def _written(domain: Domain, statements: Iterable[n.Statement]) -> set[str]:
    """Names of fields that statements, and the functions they call, may write."""
    found: set[str] = set()
    for one in statements:
        match one:
            case n.Assign():
                found.add(one.target.name if one.target.access != "struct" else getattr(one.target.base, "name", one.target.name))
            case n.Patch():
                found.update(name for name, _ in one.values)
            case n.If():
                found |= set().union(*(_written(domain, inner) for _, inner in one.branches))
            case n.For():
                found |= _written(domain, one.body)
            case n.Do(value=n.Apply() as call) | n.Bind(value=n.Apply() as call) | n.Return(value=n.Apply() as call):
                found |= _written(domain, domain.function(call.function).body)
    return found


def _excluded(domain: Domain, entity: Entity, name: str, facts: Facts) -> bool:
    """Whether the reference is None, or an invariant would be broken if it were not."""
    held = facts.get(name)
    if held is not None:
        return held == NONE
    supposed = {**facts, name: SOME}
    return any(_holds(condition, target, supposed) is False for target, condition in _row_conditions(domain, entity))


def _row_conditions(domain: Domain, entity: Entity) -> Iterator[tuple[str, n.Node]]:
    """What invariants of the form `all(… for row in Entity)` say of each row; the name of the row in them."""
    for one in domain.invariants if not entity.archive else ():
        node = one.condition
        if one.bindings or not (isinstance(node, n.Call) and node.name == "all" and isinstance(node.args[0], n.Comprehension)):
            continue
        clauses = node.args[0].clauses
        source = clauses[0].source
        if len(clauses) == 1 and isinstance(source, n.Rows) and source.entity == entity.name and len(clauses[0].targets) == 1:
            unless = (n.Unary(where=node.where, type=node.type, op="not", operand=other) for other in clauses[0].conditions)
            yield clauses[0].targets[0], n.Logic(where=node.where, type=node.type, op="or", operands=(*unless, node.args[0].element))


def _holds(node: n.Node, target: str, facts: Facts) -> bool | None:
    """Whether a condition on a row holds as far as it is known; None if that cannot be told."""
    match node:
        case n.Const() if isinstance(node.value, bool):
            return node.value
        case n.Unary(op="not"):
            held = _holds(node.operand, target, facts)
            return None if held is None else not held
        case n.Logic():
            return _joined([_holds(one, target, facts) for one in node.operands], neutral=node.op == "and")
        case n.Choice():
            chosen = _holds(node.condition, target, facts)
            sides = [_holds(one, target, facts) for one in (node.then, node.otherwise)]
            return sides[0] if chosen or sides[0] is sides[1] else sides[1] if chosen is False else None
        case n.Compare() if len(node.rest) == 1:
            return _compared(node, target, facts)
        case _:
            return None


def _joined(found: list[bool | None], *, neutral: bool) -> bool | None:
    if any(one is (not neutral) for one in found):
        return not neutral
    return None if None in found else neutral


def _compared(node: n.Compare, target: str, facts: Facts) -> bool | None:
    op, right = node.rest[0]
    if node.left.type.kind == "bool" and right.type.kind == "bool" and op in ("==", "!="):
        sides = [_holds(one, target, facts) for one in (node.left, right)]
        return None if None in sides else (sides[0] is sides[1]) == (op == "==")
    left = _value(node.left, target, facts)
    if op in ("==", "is", "!=", "is not"):
        same = _same(left, _value(right, target, facts))
        return None if same is None else same == (op in ("==", "is"))
    if op in ("in", "not in") and isinstance(right, n.Display):
        found = _joined([_same(left, _value(one, target, facts)) for one in right.items], neutral=False)
        return None if found is None else found == (op == "in")
    return None


def _value(node: n.Node, target: str, facts: Facts) -> Known | None:
    if isinstance(node, n.Const):
        return _known(node)
    if isinstance(node, n.Attr) and node.access == "field" and isinstance(node.base, n.Local) and node.base.name == target:
        return facts.get(node.name)
    return None


def _same(one: Known | None, other: Known | None) -> bool | None:
    """Whether two values are equal, as far as it is known."""
    if one is None or other is None:
        return None
    if NONE in (one, other):
        return one == other
    return None if SOME in (one, other) else one.value == other.value
