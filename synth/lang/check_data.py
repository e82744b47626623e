"""Checks `data:`: how one row of each entity is made."""

import ast

from synth.lang.check_operators import refuse_hiding
from synth.lang.checker import Checker
from synth.lang.coerce import wanted, words_of
from synth.lang.domain import Entity, Maker
from synth.lang.effects import needed
from synth.lang.names import Names
from synth.lang.nodes import Bind, Statement
from synth.lang.problems import Report, advice
from synth.lang.rules import UNKNOWN
from synth.lang.scope import Name
from synth.lang.syntax import Source
from synth.lang.types import row


def check_makers(names: Names, report: Report, source: Source, trees: tuple[ast.FunctionDef, ...]) -> tuple[Maker, ...]:
    """The makers, in the order of the block."""
    found: dict[str, Maker] = {}
    for tree in trees:
        checker = Checker(names, report, source, f"data.{tree.name}", "data")
        entity = names.entities.get(tree.name)
        if entity is None:
            if tree.name not in names.broken:
                fix = advice(tree.name, names.entities, "entity")
                checker.add(tree, expected="the name of an entity", got=tree.name, fix=fix, code="UNKNOWN_ENTITY")
        elif tree.name in found:
            checker.add(tree, expected="one function an entity", got=f"{tree.name} again", fix="Join them", code="DUPLICATE_NAME")
        else:
            found[tree.name] = _maker(checker, tree, entity)
    return tuple(found.values())


def _maker(checker: Checker, tree: ast.FunctionDef, entity: Entity) -> Maker:
    for one in tree.decorator_list:
        checker.add(one, expected="no decorator", got=checker.said(one), fix="Leave it out", code="UNKNOWN_DECORATOR")
    params = tuple(one for one in (_param(checker, arg, entity) for arg in tree.args.args) if one)
    statements: list[Statement] = []
    nodes = tree.body[1:] if ast.get_docstring(tree) is not None else tree.body
    for node in nodes:
        bound = _binding(checker, node, entity)
        if bound is not None:
            statements.append(bound)
    _complete(checker, tree, entity, params)
    return Maker(entity=entity.name, where=checker.where(tree), params=params, body=tuple(statements))


def _param(checker: Checker, arg: ast.arg, entity: Entity) -> str:
    """A parameter: a reference of the entity, "for one such row"."""
    field = checker.names.field(entity.name, arg.arg)
    kind = arg.annotation.id if isinstance(arg.annotation, ast.Name) else ""
    references = [one for one in entity.fields if one.role == "reference"]
    if (field is None and checker.names.excused(entity.name, arg.arg)) or kind in checker.names.broken:
        checker.scope = checker.scope.adding(arg.arg, Name(type=UNKNOWN, parameter=True))
        return arg.arg
    if field is None or field.role != "reference" or kind not in field.type.entities:
        got = f"{arg.arg}: {kind}" if kind else arg.arg
        fix = f"Write {references[0].name}: {references[0].type.entities[0]}" if references else "Leave the parameter out"
        checker.add(arg, expected=f"a reference of {entity.name} and its entity", got=got, fix=fix, code="WRONG_ARGUMENTS")
        return ""
    if field.each is None:
        fix = f'Write each: "1..3" on {arg.arg}, or pick({kind}) in the body'
        checker.add(arg, expected=f"how many {entity.plural} each {kind} has", got="nothing", fix=fix, code="NO_COUNT")
    checker.scope = checker.scope.adding(arg.arg, Name(type=row(kind), parameter=True))
    return arg.arg


def _binding(checker: Checker, node: ast.stmt, entity: Entity) -> Statement | None:
    target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
    if not isinstance(node, ast.Assign) or not isinstance(target, ast.Name):
        fix = "Write `field = value` lines; a value that depends on a condition is `a if condition else b`"
        checker.add(node, expected="a binding", got=checker.said(node).split("\n")[0], fix=fix, code="REFUSED")
        return None
    name, field = target.id, checker.names.field(entity.name, target.id)
    refuse_hiding(checker, target, name)
    if field is not None and field.role == "always":
        checker.add(target, expected="a stored field", got=f"{name}, which is computed", fix="Leave the line out", code="READ_ONLY")
    if field is not None:
        value = wanted(checker, node.value, field.type, f"{entity.name}.{name}")
        known = Name(type=value.type if value.type.kind != "none" else field.type, words=frozenset())
    elif name == "id" and entity.id_kind == "given":
        value = checker.value(node.value)
        known = Name(type=value.type)
    else:
        value = checker.expression(node.value)
        known = Name(type=value.type, words=words_of(checker, value))
    checker.scope = checker.scope.adding(name, known)
    return Bind(where=checker.where(node), name=name, value=value)


def _complete(checker: Checker, tree: ast.FunctionDef, entity: Entity, params: tuple[str, ...]) -> None:
    """Report fields that a row needs and the function does not bind."""
    bound = {*params, *checker.scope.names}
    missing = [one.name for one in entity.fields if needed(checker, entity, one) and one.name not in bound]
    if entity.id_kind == "given" and "id" not in bound:
        missing.append("id")
    if missing:
        fix = f"Add {', '.join(f'{one} = …' for one in missing)}"
        checker.add(tree, expected=f"all fields that {entity.name} needs", got=f"no {', '.join(missing)}", fix=fix, code="FIELD_NOT_SET")
