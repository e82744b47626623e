"""Checks names, constants, attributes, indexes, displays and f-strings."""

import ast
from dataclasses import replace
from fractions import Fraction

from synth.lang.builtins import ATTRIBUTES, FUNCTIONS, METHODS
from synth.lang.checker import Checker, handles, retyped
from synth.lang.names import Member
from synth.lang.nodes import Attr, Const, Display, EnumWords, Format, Given, Head, Index, Local, Node, Record, Rows, Single
from synth.lang.problems import advice
from synth.lang.rules import UNKNOWN, decimal, fits, is_tuple, is_unknown, join, tuple_of
from synth.lang.scope import Fact, path
from synth.lang.signatures import accepts
from synth.lang.types import BOOL, DATE, DATETIME, INTEGER, NONE, TEXT, Type, list_of, row

GREATEST_INTEGER = 10**15
LONGEST_TEXT = 2000


@handles(ast.Constant)
def constant(checker: Checker, node: ast.Constant) -> Node:
    """A literal."""
    value, where = node.value, checker.where(node)
    if value is None:
        return Const(where=where, type=NONE, value=None)
    if isinstance(value, bool):
        return Const(where=where, type=BOOL, value=value)
    if isinstance(value, int):
        if value > GREATEST_INTEGER:
            return checker.add(
                node, expected=f"a number up to {GREATEST_INTEGER}", got=checker.said(node)[:40], fix="Write a smaller number", code="TOO_GREAT"
            )
        return Const(where=where, type=INTEGER, value=value)
    if isinstance(value, float):
        return _decimal(checker, node, value)
    if isinstance(value, str):
        return _text(checker, node, value)
    return checker.add(node, expected="text, a number, True, False or None", got=checker.said(node), fix="Write one of these", code="REFUSED")


def _decimal(checker: Checker, node: ast.Constant, value: float) -> Node:
    text = checker.said(node).replace("_", "")
    if not all(one.isdigit() or one == "." for one in text) or value > GREATEST_INTEGER or len(text) > 20:
        return checker.add(node, expected="a decimal such as 0.25", got=text, fix="Write it with a point and without an exponent", code="TOO_GREAT")
    places = len(text.partition(".")[2])
    return Const(where=checker.where(node), type=decimal(places), value=Fraction(text if text[0] != "." else f"0{text}"))


def _text(checker: Checker, node: ast.Constant, value: str) -> Node:
    if len(value) > LONGEST_TEXT or any(0xD800 <= ord(one) <= 0xDFFF or one == "\0" for one in value):
        return checker.add(
            node,
            expected=f"text of at most {LONGEST_TEXT} letters",
            got=checker.said(node),
            fix="Shorten it, without strange escapes",
            code="BAD_TEXT",
        )
    return Const(where=checker.where(node), type=TEXT, value=value)


@handles(ast.Name)
def name(checker: Checker, node: ast.Name) -> Node:
    """A name: local first, then a field of the row in hand, then what the seed declares."""
    known = checker.scope.names.get(node.id)
    if known is not None:
        local = Local(where=checker.where(node), type=known.type, name=node.id)
        if known.unset and Fact("given", (node.id,)) not in checker.scope.facts:
            fix = f"Ask `given({node.id})` first, or use it in patch(…) only"
            return checker.add(node, expected="a parameter that was sent", got=f"{node.id}, which may not have been sent", fix=fix, code="NOT_GIVEN")
        if Fact("gone", (node.id,)) in checker.scope.facts:
            return checker.add(
                node, expected="a row that exists", got=f"{node.id}, which was deleted", fix="Bind what you need before", code="DELETED"
            )
        return narrowed(checker, local)
    if checker.row_entity:
        member = checker.names.members(checker.row_entity).get(node.id)
        if member is not None:
            base = Local(where=checker.where(node), type=row(checker.row_entity), name="row")
            return narrowed(checker, Attr(where=checker.where(node), type=member.type, base=base, name=node.id, access=member.access))
    return _declared(checker, node) or _unknown(checker, node)


