"""Checks what writes: create, copy, patch, delete, assignments."""

import ast

from synth.lang.check_calls import apply
from synth.lang.check_operators import combined
from synth.lang.checker import Checker
from synth.lang.coerce import fitted, wanted
from synth.lang.domain import Entity, Field
from synth.lang.nodes import Apply, Assign, Attr, Copy, Create, Delete, Local, Node, Patch, Statement
from synth.lang.problems import advice
from synth.lang.rules import fits, is_unknown, spoken
from synth.lang.scope import Fact, path
from synth.lang.types import Type, list_of, row

Values = tuple[tuple[str, Node], ...]


def effect(checker: Checker, node: ast.expr) -> Node | None:
    """The typed node of create(…), copy(…) or a call of a function that writes or has rules; None for any other expression."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return None
    if node.func.id == "create":
        return create(checker, node)
    if node.func.id == "copy":
        return copy(checker, node)
    function = checker.names.functions.get(node.func.id)
    if function is None or not (function.effects or function.name in checker.names.ruled):
        return None
    checker.scope = checker.scope.forgetting_all() if function.effects else checker.scope
    found = apply(checker, node, function)
    return found if isinstance(found, Apply) else checker.unknown(node)


def _entity(checker: Checker, node: ast.Call, verb: str) -> Entity | None:
    first = node.args[0] if len(node.args) == 1 else None
    name = first.id if isinstance(first, ast.Name) else ""
    if name in checker.names.entities:
        return checker.names.entities[name]
    if name not in checker.names.broken:
        got = checker.said(first) if first is not None else f"{len(node.args)} values without a name"
        fix = advice(name, checker.names.entities, "entity") if name else f"Write {verb}(Entity, field=value, …)"
        checker.add(first or node, expected="one entity", got=got, fix=fix, code="UNKNOWN_ENTITY")
    for keyword in node.keywords:
        checker.expression(keyword.value)
    return None


def create(checker: Checker, node: ast.Call) -> Node:
    """`create(Entity, field=value, …)`."""
    entity = _entity(checker, node, "create")
    if entity is None:
        return checker.unknown(node)
    if entity.single:
        return checker.add(
            node, expected="an entity with many rows", got=entity.name, fix=f"Assign to fields of {entity.name.lower()}", code="SINGLE"
        )
    values = written(checker, node, entity, making=True)
    given = {name for name, _ in values}
    if any(one.arg is None for one in node.keywords):
        return checker.unknown(node)
    missing = [
        one.name for one in entity.fields if needed(checker, entity, one) and one.name not in given and one.name not in {k.arg for k in node.keywords}
    ]
    missing += ["id"] if entity.id_kind == "given" and "id" not in given else []
    if missing:
        fix = f"Add {', '.join(f'{one}=…' for one in missing)}, or give the field `start:` or `optional: true`"
        checker.add(node, expected=f"all fields that {entity.name} needs", got=f"no {', '.join(missing)}", fix=fix, code="FIELD_NOT_SET")
    return Create(where=checker.where(node), type=row(entity.name), entity=entity.name, values=values)


def needed(checker: Checker, entity: Entity, field: Field) -> bool:
    """Whether a new row needs a value for this field from whoever makes it."""
    if field.type.optional or field.role in ("always", "links") or field.type.kind in ("list", "map"):
        return False
    return (entity.name, field.name) not in checker.names.filled


def copy(checker: Checker, node: ast.Call) -> Node:
    """`copy(row, field=value, …)`."""
    only = checker.value(node.args[0]) if len(node.args) == 1 else checker.unknown(node)
    if is_unknown(only.type):
        if len(node.args) != 1:
            checker.add(node, expected="one row", got=checker.said(node), fix="Write copy(row, field=value, …)", code="WRONG_ARGUMENTS")
        return only
    if only.type.kind != "row" or len(only.type.entities) != 1:
        return checker.mismatch(node.args[0], only, "a row to copy", "Write copy(row, field=value, …)")
    entity = checker.names.entities[only.type.entities[0]]
    return Copy(where=checker.where(node), type=only.type, row=only, values=written(checker, node, entity, making=True))


def written(checker: Checker, node: ast.Call, entity: Entity, *, making: bool) -> Values:
    """The values by field of create, copy or patch."""
    found: list[tuple[str, Node]] = []
    for keyword in node.keywords:
        name = keyword.arg or ""
        if keyword.arg is None:
            checker.add(keyword.value, expected="no `**` before a value", got=checker.said(node), fix="Write the fields out", code="REFUSED")
            continue
        if making and name == "id" and entity.id_kind == "given":
            found.append((name, wanted(checker, keyword.value, Type(kind="text"), f"the id of {entity.name}")))
            continue
        field = writable(checker, keyword, entity, name, making=making)
        if field is None:
            checker.expression(keyword.value)
        elif making:
            found.append((name, wanted(checker, keyword.value, field.type, f"{entity.name}.{name}")))
        else:
            found.append((name, _sent(checker, keyword.value, field, entity)))
    return tuple(found)


def _sent(checker: Checker, node: ast.expr, field: Field, entity: Entity) -> Node:
    """A value of patch: a parameter that may be unsent, or any value."""
    known = checker.scope.names.get(node.id) if isinstance(node, ast.Name) else None
    if known is not None and known.unset and isinstance(node, ast.Name):
        local = Local(where=checker.where(node), type=known.type, name=node.id)
        return fitted(checker, node, local, field.type, f"{entity.name}.{field.name}")
    return wanted(checker, node, field.type, f"{entity.name}.{field.name}")


def writable(checker: Checker, node: ast.AST, entity: Entity, name: str, *, making: bool) -> Field | None:
    """The field that is written, or None after a problem."""
    field = checker.names.field(entity.name, name)
    if field is None:
        if not checker.names.excused(entity.name, name):
            fix = advice(name, [one.name for one in entity.fields], "field")
            if name in checker.names.members(entity.name):
                fix = "Write a field of this row, or of the rows that refer to it"
                checker.add(node, expected="a field that can be written", got=f"{name}, which is read only", fix=fix, code="READ_ONLY")
                return None
            checker.add(node, expected=f"a field of {entity.name}", got=name, fix=fix, code="UNKNOWN_FIELD")
        return None
    if field.role == "always" or (entity.name, name) in checker.names.computed:
        got, fix = f"{name}, which is computed", f"Write the fields that it is computed from, or declare {name} without `is` and `always`"
        checker.add(node, expected="a field that can be written", got=got, fix=fix, code="READ_ONLY")
        return None
    if not making and name in entity.key:
        checker.add(node, expected="a field outside the key", got=name, fix="Delete the row and create another", code="READ_ONLY")
        return None
    return field


def patch(checker: Checker, node: ast.Call) -> Statement | None:
    """`patch(row, field=parameter, …)`."""
    only = checker.value(node.args[0]) if len(node.args) == 1 else checker.unknown(node)
    if only.type.kind != "row" or len(only.type.entities) != 1 or not node.keywords:
        if not is_unknown(only.type) or len(node.args) != 1:
            checker.add(node, expected="a row and fields", got=checker.said(node), fix="Write patch(row, field=parameter, …)", code="WRONG_ARGUMENTS")
        return None
    entity = checker.names.entities[only.type.entities[0]]
    values = written(checker, node, entity, making=False)
    checker.scope = checker.scope.forgetting(name for name, _ in values)
    return Patch(where=checker.where(node), row=only, values=values)


def delete(checker: Checker, node: ast.Call) -> Statement | None:
    """`delete(row)`."""
    only = checker.value(node.args[0]) if len(node.args) == 1 and not node.keywords else checker.unknown(node)
    if only.type.kind != "row":
        if only.type.kind == "list":
            said = checker.said(node.args[0])
            checker.add(node, expected="one row", got=f"{said}, a list", fix=f"Write `for x in {said}:` and delete(x) below it", code="WRONG_TYPE")
        elif not is_unknown(only.type) or len(node.args) != 1:
            checker.add(node, expected="one row", got=checker.said(node), fix="Write delete(row)", code="WRONG_ARGUMENTS")
        return None
    if any(checker.names.entities[one].single for one in only.type.entities if one in checker.names.entities):
        checker.add(
            node, expected="a row that may go", got=checker.said(node), fix="The one row of an entity with `single: true` stays", code="SINGLE"
        )
        return None
    checker.scope = checker.scope.forgetting({"len()", "count()", "sum()"})
    where = path(only)
    if where is not None and not all(checker.names.entities[one].archive for one in only.type.entities):
        checker.scope = checker.scope.assuming({Fact("gone", where)})
    return Delete(where=checker.where(node), row=only)


def assign(checker: Checker, node: ast.Assign | ast.AugAssign, target: ast.expr, op: str) -> Statement | None:
    """`row.field = value`, `+=`, `-=`."""
    if not isinstance(target, ast.Attribute):
        _no_target(checker, target, op)
        checker.expression(node.value)
        return None
    place = _target(checker, target)
    if place is None:
        checker.expression(node.value)
        return None
    attr, want = place
    what = checker.said(target)
    value = _linked(checker, node, attr, op) if attr.access == "links" else _scalar(checker, node, attr, want, op)
    checker.scope = checker.scope.forgetting({attr.name})
    where = path(attr)
    if where is not None and not value.type.optional and op == "=" and what:
        checker.scope = checker.scope.assuming({Fact("some", where)})
    return Assign(where=checker.where(node), target=attr, op=op, value=value)  # type: ignore[arg-type]


def _no_target(checker: Checker, target: ast.expr, op: str) -> None:
    said = checker.said(target)
    if isinstance(target, ast.Name) and op != "=":
        fix = "Write one expression, such as sum(…), or keep the total in a field"
        checker.add(target, expected="a field of a row", got=f"the local name {said}", fix=fix, code="ACCUMULATOR")
    elif isinstance(target, ast.Subscript):
        checker.add(target, expected="a field of a row", got=said, fix="Write the whole map or list: row.field = …", code="REFUSED")
    else:
        checker.add(target, expected="a name or a field of a row", got=said, fix="Bind one name a line", code="REFUSED")


def _target(checker: Checker, node: ast.Attribute) -> tuple[Attr, Type] | None:
    """The field that is assigned to and what it may hold."""
    base = checker.value(node.value)
    if is_unknown(base.type):
        return None
    if base.type.kind == "struct" and isinstance(base, Attr):
        fields = dict(checker.names.structs[base.type.name].fields)
        if node.attr in fields:
            return Attr(where=checker.where(node), type=fields[node.attr], base=base, name=node.attr, access="struct"), fields[node.attr]
    if base.type.kind != "row":
        checker.mismatch(node.value, base, "a row before the dot", "Assign to a field of a row")
        return None
    fields_found = [writable(checker, node, checker.names.entities[one], node.attr, making=False) for one in base.type.entities]
    field = fields_found[0]
    if field is None or any(one is None or one.type != field.type for one in fields_found):
        return None
    access = "links" if field.role == "links" else "field"
    return Attr(where=checker.where(node), type=field.type, base=base, name=node.attr, access=access), field.type  # type: ignore[arg-type]


def _scalar(checker: Checker, node: ast.Assign | ast.AugAssign, attr: Attr, want: Type, op: str) -> Node:
    what = checker.said(node.target if isinstance(node, ast.AugAssign) else node.targets[0])
    if op == "=":
        return wanted(checker, node.value, want, what)
    value = checker.value(node.value)
    if is_unknown(value.type):
        return value
    read = checker.expression(node.target) if isinstance(node, ast.AugAssign) else attr
    if read.type.optional:
        return checker.add(
            node, expected="a value", got=f"{what}, which may be None", fix=f"Test it first, with `{what} is not None`", code="MAY_BE_NONE"
        )
    joined = combined(checker, node, op[0], read, value)
    if not fits(joined.type, want.required()):
        return checker.add(
            node, expected=f"{spoken(want)} for {what}", got=spoken(joined.type), fix="Write round(…) around the value", code="WRONG_TYPE"
        )
    return value


def _linked(checker: Checker, node: ast.Assign | ast.AugAssign, attr: Attr, op: str) -> Node:
    item = attr.type.item or attr.type
    value = checker.value(node.value)
    if value.type.kind == "row" and op != "=" and fits(value.type, item):
        return value
    return fitted(checker, node.value, value, list_of(item), attr.name)
