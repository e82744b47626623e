"""Whether a divisor can be zero, or a step go nowhere."""

from synth.lang.checker import Checker
from synth.lang.nodes import Attr, Binary, Call, Const, Given, Local, Node, Unary
from synth.lang.scope import Fact, amount


def never_zero(checker: Checker, node: Node) -> bool:
    """Whether an expression is known not to be zero: by what it is, by its limits, or by a test that was made."""
    if isinstance(node, Const):
        return node.value != 0
    where = amount(node)
    if where is not None and Fact("nonzero", where) in checker.scope.facts:
        return True
    if isinstance(node, Given):
        constant = checker.names.constants.get(node.name)
        return constant is not None and never_zero(checker, constant.value)
    if isinstance(node, Local):
        known = checker.scope.names.get(node.name)
        return known is not None and (known.nonzero or (known.value is not None and never_zero(checker, known.value)))
    if isinstance(node, Attr):
        entities = node.base.type.entities
        return bool(entities) and all((one, node.name) in checker.names.nonzero for one in entities)
    return _compound(checker, node)


def _compound(checker: Checker, node: Node) -> bool:
    if isinstance(node, Unary) and node.op == "-":
        return never_zero(checker, node.operand)
    if isinstance(node, Binary) and node.op in ("*", "/"):
        return never_zero(checker, node.left) and never_zero(checker, node.right)
    if isinstance(node, Call) and node.name in ("days", "hours", "minutes", "abs"):
        return never_zero(checker, node.args[0])
    if isinstance(node, Call) and node.name == "max" and len(node.args) > 1:
        return any(isinstance(one, Const) and not isinstance(one.value, str | None) and one.value > 0 for one in node.args)
    return False


def above_zero(checker: Checker, node: Node) -> bool:
    """Whether an expression is known to be greater than zero."""
    if isinstance(node, Const):
        return not isinstance(node.value, str | None) and node.value > 0
    where = amount(node)
    if where is not None and Fact("positive", where) in checker.scope.facts:
        return True
    if isinstance(node, Given):
        constant = checker.names.constants.get(node.name)
        return constant is not None and above_zero(checker, constant.value)
    if isinstance(node, Local):
        known = checker.scope.names.get(node.name)
        return known is not None and (known.nonzero or (known.value is not None and above_zero(checker, known.value)))
    if isinstance(node, Attr):
        entities = node.base.type.entities
        return bool(entities) and all((one, node.name) in checker.names.nonzero for one in entities)
    if isinstance(node, Binary) and node.op in ("*", "/", "+"):
        return above_zero(checker, node.left) and above_zero(checker, node.right)
    return isinstance(node, Call) and node.name in ("days", "hours", "minutes") and above_zero(checker, node.args[0])