def _declared(checker: Checker, node: ast.Name) -> Node | None:
    names, where, text = checker.names, checker.where(node), node.id
    if text in ("now", "today"):
        return Given(where=where, type=DATETIME if text == "now" else DATE, name=text)
    if text == "me" and names.actor in names.entities:
        return Given(where=where, type=row(names.actor), name=text)
    if text in names.constants:
        return Given(where=where, type=names.constants[text].type, name=text)
    if text in names.entities:
        return Rows(where=where, type=list_of(row(text)), entity=text)
    if text in names.singles:
        entity = names.singles[text]
        return Single(where=where, type=row(entity), entity=entity)
    if text in names.enums:
        return EnumWords(where=where, type=list_of(Type(kind="enum", name=text)), name=text)
    return None


def _unknown(checker: Checker, node: ast.Name) -> Node:
    names = checker.names
    if names.excused(checker.row_entity, node.id) or (node.id == "me" and names.actor in names.broken):
        return checker.unknown(node)
    if node.id in checker.lost:
        got, fix = f"{node.id}, which is bound only inside a branch or loop", "Bind it before: `name = a if condition else b`"
        return checker.add(node, expected="a name that is known here", got=got, fix=fix, code="UNKNOWN_NAME")
    if node.id == "me":
        return checker.add(node, expected="a name", got="me", fix="Declare `actor: Entity` at the top of the seed", code="UNKNOWN_NAME")
    if node.id in FUNCTIONS or node.id in names.seed_functions:
        return checker.add(node, expected="a value", got=f"the function {node.id}", fix=f"Call it: {node.id}(…)", code="NOT_CALLED")
    words = sorted({one.name for one in names.enums.values() if node.id in one.words})
    if words:
        fix = f"Quote it: {node.id!r} is a word of {words[0]}"
        return checker.add(node, expected="a name", got=node.id, fix=fix, code="UNKNOWN_NAME")
    fields = tuple(names.members(checker.row_entity)) if checker.row_entity else ()
    choices = (*checker.scope.names, *fields, *names.entities, *names.singles, *names.constants, "now", "today")
    choices += tuple(one for one in names.enums if "." not in one)
    return checker.add(node, expected="a name that is known here", got=node.id, fix=advice(node.id, choices, "name"), code="UNKNOWN_NAME")


def narrowed(checker: Checker, node: Node) -> Node:
    """The node with the type that follows from the facts known here."""
    where, facts = path(node), checker.scope.facts
    if where is None or not facts:
        return node
    kind = node.type.required() if Fact("some", where) in facts else node.type
    if kind.kind == "row" and len(kind.entities) > 1:
        kept = tuple(one for one in kind.entities if Fact("not", where, one) not in facts)
        sure = tuple(one for one in kind.entities if Fact("isa", where, one) in facts)
        kind = replace(kind, entities=sure or kept or kind.entities)
    return retyped(node, kind) if kind != node.type else node


@handles(ast.Attribute)
def attribute(checker: Checker, node: ast.Attribute) -> Node:
    """`base.name`."""
    if node.attr.startswith("__"):
        return checker.add(
            node, expected="a field", got=checker.said(node), fix="Names with two underscores are not part of the language", code="REFUSED"
        )
    base = checker.value(node.value)
    if is_unknown(base.type):
        return base
    found = member(checker, base, node.attr)
    if found is None:
        return _no_member(checker, node, base)
    if is_unknown(found.type):
        return checker.unknown(node)
    return narrowed(checker, Attr(where=checker.where(node), type=found.type, base=base, name=node.attr, access=found.access))


def member(checker: Checker, base: Node, text: str) -> Member | None:
    """What stands after the dot of a value, or None; of unknown type if the declaration was refused."""
    kind = base.type
    if kind.kind == "row":
        found = [checker.names.members(one).get(text) for one in kind.entities]
        first = found[0] if found else None
        if first is not None and all(one is not None and one.type == first.type for one in found):
            return first
        excused = any(checker.names.excused(one, text) for one, there in zip(kind.entities, found, strict=True) if there is None)
        return Member(type=UNKNOWN, access="field") if excused else None
    if kind.kind == "struct" and kind.name in checker.names.structs:
        fields = dict(checker.names.structs[kind.name].fields)
        return Member(type=fields[text], access="struct") if text in fields else None
    known = ATTRIBUTES.get(text)
    if known is not None and accepts(known.on, kind):
        return Member(type=INTEGER, access="part")
    return None


