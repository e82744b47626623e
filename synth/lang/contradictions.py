"""Finds rules of one tool that cannot hold together, and moves of a lifecycle that its rules make impossible."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from synth.lang.names import Names
from synth.lang.nodes import Apply, Assign, Attr, Bind, Compare, Const, Display, Do, Given, Local, Logic, Node, Rows, Rule, Single, Statement, Where
from synth.lang.problems import Report
from synth.lang.rules import is_unknown
from synth.lang.walk import nodes, shape, substitute

Value = str | int | bool | Fraction | None
_APART: dict[str, tuple[str, ...]] = {
    "<": (">", ">=", "=="),
    ">": ("<", "<=", "=="),
    "<=": (">",),
    ">=": ("<",),
    "==": ("!=", "<", ">"),
    "!=": ("==",),
    "is": ("is not",),
    "is not": ("is",),
    "in": ("not in",),
    "not in": ("in",),
}
_MIRROR = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}


@dataclass(slots=True)
class _Known:
    """What the rules so far say about one value."""

    words: frozenset[Value] | None = None
    low: tuple[Fraction, bool] | None = None
    high: tuple[Fraction, bool] | None = None
    rules: list[Where] = field(default_factory=list)


@dataclass(slots=True)
class _Rules:
    """All that the rules so far say."""

    names: Names
    report: Report
    about: str
    values: dict[object, _Known] = field(default_factory=dict)
    pairs: dict[tuple[object, object], list[tuple[str, Where]]] = field(default_factory=dict)


def check_rules(names: Names, report: Report, field_name: str, body: tuple[Statement, ...]) -> None:
    """Report rules that exclude one another, rules that test nothing, and moves that no state allows."""
    known = _Rules(names=names, report=report, about=field_name)
    written: set[object] = set()
    for one in with_called_rules(names, body):
        if isinstance(one, Rule):
            _constant(known, one)
            if one.enforced:
                for part in _parts(one.condition):
                    _compare(known, part, one.where)
        elif isinstance(one, Assign):
            place = shape(one.target)
            if place not in written:
                _move(known, one)
            written.add(place)
        for inner in nodes(one):
            if isinstance(inner, Assign) and inner is not one:
                written.add(shape(inner.target))
                _any_move(known, inner)


def with_called_rules(names: Names, body: tuple[Statement, ...]) -> Iterator[Statement]:
    """The statements of a body, each call of a function with rules followed by these rules over the caller's names."""
    for one in body:
        yield one
        call = one.value if isinstance(one, Do | Bind) else None
        if isinstance(call, Apply) and call.function in names.ruled and call.function in names.functions:
            function = names.functions[call.function]
            values: dict[str, Node] = {parameter.name: arg for parameter, arg in zip(function.params, call.args, strict=True)}
            for inner in function.body:
                if isinstance(inner, Bind):
                    values[inner.name] = substitute(inner.value, values)
                elif isinstance(inner, Rule):
                    yield substitute(inner, values)


def _constant(known: _Rules, rule: Rule) -> None:
    if any(isinstance(one, Node) and is_unknown(one.type) for one in nodes(rule.condition)):
        return
    if not any(isinstance(one, Local | Given | Rows | Single) for one in nodes(rule.condition)):
        fix = "Test a parameter or a row"
        known.report.add(
            rule.where, known.about, expected="a condition that depends on something", got="a constant one", fix=fix, code="CONSTANT_CONDITION"
        )


def _parts(node: Node) -> Iterator[Compare]:
    """Comparisons that must all hold."""
    if isinstance(node, Compare):
        left = node.left
        for op, right in node.rest:
            yield Compare(where=node.where, type=node.type, left=left, rest=((op, right),))
            left = right
    elif isinstance(node, Logic) and node.op == "and":
        for one in node.operands:
            yield from _parts(one)


