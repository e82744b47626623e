"""Whether a divisor can be zero, or a step go nowhere."""

from collections.abc import Callable

from synth.lang.checker import Checker
from synth.lang.nodes import Attr, Binary, Call, Const, Given, Local, Node, Unary
from synth.lang.scope import Fact, amount

_SPANS = ("days", "hours", "minutes")


def never_zero(checker: Checker, node: Node) -> bool:
    """Whether an expression is known not to be zero: by what it is, by its limits, or by a test that was made."""
    if isinstance(node, Const):
        return node.value != 0
    if _tested(checker, node, "nonzero") or _declared(checker, node, never_zero):
        return True
    if isinstance(node, Unary) and node.op == "-":
        return never_zero(checker, node.operand)
    if isinstance(node, Binary) and node.op in ("*", "/"):
        return never_zero(checker, node.left) and never_zero(checker, node.right)
    if isinstance(node, Call) and node.name in (*_SPANS, "abs"):
        return never_zero(checker, node.args[0])
    if isinstance(node, Call) and node.name == "max" and len(node.args) > 1:
        return any(isinstance(one, Const) and above_zero(checker, one) for one in node.args)
    return False


def above_zero(checker: Checker, node: Node) -> bool:
    """Whether an expression is known to be greater than zero."""
    if isinstance(node, Const):
        return not isinstance(node.value, str | None) and node.value > 0
    if _tested(checker, node, "positive") or _declared(checker, node, above_zero):
        return True
    if isinstance(node, Binary) and node.op in ("*", "/", "+"):
        return above_zero(checker, node.left) and above_zero(checker, node.right)
    return isinstance(node, Call) and node.name in _SPANS and above_zero(checker, node.args[0])


def _tested(checker: Checker, node: Node, fact: str) -> bool:
    where = amount(node)
    return where is not None and Fact(fact, where) in checker.scope.facts


def _declared(checker: Checker, node: Node, known: Callable[[Checker, Node], bool]) -> bool:
    """Whether the constant, the value bound, or the limits of the field that the node names say so."""
    if isinstance(node, Given):
        constant = checker.names.constants.get(node.name)
        return constant is not None and known(checker, constant.value)
    if isinstance(node, Local):
        name = checker.scope.names.get(node.name)
        return name is not None and (name.positive or (name.value is not None and known(checker, name.value)))
    if isinstance(node, Attr):
        entities = node.base.type.entities
        return bool(entities) and all((one, node.name) in checker.names.positive for one in entities)
    return False
