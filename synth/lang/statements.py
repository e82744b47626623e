"""Checks bodies of tools and functions: order of statements, bindings, branches, loops, the return."""

import ast
from dataclasses import dataclass

from synth.lang.check_operators import bind_targets, clause, iterated, refuse_hiding
from synth.lang.checker import Checker
from synth.lang.coerce import fitted, words_of
from synth.lang.effects import assign, delete, effect, patch
from synth.lang.nodes import Apply, Bind, Compare, Comprehension, Const, Copy, Create, Do, For, If, Node, Record, Return, Statement
from synth.lang.nodes import Local as LocalNode
from synth.lang.refused import refused
from synth.lang.rule_calls import rule
from synth.lang.rules import is_unknown
from synth.lang.scope import Fact, Facts, Name, Scope, outcome
from synth.lang.types import Type, list_of

Statements = tuple[Statement, ...]


@dataclass(slots=True)
class Body:
    """What has been seen of one body."""

    effects: bool = False
    rules: bool = False
    result: Type | None = None


def body(checker: Checker, node: ast.FunctionDef) -> tuple[Statements, Body]:
    """The statements of a function, and what they do."""
    seen = Body()
    statements = node.body[1:] if ast.get_docstring(node) is not None else node.body
    found = _block(checker, statements, seen, outermost=True)
    return found, seen


def _block(checker: Checker, nodes: list[ast.stmt], seen: Body, *, outermost: bool = False) -> Statements:
    found: list[Statement] = []
    for number, one in enumerate(nodes):
        if isinstance(one, ast.Return):
            last = outermost and number == len(nodes) - 1
            statement = _return(checker, one, seen, last=last)
        else:
            statement = _statement(checker, one, seen)
        if statement is not None:
            found.append(statement)
    return tuple(found)


def _statement(checker: Checker, node: ast.stmt, seen: Body) -> Statement | None:
    if isinstance(node, ast.Assign):
        return _assign(checker, node, seen)
    if isinstance(node, ast.AugAssign):
        return _augmented(checker, node, seen)
    if isinstance(node, ast.Expr):
        return _expression(checker, node, seen)
    if isinstance(node, ast.If):
        return _if(checker, node, seen)
    if isinstance(node, ast.For):
        return _for(checker, node, seen)
    expected, fix = refused(node)
    checker.add(node, expected=expected, got=checker.said(node).split("\n")[0], fix=fix, code="REFUSED")
    return None


def _return(checker: Checker, node: ast.Return, seen: Body, *, last: bool) -> Statement | None:
    if not last:
        fix = "Write one return, as the last line; a value that depends on a condition is `a if condition else b`"
        checker.add(node, expected="no return before the end", got=checker.said(node), fix=fix, code="EARLY_RETURN")
        return None
    if node.value is None:
        checker.add(node, expected="a value after return", got="nothing", fix="Leave the line out", code="EARLY_RETURN")
        return None
    value = _returned(checker, node.value, seen)
    seen.result = value.type
    return Return(where=checker.where(node), value=value)


def _returned(checker: Checker, node: ast.expr, seen: Body) -> Node:
    """What is returned; one effect may stand in it, alone or as an entry of a dict display."""
    value = _effect(checker, node, seen)
    if value is not None:
        return value
    if isinstance(node, ast.Dict):
        inner = [one for one in node.values if _is_effect(checker, one)]
        if len(inner) == 1:
            return _record_with_effect(checker, node, inner[0], seen)
    return checker.expression(node)


def _is_effect(checker: Checker, node: ast.expr) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return False
    function = checker.names.functions.get(node.func.id)
    return node.func.id in ("create", "copy") or (function is not None and function.effects)


def _record_with_effect(checker: Checker, node: ast.Dict, inner: ast.expr, seen: Body) -> Node:
    made = _effect(checker, inner, seen) or checker.unknown(inner)
    others = ast.copy_location(
        ast.Dict(keys=node.keys, values=[ast.copy_location(ast.Constant(value=None), one) if one is inner else one for one in node.values]), node
    )
    record = checker.expression(others)
    if not isinstance(record, Record):
        return record
    place = node.values.index(inner)
    entries = tuple((key, made if number == place else value) for number, (key, value) in enumerate(record.entries))
    fields = tuple((name, made.type if number == place else kind) for number, (name, kind) in enumerate(record.type.fields))
    return Record(where=record.where, type=Type(kind="record", fields=fields), entries=entries)


def _effect(checker: Checker, node: ast.expr, seen: Body) -> Node | None:
    """A create, copy, or call with effects or rules, noted in `seen`; None for other expressions."""
    value = effect(checker, node)
    if isinstance(value, Apply):
        name = value.function
        if name in checker.names.ruled:
            _note_rule(checker, node, seen)
        seen.effects = seen.effects or checker.names.functions[name].effects
    elif isinstance(value, Create | Copy):
        seen.effects = True
    return value