def _compare(known: _Rules, node: Compare, where: Where) -> None:
    op, right = node.rest[0]
    left = node.left
    if isinstance(left, Const) and op in _MIRROR:
        left, right, op = right, left, _MIRROR[op]  # type: ignore[assignment]
    one, other = shape(left), shape(right)
    for before, place in known.pairs.get((one, other), ()):
        if before in _APART[op]:
            _conflict(known, where, place)
            return
    known.pairs.setdefault((one, other), []).append((op, where))
    if op in _MIRROR:
        known.pairs.setdefault((other, one), []).append((_MIRROR[op], where))
    about = known.values.setdefault(one, _Known())
    if not _narrow(about, op, right):
        _conflict(known, where, about.rules[0] if about.rules else where)
    about.rules.append(where)


def _conflict(known: _Rules, where: Where, other: Where) -> None:
    got = f"one that excludes the rule on line {other.line}"
    known.report.add(
        where, known.about, expected="a rule that can hold together with the others", got=got, fix="Correct one of the two", code="CONTRADICTION"
    )


def _words(node: Node) -> frozenset[Value] | None:
    if isinstance(node, Const) and node.value is not None:
        return frozenset({node.value})
    if isinstance(node, Display) and node.items and all(isinstance(one, Const) for one in node.items):
        return frozenset(one.value for one in node.items if isinstance(one, Const))
    return None


def _narrow(about: _Known, op: str, right: Node) -> bool:
    """Whether something is left of what a value may be."""
    words = _words(right)
    if words is None:
        return True
    if op in ("==", "in"):
        about.words = words if about.words is None else about.words & words
        return bool(about.words)
    if op in ("!=", "not in") and about.words is not None:
        about.words -= words
        return bool(about.words)
    number = next(iter(words))
    if isinstance(number, int | Fraction) and not isinstance(number, bool) and op in ("<", "<=", ">", ">="):
        return _between(about, op, Fraction(number))
    return True


def _between(about: _Known, op: str, number: Fraction) -> bool:
    strict = op in ("<", ">")
    if op in (">", ">=") and (about.low is None or (number, strict) > about.low):
        about.low = (number, strict)
    if op in ("<", "<=") and (about.high is None or (number, not strict) < about.high):
        about.high = (number, not strict)
    if about.low is None or about.high is None:
        return True
    open_end = about.low[1] or not about.high[1]
    return about.low[0] < about.high[0] or (about.low[0] == about.high[0] and not open_end)


def _moves(known: _Rules, node: Assign) -> tuple[tuple[str, str], ...] | None:
    """The declared moves of the lifecycle that is assigned to, if it is one."""
    if node.op != "=" or not isinstance(node.target, Attr) or not isinstance(node.value, Const) or node.target.base.type.kind != "row":
        return None
    found = known.names.field(node.target.base.type.entities[0], node.target.name)
    if found is None or found.lifecycle is None or node.value.value not in found.lifecycle.states:
        return None
    return found.lifecycle.moves


def _any_move(known: _Rules, node: Assign) -> None:
    moves = _moves(known, node)
    if moves is None or not isinstance(node.value, Const):
        return
    if all(to != node.value.value for _, to in moves):
        fix = f"Declare a move to {node.value.value} in the lifecycle, or create the row in this state"
        known.report.add(
            node.where, known.about, expected="a state that some state may move to", got=repr(node.value.value), fix=fix, code="WRONG_MOVE"
        )


def _move(known: _Rules, node: Assign) -> None:
    """Report a move that is not declared from any state that the rules leave."""
    moves = _moves(known, node)
    about = known.values.get(shape(node.target))
    if moves is None or about is None or about.words is None or not isinstance(node.value, Const):
        _any_move(known, node)
        return
    to = node.value.value
    if not any((one, to) in moves or one == to for one in about.words):
        states = " or ".join(sorted(str(one) for one in about.words))
        fix = f"Declare the move {states} to {to} in the lifecycle, or correct the rule on line {about.rules[0].line}"
        known.report.add(node.where, known.about, expected=f"a move that {states} allows", got=repr(to), fix=fix, code="WRONG_MOVE")
