"""Calls of functions of the language as code."""

from typing import TYPE_CHECKING

from synth.compile.expressions import NOT, NUMBERS, Piece
from synth.compile.finds import question_of
from synth.compile.layout import Code, call, code, listed
from synth.lang import nodes as n
from synth.lang.types import Type

if TYPE_CHECKING:
    from synth.compile.expressions import Expressions

_SAME = ("days", "hours", "minutes", "add_months", "month_start", "month_end", "slots", "overlaps", "within", "day", "matches", "steps")


def builtin_call(printer: "Expressions", node: n.Call) -> Piece:
    """Code of a call of a function of the language."""
    if node.name in _SAME:
        return Piece(call(f"rt.{node.name}", [printer.code(one) for one in node.args]))
    if node.name in _SPECIAL:
        return _SPECIAL[node.name](printer, node)
    raise ValueError(f"{node.where}: {node.name} cannot stand in a tool")


def _length(printer: "Expressions", node: n.Call) -> Piece:
    asked = question_of(printer.domain, node.args[0])
    if asked is not None:
        return Piece(printer.find("count", asked))
    return Piece(call("len", [printer.code(node.args[0])]))


def _sum(printer: "Expressions", node: n.Call) -> Piece:
    name = "rt.total_time" if node.type.kind == "duration" else "rt.total" if node.type.kind in NUMBERS else "sum"
    return Piece(call(name, [printer.generator(node.args[0])]))


def _avg(printer: "Expressions", node: n.Call) -> Piece:
    return Piece(call("rt.mean_time" if node.type.kind == "duration" else "rt.mean", [printer.generator(node.args[0])]))


def _every(printer: "Expressions", node: n.Call) -> Piece:
    return Piece(call(node.name, [printer.generator(node.args[0])]))


def _extreme(printer: "Expressions", node: n.Call) -> Piece:
    if len(node.args) > 1:
        key = _rank_key(printer, node.type)
        return Piece(call(node.name, [*(printer.code(one, node.type) for one in node.args), *([code("key=", key)] if key else [])]))
    name = "rt.least" if node.name == "min" else "rt.greatest"
    key = _key(printer, node)
    values = printer.code(node.args[0]) if key else printer.generator(node.args[0])
    return Piece(call(name, [values, *([code("key=", key)] if key else [])]))


def _first(printer: "Expressions", node: n.Call) -> Piece:
    return Piece(call("rt.first", [printer.generator(node.args[0])]))


def _sorted(printer: "Expressions", node: n.Call) -> Piece:
    key = _key(printer, node)
    reverse = any(name == "reverse" and isinstance(value, n.Const) and value.value for name, value in node.keywords)
    more: list[Code | str] = [code("key=", key)] if key else []
    more += ["reverse=True"] if reverse else []
    return Piece(call("sorted", [printer.code(node.args[0]) if more else printer.generator(node.args[0]), *more]))


def _key(printer: "Expressions", node: n.Call) -> Code | None:
    """The key by which elements are compared; words of an enum compare by their order."""
    given = next((value for name, value in node.keywords if name == "key"), None)
    item = node.args[0].type.item
    if not isinstance(given, n.Lambda):
        return _rank_key(printer, item) if item else None
    before = dict(printer.scope.declared)
    if item is not None:
        printer.scope.declared[given.parameter] = item
    try:
        return code(f"lambda {printer.names.local(given.parameter)}: ", _ranked(printer, given.body))
    finally:
        printer.scope.declared = before


def _ranked(printer: "Expressions", body: n.Node) -> Code:
    if isinstance(body, n.Display):
        closing = ",)" if len(body.items) == 1 else ")"
        return listed("(", [_ranked(printer, one) for one in body.items], closing)
    if body.type.kind == "enum":
        return call(f"{printer.names.enum(body.type.name)}.index", [printer.code(body)])
    return printer.code(body)


def _rank_key(printer: "Expressions", kind: Type) -> Code | None:
    return code(f"{printer.names.enum(kind.name)}.index") if kind.kind == "enum" else None


def _distinct(printer: "Expressions", node: n.Call) -> Piece:
    return Piece(call("rt.distinct", [printer.generator(node.args[0])]))


def _zip(printer: "Expressions", node: n.Call) -> Piece:
    return Piece(call("rt.pairs", [printer.code(one) for one in node.args]))


def _abs(printer: "Expressions", node: n.Call) -> Piece:
    return Piece(call("abs", [printer.code(node.args[0])]))


def _round(printer: "Expressions", node: n.Call) -> Piece:
    if node.type.kind == "integer":
        return Piece(call("round", [printer.code(node.args[0])]))
    return Piece(call("rt.rounded", [printer.code(one) for one in node.args]))


def _isa(printer: "Expressions", node: n.Call) -> Piece:
    kind = node.args[1]
    entity = kind.type.entities[0] if kind.type.entities else ""
    return Piece(call("isinstance", [_wide(printer, node.args[0]), printer.names.entity(entity)]))


def _wide(printer: "Expressions", node: n.Node) -> Code:
    """A row as it is, without a test of its kind."""
    return printer.raw_local(node.name) if isinstance(node, n.Local) and node.name != "row" else printer.code(node)


def _given(printer: "Expressions", node: n.Call) -> Piece:
    name = node.args[0].name if isinstance(node.args[0], n.Local) else ""
    return Piece(code("not ", call("isinstance", [printer.raw_local(name), "rt.Unset"])), NOT)


def _tree(printer: "Expressions", node: n.Call) -> Piece:
    below = n.Attr(where=node.where, type=node.type, base=node.args[0], name="descendants", access="tree")
    return Piece(listed("[", [printer.code(node.args[0]), code("*", printer.code(below))], "]"))


def _lookup(printer: "Expressions", node: n.Call) -> Piece:
    held, key, otherwise = node.args
    return Piece(call("rt.lookup", [printer.code(held), printer.code(key), printer.code(otherwise, node.type)]))


_SPECIAL = {
    "len": _length,
    "count": _length,
    "sum": _sum,
    "avg": _avg,
    "min": _extreme,
    "max": _extreme,
    "any": _every,
    "all": _every,
    "first": _first,
    "sorted": _sorted,
    "distinct": _distinct,
    "zip": _zip,
    "abs": _abs,
    "round": _round,
    "isa": _isa,
    "given": _given,
    "tree": _tree,
    "lookup": _lookup,
}
