"""What a tool gives back: its value with the places of its numbers, in the shape that results have on the wire."""

from synth.compile import literals
from synth.compile.annotations import is_tuple
from synth.compile.expressions import NUMBERS, Expressions
from synth.compile.layout import Code, call, code, listed
from synth.lang import nodes as n
from synth.lang.types import Type


def returned(printer: Expressions, value: n.Node, result: Type | None, tool: str) -> Code:
    """Code of what stands after `return`.

    Args:
        result: Declared type.
        tool: Kind of the tool; empty for a function of the seed, which gives back exact values.
    """
    want = result or value.type
    if not tool:
        return printer.code(value, want)
    if tool == "get" and want.kind == "row":
        return call("rt.Detail", [printer.code(value)])
    if want.kind == "map":
        return code('{"result": ', wire(printer, printer.code(value, want), want), "}")
    return _record(printer, value) if isinstance(value, n.Record) and value.type.kind == "record" else wire(printer, printer.code(value, want), want)


def _record(printer: Expressions, value: n.Record) -> Code:
    entries = []
    for key, one in value.entries:
        inner = _record(printer, one) if isinstance(one, n.Record) and one.type.kind == "record" else wire(printer, printer.code(one), one.type)
        entries.append(code(literals.text(str(key.value) if isinstance(key, n.Const) else ""), ": ", inner))
    return listed("{", entries, "}")


def holds_number(kind: Type) -> bool:
    """Whether a value of this type is or holds money or a decimal outside of rows and structs."""
    if kind.kind in NUMBERS:
        return True
    inner = [one for _, one in kind.fields] + ([kind.item] if kind.item else [])
    return any(holds_number(one) for one in inner)


def wire(printer: Expressions, value: Code, kind: Type) -> Code:
    """The value with the places of its numbers."""
    if not holds_number(kind):
        return value
    if kind.kind in NUMBERS:
        places = 2 if kind.kind == "money" else kind.places or 4
        return call("rt.fixed_or_none" if kind.optional else "rt.fixed", [value, str(places)])
    if kind.kind == "list" and kind.item is not None:
        return code("[", wire(printer, code("one"), kind.item), " for one in ", value, "]")
    if kind.kind == "map" and kind.item is not None:
        return code("{key: ", wire(printer, code("one"), kind.item), " for key, one in ", value, ".items()}")
    if kind.kind == "record":
        return _entries(printer, value, kind)
    return value


def _entries(printer: Expressions, value: Code, kind: Type) -> Code:
    if is_tuple(kind):
        return listed("(", [wire(printer, code(value, f"[{number}]"), one) for number, (_, one) in enumerate(kind.fields)], ")")
    keys = [(literals.text(name), one) for name, one in kind.fields]
    return listed("{", [code(key, ": ", wire(printer, code(value, f"[{key}]"), one)) for key, one in keys], "}")