def _no_member(checker: Checker, node: ast.Attribute, base: Node) -> Node:
    said, text, kind = checker.said(node.value), node.attr, base.type
    if text in METHODS:
        return checker.add(node, expected="a value", got=f"the method {text}", fix=f"Call it: {said}.{text}(…)", code="NOT_CALLED")
    if kind.kind == "row":
        return _no_field(checker, node, kind)
    if kind.kind == "record":
        return checker.add(node, expected="a key in brackets", got=checker.said(node), fix=f"Write {said}[{text!r}]", code="UNKNOWN_FIELD")
    if kind.kind == "list":
        fix = f"Write [x.{text} for x in {said}], or take first({said}) and test it"
        return checker.add(node, expected="a row before the dot", got=f"{said}, a list", fix=fix, code="UNKNOWN_FIELD")
    choices = (
        dict(checker.names.structs[kind.name].fields)
        if kind.name in checker.names.structs
        else [one for one in ATTRIBUTES if accepts(ATTRIBUTES[one].on, kind)]
    )
    if not choices:
        return checker.mismatch(node.value, base, "a value with fields before the dot", "Use the value itself")
    return checker.add(
        node, expected=f"an attribute of {kind.name or kind.kind}", got=text, fix=advice(text, choices, "attribute"), code="UNKNOWN_FIELD"
    )


def _no_field(checker: Checker, node: ast.Attribute, kind: Type) -> Node:
    text = node.attr
    members = [checker.names.members(one) for one in kind.entities]
    if len(kind.entities) > 1 and any(text in one for one in members):
        fix = f"Test `isa({checker.said(node.value)}, {kind.entities[0]})` first"
        return checker.add(node, expected=f"a field that {' and '.join(kind.entities)} share", got=text, fix=fix, code="UNKNOWN_FIELD")
    near = text.removesuffix("_id")
    if near != text and near in members[0]:
        return checker.add(
            node, expected=f"a field of {kind.entities[0]}", got=text, fix=f"Write .{near} for the row, .{near}.id for its id", code="UNKNOWN_FIELD"
        )
    fix = advice(text, [one for each in members for one in each], "field")
    children = [one.name for one in checker.names.entities.values() if one.plural == text]
    if children:
        fix = f"Write `many: {text}` on the reference of {children[0]}"
    return checker.add(node, expected=f"a field of {' or '.join(kind.entities)}", got=text, fix=fix, code="UNKNOWN_FIELD")


@handles(ast.Subscript)
def subscript(checker: Checker, node: ast.Subscript) -> Node:
    """`xs[0]`, `xs[:n]`, `map['key']`, `record['key']`."""
    base = checker.value(node.value)
    if isinstance(node.slice, ast.Slice):
        return _head(checker, node, node.slice, base)
    if is_unknown(base.type):
        return base
    if base.type.kind == "record":
        return _key(checker, node, base)
    index = _index(checker, node.slice)
    if base.type.kind == "list" and base.type.item is not None:
        if index.type.kind == "integer":
            return narrowed(checker, Index(where=checker.where(node), type=base.type.item.or_none(), base=base, index=index))
        return checker.mismatch(node.slice, index, "an integer as index", "Write xs[0] or xs[:n]")
    if base.type.kind == "map" and base.type.item is not None:
        if fits(index.type, TEXT):
            return narrowed(checker, Index(where=checker.where(node), type=base.type.item.or_none(), base=base, index=index))
        return checker.mismatch(node.slice, index, "text as key", "Write map['key']")
    return checker.mismatch(node.value, base, "a list or map before [ ]", "Use a field, with a dot")


def _index(checker: Checker, node: ast.expr) -> Node:
    return checker.value(node)


