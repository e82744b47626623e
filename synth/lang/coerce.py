"""Gives literals the type of the place they stand in: enum words, lists of words, dict displays as structs and maps."""

import ast
from dataclasses import replace

from synth.lang.checker import Checker, test_first
from synth.lang.nodes import Call, Choice, Comprehension, Const, Display, EnumWords, Local, Node, Record
from synth.lang.problems import advice
from synth.lang.rules import fits, is_unknown, join, spoken
from synth.lang.types import Type

PASSING = ("pick", "some", "min", "max", "first", "sorted", "distinct")
"""Functions whose first argument has the words of their result."""


def words_of(checker: Checker, node: Node) -> frozenset[str]:
    """The literals that a text must be one of; empty when it may be any text."""
    if isinstance(node, Const) and isinstance(node.value, str) and node.type.kind == "text":
        return frozenset({node.value})
    if isinstance(node, Local):
        known = checker.scope.names.get(node.name)
        return known.words if known is not None else frozenset()
    parts = _parts(node)
    found = [words_of(checker, one) for one in parts if one.type.kind != "none"]
    return frozenset().union(*found) if found and all(found) else frozenset()


def _parts(node: Node) -> tuple[Node, ...]:
    if isinstance(node, Choice):
        return (node.then, node.otherwise)
    if isinstance(node, Display):
        return node.items
    if isinstance(node, Call) and node.name in PASSING:
        return node.args if node.name in ("min", "max") and len(node.args) > 1 else node.args[:1]
    if isinstance(node, Comprehension):
        return (node.element,)
    return ()


def wanted(checker: Checker, node: ast.AST, want: Type, what: str) -> Node:
    """The typed node of an expression that stands where `want` is wanted; `what` names that place."""
    return fitted(checker, node, checker.expression(node), want, what)


def fitted(checker: Checker, node: ast.AST, found: Node, want: Type, what: str) -> Node:
    """A checked expression, fitted to the place where `want` is wanted."""
    found = coerce(checker, found, want)
    if fits(found.type, want):
        return found
    said = checker.said(node)
    if found.type.kind == "none" or (found.type.optional and fits(found.type.required(), want)):
        fix = test_first(said, found) if found.type.kind != "none" else "Write a value, or make it optional"
        got = f"{said}, which may be None" if found.type.kind != "none" else "None"
        return checker.add(node, expected=f"{spoken(want)} for {what}", got=got, fix=fix, code="MAY_BE_NONE")
    return checker.mismatch(node, found, f"{spoken(want)} for {what}", _advice(found.type, want))


def _advice(got: Type, want: Type) -> str:
    if got.kind == "decimal" and want.kind in ("integer", "money"):
        return "Write round(…) around it"
    if got.kind == "datetime" and want.kind == "date":
        return "Write day(…) around it"
    if got.kind == "list" and want.kind != "list":
        return "Write first(…) around it and test the result for None"
    if want.kind == "enum":
        return f"Write a quoted word of {want.name}"
    if want.kind == "text":
        return "Put it into an f-string"
    if want.kind == "duration" and got.kind == "integer":
        return "Write minutes(…), hours(…) or days(…) around it"
    return "Correct the value or the declared type"


def coerce(checker: Checker, node: Node, want: Type) -> Node:
    """The node with literals read as `want`; a word that the enum does not have is reported."""
    if is_unknown(node.type) or is_unknown(want):
        return node
    if want.kind == "enum" and node.type.kind == "text":
        return _word(checker, node, want)
    if want.kind == "list" and want.item is not None and node.type.kind in ("list", "record"):
        return _list(checker, node, want)
    if node.type.kind == "record" and isinstance(node, Record) and want.kind in ("map", "struct"):
        return _record(checker, node, want)
    if isinstance(node, Choice):
        return replace(node, then=coerce(checker, node.then, want), otherwise=coerce(checker, node.otherwise, want))
    return node


def _word(checker: Checker, node: Node, want: Type) -> Node:
    words = words_of(checker, node)
    if not words:
        return node
    known = checker.names.enums[want.name].words if want.name in checker.names.enums else ()
    for one in sorted(words) if isinstance(node, Const | Local) else ():
        if one not in known:
            fix = advice(one, known, "word")
            checker.report.add(node.where, checker.field, expected=f"a word of {want.name}", got=repr(one), fix=fix, code="UNKNOWN_WORD")
    return _replaced(checker, node, replace(want, optional=node.type.optional))


def _replaced(checker: Checker, node: Node, kind: Type) -> Node:
    """The node, and the literals inside it, with an enum type."""
    if isinstance(node, Choice):
        parts = [one if one.type.kind == "none" else coerce(checker, one, kind) for one in (node.then, node.otherwise)]
        return replace(node, type=kind, then=parts[0], otherwise=parts[1])
    if isinstance(node, Call) and node.name in PASSING:
        several = node.name in ("min", "max") and len(node.args) > 1
        item = kind.required()
        args = tuple(coerce(checker, one, item if several else Type(kind="list", item=item)) for one in node.args[: None if several else 1])
        return replace(node, type=kind, args=args + node.args[len(args) :])
    return replace(node, type=kind)


def _list(checker: Checker, node: Node, want: Type) -> Node:
    item = want.item
    if item is None:
        return node
    if isinstance(node, Display):
        items = tuple(coerce(checker, one, item) for one in node.items)
        good = all(fits(one.type, item) for one in items)
        return replace(node, items=items, type=replace(want, optional=False) if good else node.type)
    if isinstance(node, EnumWords) or item.kind != "enum" or node.type.item is None or node.type.item.kind != "text":
        return node
    if not words_of(checker, node):
        return node
    if isinstance(node, Comprehension):
        return replace(node, element=coerce(checker, node.element, item), type=want)
    if isinstance(node, Call) and node.name in PASSING:
        return replace(node, args=(coerce(checker, node.args[0], want), *node.args[1:]), type=want)
    known = checker.names.enums[item.name].words if item.name in checker.names.enums else ()
    return replace(node, type=want) if isinstance(node, Local) and words_of(checker, node) <= set(known) else node


def as_map(node: Node) -> Node:
    """A dict display whose values are of one type, as a map."""
    if not isinstance(node, Record) or node.type.kind != "record" or not node.entries:
        return node
    common: Type | None = node.entries[0][1].type
    for _, value in node.entries[1:]:
        common = join(common, value.type) if common is not None else None
    return node if common is None else replace(node, type=Type(kind="map", item=common))


def _record(checker: Checker, node: Record, want: Type) -> Node:
    if want.kind == "map":
        item = want.item or node.type
        entries = tuple((key, coerce(checker, value, item)) for key, value in node.entries)
        good = all(fits(value.type, item) for _, value in entries)
        return replace(node, entries=entries, type=replace(want, optional=False) if good else node.type)
    fields = dict(checker.names.structs[want.name].fields) if want.name in checker.names.structs else {}
    entries = tuple(
        (key, coerce(checker, value, fields.get(str(key.value), value.type) if isinstance(key, Const) else value.type)) for key, value in node.entries
    )
    given = {str(key.value): value.type for key, value in entries if isinstance(key, Const)}
    good = set(given) <= set(fields) and all(fits(given[name], kind) if name in given else kind.optional for name, kind in fields.items())
    return replace(node, entries=entries, type=replace(want, optional=False) if good else node.type)