def _note_rule(checker: Checker, node: ast.AST, seen: Body) -> None:
    if seen.effects:
        fix = "Move it above the first line that writes"
        checker.add(node, expected="rules before effects", got="a rule after an effect", fix=fix, code="RULE_AFTER_EFFECT")
    seen.rules = True


def _assign(checker: Checker, node: ast.Assign, seen: Body) -> Statement | None:
    if len(node.targets) != 1:
        checker.add(node, expected="one name before `=`", got=checker.said(node), fix="Write a line for each", code="REFUSED")
        return None
    target = node.targets[0]
    if isinstance(target, ast.Name):
        return _bind(checker, node, target, seen)
    seen.effects = True
    return assign(checker, node, target, "=")


def _augmented(checker: Checker, node: ast.AugAssign, seen: Body) -> Statement | None:
    op = {ast.Add: "+=", ast.Sub: "-="}.get(type(node.op))
    if op is None:
        said = checker.said(node.target)
        checker.add(node, expected="`+=` or `-=`", got=checker.said(node), fix=f"Write {said} = {said} … instead", code="REFUSED")
        return None
    seen.effects = seen.effects or isinstance(node.target, ast.Attribute)
    return assign(checker, node, node.target, op)


def _bind(checker: Checker, node: ast.Assign, target: ast.Name, seen: Body) -> Statement | None:
    again = checker.scope.names.get(target.id)
    value = _effect(checker, node.value, seen) or _made_list(checker, node.value, seen) or checker.expression(node.value)
    if again is not None and not again.parameter and not again.loop and _may_bind_again(checker, target.id):
        value = fitted(checker, node.value, value, again.type.required(), target.id)
        checker.scope = checker.scope.adding(target.id, Name(type=value.type, value=again.value))
        return Bind(where=checker.where(node), name=target.id, value=value)
    if again is not None:
        fix = "Choose another name; a value that depends on a condition is `a if condition else b`"
        checker.add(target, expected="a new name", got=f"{target.id}, which is bound already", fix=fix, code="BOUND_TWICE")
        return None
    refuse_hiding(checker, target, target.id)
    if value.type.kind == "none" and not is_unknown(value.type):
        value = checker.add(
            node.value, expected="a value", got=f"{checker.said(node.value)}, which gives nothing", fix="Leave `name =` out", code="NO_VALUE"
        )
    pure = not isinstance(value, Create | Copy | Apply)
    known = Name(type=value.type, words=words_of(checker, value), value=value if pure or isinstance(value, Apply) else None)
    checker.scope = checker.scope.adding(target.id, known)
    return Bind(where=checker.where(node), name=target.id, value=value)


def _may_bind_again(checker: Checker, name: str) -> bool:
    """Whether the innermost branch stands under `if name is None:`."""
    return name in checker.none_here


def _made_list(checker: Checker, node: ast.expr, seen: Body) -> Node | None:
    """`[create(X, …) for …]`."""
    if not isinstance(node, ast.ListComp) or not _is_effect(checker, node.elt):
        return None
    before = checker.scope
    try:
        clauses = tuple([clause(checker, one) for one in node.generators])
        element = _effect(checker, node.elt, seen) or checker.unknown(node.elt)
    finally:
        checker.scope = before.forgetting_all()
    if is_unknown(element.type):
        return checker.unknown(node)
    if element.type.kind == "none":
        fix = "Write `for x in …:` and the call below it"
        return checker.add(
            node.elt, expected="a value for each element", got=f"{checker.said(node.elt)}, which gives nothing", fix=fix, code="NO_VALUE"
        )
    return Comprehension(where=checker.where(node), type=list_of(element.type), element=element, key=None, clauses=clauses)


def _expression(checker: Checker, node: ast.Expr, seen: Body) -> Statement | None:
    call = node.value
    if isinstance(call, ast.Constant) and isinstance(call.value, str):
        checker.add(node, expected="one docstring, at the top", got="a text of its own", fix="Write a comment with #", code="REFUSED")
        return None
    name = call.func.id if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) else ""
    if isinstance(call, ast.Call) and name in ("require", "policy"):
        _note_rule(checker, call, seen)
        return rule(checker, call, enforced=name == "require")
    if isinstance(call, ast.Call) and name in ("delete", "patch"):
        seen.effects = True
        return delete(checker, call) if name == "delete" else patch(checker, call)
    value = _effect(checker, call, seen)
    if value is not None:
        return None if is_unknown(value.type) else Do(where=checker.where(node), value=value)
    found = checker.expression(call)
    if not is_unknown(found.type):
        checker.add(
            node,
            expected="a statement",
            got=f"{checker.said(node)}, a value that nothing uses",
            fix="Bind it to a name, or leave the line out",
            code="NO_EFFECT",
        )
    return None