def _head(checker: Checker, node: ast.Subscript, part: ast.Slice, base: Node) -> Node:
    if part.lower is not None or part.step is not None or part.upper is None:
        expected, fix = "only xs[:n]", "Write xs[:n] for the first n elements; sort the list the other way round for the last ones"
        return checker.add(node, expected=expected, got=checker.said(node), fix=fix, code="REFUSED")
    stop = checker.value(part.upper)
    if base.type.kind not in ("list", "text"):
        return checker.mismatch(node.value, base, "a list before [:n]", "Use it on a list")
    if stop.type.kind != "integer":
        return checker.mismatch(part.upper, stop, "an integer after the colon", "Write xs[:5]")
    return Head(where=checker.where(node), type=base.type, base=base, stop=stop)


def _key(checker: Checker, node: ast.Subscript, base: Node) -> Node:
    fields = dict(base.type.fields)
    wanted = node.slice.value if isinstance(node.slice, ast.Constant) else None
    if str(wanted) not in fields or isinstance(wanted, bool) or (isinstance(wanted, int) and not is_tuple(base.type)):
        return checker.add(
            node.slice, expected="one of the keys", got=checker.said(node.slice), fix=advice(str(wanted), fields, "key"), code="UNKNOWN_FIELD"
        )
    return Attr(where=checker.where(node), type=fields[str(wanted)], base=base, name=str(wanted), access="record")


@handles(ast.List, ast.Tuple)
def display(checker: Checker, node: ast.List | ast.Tuple) -> Node:
    """A list; or, from unlike values, a tuple."""
    items = tuple(checker.expression(one) for one in node.elts)
    where = checker.where(node)
    common: Type | None = UNKNOWN if not items else items[0].type
    for one in items[1:]:
        common = join(common, one.type) if common is not None else None
    if not items:
        return Display(where=where, type=Type(kind="list"), items=())
    if any(is_unknown(one.type) for one in items):
        return Display(where=where, type=UNKNOWN, items=items)
    if common is None:
        return Display(where=where, type=tuple_of(*(one.type for one in items)), items=items)
    return Display(where=where, type=list_of(common), items=items)


@handles(ast.Dict)
def record(checker: Checker, node: ast.Dict) -> Node:
    """A dict display with constant text keys."""
    entries: list[tuple[Node, Node]] = []
    for key, value in zip(node.keys, node.values, strict=True):
        if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
            fix = "Write the key as quoted text, or a dict comprehension"
            return checker.add(key or node, expected="a constant text as key", got=checker.said(key or node), fix=fix, code="REFUSED")
        entries.append((Const(where=checker.where(key), type=TEXT, value=key.value), checker.expression(value)))
    keys = [str(key.value) for key, _ in entries if isinstance(key, Const)]
    if len(set(keys)) != len(keys):
        return checker.add(node, expected="each key once", got=checker.said(node), fix="Remove the repeated key", code="DUPLICATE_KEY")
    fields = tuple((key, value.type) for key, (_, value) in zip(keys, entries, strict=True))
    return Record(where=checker.where(node), type=Type(kind="record", fields=fields), entries=tuple(entries))


@handles(ast.JoinedStr)
def f_string(checker: Checker, node: ast.JoinedStr) -> Node:
    """Text with values in it, shown as people read them."""
    parts: list[Node] = []
    for one in node.values:
        if isinstance(one, ast.Constant):
            parts.append(constant(checker, one))
        elif isinstance(one, ast.FormattedValue):
            parts.append(_formatted(checker, one, node))
    return Format(where=checker.where(node), type=TEXT, parts=tuple(parts))


def _formatted(checker: Checker, node: ast.FormattedValue, whole: ast.JoinedStr) -> Node:
    """One value of an f-string. Python versions differ in the place of the braces, so problems with them are placed at the whole."""
    if node.format_spec is not None or node.conversion != -1:
        fix = "Leave it out: each type has one way to be shown; use round(x, places)"
        return checker.add(whole, expected="no format after `:` or `!`", got=checker.said(whole), fix=fix, code="REFUSED")
    found = checker.expression(node.value)
    if found.type.kind in ("record", "struct", "map") or (
        found.type.kind == "list" and (found.type.item is None or found.type.item.kind in ("list", "record"))
    ):
        return checker.mismatch(node.value, found, "a value that can be shown", "Name a field of it")
    return found
