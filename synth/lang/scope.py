"""What is known at one place of a block: local names, and which values cannot be None there."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

from synth.lang.nodes import Attr, Call, Compare, Const, Given, Index, Local, Logic, Node, Single, Unary
from synth.lang.types import Type

Path = tuple[str, ...]
"""A value that facts can be kept about: a local name or given one, and fields read from it."""


class Fact(NamedTuple):
    """One thing known: `some` (not None), `given` (was sent), `isa` or `not` (of `entity`), `gone` (deleted), `nonzero`, `positive`."""

    kind: str
    path: Path
    entity: str = ""


Facts = frozenset[Fact]


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """One local name.

    Attributes:
        words: For text that is one of a few literals: these.
        value: For a binding: the expression bound.
        unset: A parameter that may not have been sent.
        positive: A parameter that its field keeps above zero.
        loop: A variable of a loop, comprehension or lambda.
    """

    type: Type
    words: frozenset[str] = frozenset()
    value: Node | None = None
    unset: bool = False
    parameter: bool = False
    positive: bool = False
    loop: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Local names and facts; a changed scope is a new one."""

    names: dict[str, Name]
    facts: Facts = frozenset()

    def adding(self, name: str, known: Name) -> "Scope":
        """This scope with one more name (or a name bound anew)."""
        return replace(self, names={**self.names, name: known}, facts=_forget(self.facts, name))

    def assuming(self, facts: Iterable[Fact]) -> "Scope":
        """This scope with more facts."""
        return replace(self, facts=self.facts | frozenset(facts))

    def forgetting(self, fields: Iterable[str]) -> "Scope":
        """This scope without facts that pass through one of these fields, since they may have been written."""
        gone = set(fields)
        return replace(self, facts=frozenset(one for one in self.facts if gone.isdisjoint(one.path[1:])))

    def forgetting_all(self) -> "Scope":
        """This scope without any fact about fields of rows."""
        return replace(self, facts=frozenset(one for one in self.facts if len(one.path) == 1))


def _forget(facts: Facts, name: str) -> Facts:
    return frozenset(one for one in facts if one.path[0] != name)


def path(node: Node) -> Path | None:
    """The path of an expression, or None when facts cannot be kept about it."""
    if isinstance(node, Local | Given):
        return (node.name,)
    if isinstance(node, Single):
        return (node.entity.lower(),)
    if isinstance(node, Attr):
        base = path(node.base)
        return (*base, node.name) if base is not None else None
    if isinstance(node, Index) and isinstance(node.index, Const):
        base = path(node.base)
        return (*base, f"[{node.index.value!r}]") if base is not None else None
    return None


def amount(node: Node) -> Path | None:
    """The path of a number, or of the length or total of a list."""
    if isinstance(node, Call) and node.name in ("len", "count", "sum") and node.args:
        inner = path(node.args[0])
        return (inner[0], f"{node.name}()", *inner[1:]) if inner is not None else None
    return path(node)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Facts that follow when a condition holds, and when it does not."""

    true: Facts = frozenset()
    false: Facts = frozenset()


def outcome(node: Node) -> Outcome:
    """What follows from a condition."""
    if isinstance(node, Unary) and node.op == "not":
        inner = outcome(node.operand)
        return Outcome(inner.false, inner.true)
    if isinstance(node, Logic):
        return _logic(node)
    if isinstance(node, Compare):
        return _compare(node)
    if isinstance(node, Call) and node.name in ("given", "isa") and node.args:
        return _asked(node)
    return Outcome()


def _logic(node: Logic) -> Outcome:
    parts = [outcome(one) for one in node.operands]
    trues, falses = [one.true for one in parts], [one.false for one in parts]
    if node.op == "and":
        return Outcome(frozenset().union(*trues), frozenset.intersection(*falses))
    return Outcome(frozenset.intersection(*trues), frozenset().union(*falses))


def _compare(node: Compare) -> Outcome:
    true: set[Fact] = set()
    false: set[Fact] = set()
    left = node.left
    for op, right in node.rest:
        if op in ("is", "is not", "==", "!="):
            differ, same = _equal(left, right)
            (true if op in ("is not", "!=") else false).update(differ)
            (true if op in ("is", "==") else false).update(same)
        _zero(op, left, right, true, false)
        if op == "in" and right.type.item is not None and not right.type.item.optional:
            true.update(_some(left))
        left = right
    return Outcome(frozenset(true), frozenset(false) if len(node.rest) == 1 else frozenset())


_MIRROR = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!="}


def _zero(op: str, left: Node, right: Node, true: set[Fact], false: set[Fact]) -> None:
    """Note numbers that cannot be zero when a comparison with a literal holds, or does not."""
    if isinstance(left, Const) and op in _MIRROR:
        left, right, op = right, left, _MIRROR[op]
    where = amount(left)
    value = right.value if isinstance(right, Const) else None
    if where is None or value is None or isinstance(value, str):
        return
    if (op == ">" and value >= 0) or (op == ">=" and value > 0) or (op == "!=" and value == 0) or (op == "==" and value != 0):
        true.add(Fact("nonzero", where))
    if (op == ">" and value >= 0) or (op == ">=" and value > 0) or (op == "==" and value > 0):
        true.add(Fact("positive", where))
    if (op == "<=" and value >= 0) or (op == "<" and value > 0):
        false.add(Fact("positive", where))
    if (op == "==" and value == 0) or (op == "<=" and value >= 0) or (op == "<" and value > 0):
        false.add(Fact("nonzero", where))


def _equal(left: Node, right: Node) -> tuple[set[Fact], set[Fact]]:
    """Facts when two values differ, and when they are equal."""
    for one, other in ((left, right), (right, left)):
        if isinstance(other, Const) and other.value is None:
            return _some(one), set()
    same = set() if right.type.optional else _some(left)
    return set(), same if left.type.optional else same | _some(right)


def _some(node: Node) -> set[Fact]:
    where = path(node)
    return {Fact("some", where)} if where is not None else set()


def _asked(node: Call) -> Outcome:
    where = path(node.args[0])
    if where is None:
        return Outcome()
    if node.name == "given":
        return Outcome(frozenset({Fact("given", where)}))
    kinds = node.args[1].type.entities
    if not kinds:
        return Outcome()
    return Outcome(frozenset({Fact("isa", where, kinds[0])}), frozenset({Fact("not", where, kinds[0])}))