def _if(checker: Checker, node: ast.If, seen: Body) -> Statement:
    branches: list[tuple[Node | None, Statements]] = []
    outer, ends = checker.scope, []
    scope: Scope = outer
    syntax: ast.If | None = node
    rest: list[ast.stmt] = []
    before = seen.effects
    effects = before
    while syntax is not None:
        with checker.inside(scope):
            condition = checker.condition(syntax.test)
        told = outcome(condition)
        seen.effects = before
        statements, end = _branch(checker, syntax.body, scope.assuming(told.true), seen, _none_names(condition))
        effects = effects or seen.effects
        branches.append((condition, statements))
        ends.append(end)
        scope = scope.assuming(told.false)
        rest = syntax.orelse
        syntax = rest[0] if len(rest) == 1 and isinstance(rest[0], ast.If) else None
    seen.effects = before
    statements, end = _branch(checker, rest, scope, seen, frozenset())
    seen.effects = effects or seen.effects
    if rest:
        branches.append((None, statements))
    ends.append(end)
    checker.scope = _joined(outer, ends)
    return If(where=checker.where(node), branches=tuple(branches))


def _none_names(condition: Node) -> frozenset[str]:
    """Local names that are None when the condition holds."""
    if isinstance(condition, Compare) and len(condition.rest) == 1 and condition.rest[0][0] in ("is", "=="):
        other = condition.rest[0][1]
        if isinstance(condition.left, LocalNode) and isinstance(other, Const) and other.value is None:
            return frozenset({condition.left.name})
    return frozenset()


def _branch(checker: Checker, nodes: list[ast.stmt], scope: Scope, seen: Body, none: frozenset[str]) -> tuple[Statements, Scope]:
    before, checker.none_here = checker.none_here, none
    with checker.inside(scope):
        statements = _block(checker, nodes, seen)
        end = checker.scope
    checker.none_here = before
    checker.lost |= set(end.names) - set(scope.names)
    return statements, end


def _joined(outer: Scope, ends: list[Scope]) -> Scope:
    """The scope after branches: names from before, and the facts that all branches leave."""
    common: Facts = frozenset.intersection(*(one.facts for one in ends))
    names = dict(outer.names)
    kept = frozenset(one for one in common if one.path[0] in names or one.path[0] not in {name for end in ends for name in end.names})
    rebound = {name for name, known in names.items() if known.type.optional and all(_certain(end, name) for end in ends)}
    facts = kept | frozenset(_some(name) for name in rebound)
    return Scope(names=names, facts=facts)


def _certain(end: Scope, name: str) -> bool:
    return not end.names[name].type.optional or _some(name) in end.facts


def _some(name: str) -> Fact:
    return Fact("some", (name,))


def _for(checker: Checker, node: ast.For, seen: Body) -> Statement | None:
    if node.orelse:
        checker.add(node.orelse[0], expected="no `else` after a loop", got="else", fix="Write the lines after the loop", code="REFUSED")
    source = iterated(checker, node.iter)
    outer = checker.scope
    fields, everything = _writes(checker, node)
    inner = outer.forgetting_all() if everything else outer.forgetting(fields)
    inside = Body(effects=seen.effects)
    checker.scope = inner
    targets = bind_targets(checker, node.target, source)
    statements, _ = _branch(checker, node.body, checker.scope, inside, frozenset())
    checker.scope = inner
    if inside.rules and inside.effects:
        fix = "Write the rules in a loop of their own before, or as one rule with all(…)"
        checker.add(node, expected="rules before effects", got="a loop that checks and writes in turn", fix=fix, code="RULE_AFTER_EFFECT")
    seen.effects, seen.rules = seen.effects or inside.effects, seen.rules or inside.rules
    return None if is_unknown(source.type) else For(where=checker.where(node), targets=targets, source=source, body=statements)


def _writes(checker: Checker, node: ast.For) -> tuple[set[str], bool]:
    """Fields that the body of a loop may write, and whether it may write any field."""
    fields: set[str] = set()
    for one in ast.walk(node):
        if isinstance(one, ast.Assign | ast.AugAssign):
            targets = one.targets if isinstance(one, ast.Assign) else [one.target]
            fields |= {target.attr for target in targets if isinstance(target, ast.Attribute)}
        elif isinstance(one, ast.Call) and isinstance(one.func, ast.Name):
            if one.func.id == "patch":
                fields |= {keyword.arg or "" for keyword in one.keywords}
            function = checker.names.functions.get(one.func.id)
            if function is not None and function.effects:
                return fields, True
    return fields, False
