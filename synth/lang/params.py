"""Checks the parameters of tools and functions."""

import ast
import inspect
import re

from synth.lang.check_operators import refuse_hiding
from synth.lang.checker import Checker
from synth.lang.coerce import wanted
from synth.lang.domain import Param
from synth.lang.names import PLAIN_TYPES
from synth.lang.nodes import Const, Local, Node
from synth.lang.problems import advice
from synth.lang.rules import UNKNOWN, decimal, is_unknown
from synth.lang.scope import Name
from synth.lang.types import Type, list_of, row
from synth.lang.wording import argument, described

Typed = tuple[Type, tuple[str, str] | None]


def parameters(checker: Checker, node: ast.FunctionDef) -> tuple[Param, ...]:
    """The parameters of a function, put into the scope too."""
    spec = node.args
    for extra in (spec.vararg, spec.kwarg, *spec.kwonlyargs, *spec.posonlyargs):
        if extra is not None:
            checker.add(extra, expected="plain parameters", got=extra.arg, fix="Leave *, ** and / out", code="REFUSED")
    descriptions = describe(ast.get_docstring(node) or "", {one.arg for one in spec.args})[1]
    defaults = [None] * (len(spec.args) - len(spec.defaults)) + list(spec.defaults)
    found = tuple(_parameter(checker, one, default, descriptions) for one, default in zip(spec.args, defaults, strict=True))
    return found


def _parameter(checker: Checker, node: ast.arg, default: ast.expr | None, descriptions: dict[str, str]) -> Param:
    kind, of = UNKNOWN, None
    if node.annotation is None:
        checker.add(
            node,
            expected="a parameter with a type",
            got=node.arg,
            fix=f"Write {node.arg}: Entity, {node.arg}: Entity.field or {node.arg}: text",
            code="NO_TYPE",
        )
    else:
        kind, of = annotation(checker, node.annotation)
    refuse_hiding(checker, node, node.arg)
    unset = isinstance(default, ast.Name) and default.id == "unset"
    if isinstance(default, ast.Constant) and default.value is None:
        kind = kind.or_none() if not is_unknown(kind) else kind
    elif not unset:
        kind = kind.required() if not is_unknown(kind) else kind
    value = _default(checker, node, default, kind) if default is not None and not unset else None
    known = Name(type=kind, unset=unset, parameter=True, positive=of in checker.names.positive)
    checker.scope = checker.scope.adding(node.arg, known)
    plurals = {one.name: one.plural for one in checker.names.entities.values()}
    return Param(
        name=node.arg,
        argument=argument(node.arg, kind, plurals),
        where=checker.where(node),
        type=kind,
        required=default is None,
        default=value,
        unset=unset,
        of=of,
        description=descriptions.get(node.arg) or _description(checker, node.arg, kind, of),
    )


def _description(checker: Checker, name: str, kind: Type, of: tuple[str, str] | None) -> str:
    field = checker.names.field(*of) if of is not None else None
    if field is not None and field.description and field.type.kind != "row":
        return field.description
    return described(name, kind, of)


def _default(checker: Checker, node: ast.arg, default: ast.expr, kind: Type) -> Node | None:
    if isinstance(default, ast.Constant) and default.value is None:
        return Const(where=checker.where(default), type=Type(kind="none", optional=True), value=None)
    found = wanted(checker, default, kind, f"the parameter {node.arg}")
    if isinstance(found, Local):
        checker.add(
            default,
            expected="a default that needs no other parameter",
            got=checker.said(default),
            fix="Write a literal or a constant",
            code="WRONG_DEFAULT",
        )
    return found


def annotation(checker: Checker, node: ast.expr) -> Typed:
    """The type that an annotation names, and the field it names, if any."""
    if isinstance(node, ast.Name):
        return _named(checker, node), None
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return _field(checker, node, node.value.id)
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in ("list", "map"):
        item, of = annotation(checker, node.slice)
        if is_unknown(item):
            return item, None
        return (list_of(item), of) if node.value.id == "list" else (Type(kind="map", item=item), None)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "decimal" and len(node.args) == 1:
        places = node.args[0].value if isinstance(node.args[0], ast.Constant) else None
        if isinstance(places, int) and 0 <= places <= 8:
            return decimal(places), None
    fix = "Write an entity, Entity.field, an enum, a struct, text, integer, decimal, money, bool, date, time, datetime, duration or list[…]"
    checker.add(node, expected="a type", got=checker.said(node), fix=fix, code="UNKNOWN_TYPE")
    return UNKNOWN, None


def _named(checker: Checker, node: ast.Name) -> Type:
    names, text = checker.names, node.id
    if text in PLAIN_TYPES:
        return PLAIN_TYPES[text]
    if text in names.entities:
        return row(text)
    if text in names.enums:
        return Type(kind="enum", name=text)
    if text in names.structs:
        return Type(kind="struct", name=text)
    if text in names.broken:
        return UNKNOWN
    python = {
        "str": "text",
        "int": "integer",
        "float": "decimal",
        "Decimal": "decimal",
        "list": "list[…]",
        "dict": "a struct or map[…]",
        "map": "map[…]",
    }
    choices = [*PLAIN_TYPES, *names.entities, *names.enums, *names.structs]
    fix = f"Write {python[text]}" if text in python else advice(text, choices, "type")
    checker.add(node, expected="a type", got=text, fix=fix, code="UNKNOWN_TYPE")
    return UNKNOWN


def _field(checker: Checker, node: ast.Attribute, entity: str) -> Typed:
    names = checker.names
    if entity not in names.entities:
        if entity not in names.broken:
            checker.add(node, expected="an entity before the dot", got=entity, fix=advice(entity, names.entities, "entity"), code="UNKNOWN_TYPE")
        return UNKNOWN, None
    found = names.field(entity, node.attr)
    if found is None:
        if not names.excused(entity, node.attr):
            choices = [one.name for one in names.entities[entity].fields]
            checker.add(node, expected=f"a field of {entity}", got=node.attr, fix=advice(node.attr, choices, "field"), code="UNKNOWN_FIELD")
        return UNKNOWN, None
    if found.role == "always":
        checker.add(node, expected="a stored field", got=f"{node.attr}, which is computed", fix="Write its plain type", code="UNKNOWN_TYPE")
    return found.type, (entity, node.attr)


def describe(doc: str, names: set[str]) -> tuple[str, dict[str, str]]:
    """A docstring as the text about the whole and, from lines `name: text`, what it says of each parameter."""
    kept: list[str] = []
    found: dict[str, str] = {}
    last = ""
    for line in inspect.cleandoc(doc).split("\n"):
        match = re.fullmatch(r"\s*(?:-\s*)?([a-z_][a-z0-9_]*): (.+)", line)
        if match and match[1] in names:
            last = match[1]
            found[last] = match[2].strip()
        elif last and line.startswith(" ") and line.strip():
            found[last] += f" {line.strip()}"
        elif line.strip() not in ("Args:", "Parameters:"):
            last = ""
            kept.append(line.rstrip())
    return "\n".join(kept).strip(), found
