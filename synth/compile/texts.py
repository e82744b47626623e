"""f-strings of the seed language as code: each value is shown as people read it."""

from typing import TYPE_CHECKING

from synth.compile import literals
from synth.compile.expressions import OR
from synth.compile.layout import Code, call, code, listed
from synth.lang import nodes as n

if TYPE_CHECKING:
    from synth.compile.expressions import Expressions


def formatted(printer: "Expressions", node: n.Format) -> Code:
    """An f-string, or a join of its parts where their code cannot stand inside an f-string of Python 3.11."""
    parts = [(one, None if isinstance(one, n.Const) else _inside(printer, one)) for one in node.parts]
    if any(shown is not None and _unfit(str(shown)) for _, shown in parts):
        return _joined(printer, node)
    quote = printer.quote
    if all(shown is None for _, shown in parts):
        return code(literals.text("".join(_plain(one) for one in node.parts), quote))
    texts = [_escaped(_plain(one), quote) if shown is None else f"{{{shown}}}" for one, shown in parts]
    return code(f"f{quote}{''.join(texts)}{quote}")


def _plain(node: n.Node) -> str:
    return str(node.value) if isinstance(node, n.Const) else ""


def _escaped(text: str, quote: str) -> str:
    return literals.escaped(text, quote).replace("{", "{{").replace("}", "}}")


def _inside(printer: "Expressions", node: n.Node) -> Code:
    """Code of a value, with the other kind of quotes."""
    before, printer.quote = printer.quote, "'" if printer.quote == '"' else '"'
    try:
        return shown(printer, node)
    finally:
        printer.quote = before


def shown(printer: "Expressions", node: n.Node) -> Code:
    """What stands between the braces of an f-string."""
    kind = node.type
    if kind.kind in ("text", "enum", "integer", "row") and not kind.optional:
        return printer.code(node, binds=OR)
    item = kind.item if kind.kind == "list" and kind.item else kind
    places = {"money": "2", "decimal": str(item.places or 4)}.get(item.kind)
    return call("rt.show", [printer.code(node), *([places] if places else [])])


def _joined(printer: "Expressions", node: n.Format) -> Code:
    items: list[Code | str] = []
    for one in node.parts:
        if isinstance(one, n.Const):
            items.append(literals.text(str(one.value), printer.quote))
        else:
            value = shown(printer, one)
            items.append(value if one.type.kind == "text" and not one.type.optional else call("str", [value]))
    return code(f"{printer.quote * 2}.join(", listed("(", items, ",)" if len(items) == 1 else ")"), ")")


def _unfit(text: str) -> bool:
    """Whether code cannot stand between the braces of an f-string."""
    return any(letter in text for letter in '"\\{}\n!:') or text.startswith("lambda")
