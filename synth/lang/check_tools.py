"""Checks `tools:` and `invariants:`."""

import ast
import re

from registry.package.refusals import article
from synth.lang.check_functions import free_name
from synth.lang.checker import Checker
from synth.lang.domain import Invariant, Param, Tool, Wording
from synth.lang.names import Names
from synth.lang.nodes import Attr, Bind, Compare, Const, Given, Return, Rule, Statement
from synth.lang.params import describe, parameters
from synth.lang.problems import Report, advice
from synth.lang.rules import NOTHING, is_unknown
from synth.lang.statements import body
from synth.lang.syntax import Source
from synth.lang.types import BOOL, Type, row
from synth.lang.wordings import complete, wording

TOOL_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
MOST_TOOLS = 36
HARNESS = ("submit_answer", "ask_user")
NEEDED = frozenset("abs all any bool dict float int isinstance len list max min property round sorted str sum tuple rt dt dataclass".split())
"""Names that the bodies of generated tools use themselves."""


def check_tools(names: Names, report: Report, source: Source, trees: tuple[ast.FunctionDef, ...]) -> tuple[Tool, ...]:
    """The declared tools, in order."""
    found = [_tool(names, report, source, one) for one in trees]
    return tuple(one for one in found if one is not None)


def _tool(names: Names, report: Report, source: Source, tree: ast.FunctionDef) -> Tool | None:
    checker = Checker(names, report, source, f"tools.{tree.name}", "tool")
    if not free_name(checker, tree) or not good_name(report, checker, tree):
        return None
    params = parameters(checker, tree)
    role, asked, bulk, guards = _decorators(checker, tree, params)
    statements, seen = body(checker, tree)
    doc = describe(ast.get_docstring(tree) or "", {one.name for one in params})[0]
    if not doc:
        fix = "Write a docstring that says what it does and when"
        checker.add(tree, expected="a description", got="none", fix=fix, code="NO_DOCSTRING")
    if seen.effects:
        complete(names, report, checker.field, checker.where(tree), asked, params)
    result = _result(checker, tree, seen.result, writes=seen.effects)
    return Tool(
        name=tree.name,
        where=checker.where(tree),
        kind="declared",
        params=params,
        body=(*guards, *statements),
        result=result,
        read_only=not seen.effects,
        doc=doc,
        asked=asked,
        bulk=bulk,
        role=role,
    )


def good_name(report: Report, checker: Checker, tree: ast.FunctionDef) -> bool:
    """Whether a tool may have this name."""
    if tree.name in NEEDED:
        fix = "Choose another name, such as one with the noun it is about"
        checker.add(tree, expected="a name that generated code leaves free", got=tree.name, fix=fix, code="RESERVED_NAME")
        return False
    if TOOL_NAME.fullmatch(tree.name) and tree.name not in HARNESS:
        return True
    got = f"{tree.name} ({len(tree.name)} characters)" if tree.name not in HARNESS else f"{tree.name}, which every environment has"
    checker.add(tree, expected="a tool name of at most 40 small letters, digits and _", got=got, fix="Choose another name", code="BAD_NAME")
    return False


def _result(checker: Checker, tree: ast.FunctionDef, result: Type | None, *, writes: bool) -> Type:
    if result is None:
        if not writes and not checker.report.failed:
            checker.add(tree, expected="a return", got="a tool that gives and does nothing", fix="Return a value as the last line", code="NO_RETURN")
        return NOTHING
    if result.optional and not is_unknown(result) and result.kind in ("row", "list", "record", "struct", "map", "none"):
        fix = "Refuse the empty case with require(x is not None, …), or return a list"
        last = tree.body[-1]
        checker.add(last, expected="a result that is never None", got=checker.said(last), fix=fix, code="MAY_BE_NONE")
    return result


Decorated = tuple[str, tuple[Wording, ...], tuple[Wording, ...], tuple[Rule, ...]]


def _decorators(checker: Checker, tree: ast.FunctionDef, params: tuple[Param, ...]) -> Decorated:
    """Role, wordings for one call, wordings for several rows, the rule that the role makes."""
    role, asked, bulk = "", [], []
    guards: list[Rule] = []
    for one in tree.decorator_list:
        name = one.func.id if isinstance(one, ast.Call) and isinstance(one.func, ast.Name) else ""
        if isinstance(one, ast.Call) and name == "asked":
            asked += [_wording(checker, each, params) for each in one.args]
            for keyword in one.keywords:
                if keyword.arg != "bulk":
                    checker.add(keyword.value, expected="bulk= after the wordings", got=f"{keyword.arg}=", fix="Write bulk=", code="WRONG_ARGUMENTS")
                    continue
                values = keyword.value.elts if isinstance(keyword.value, ast.Tuple | ast.List) else [keyword.value]
                bulk += [_wording(checker, each, params, bulk=True) for each in values]
        elif isinstance(one, ast.Call) and name == "role":
            role = _role(checker, one)
            guards += _guard(checker, one, role)
        else:
            fix = 'Write @asked("…") or @role("…")'
            checker.add(one, expected="a decorator of the language", got=checker.said(one), fix=fix, code="UNKNOWN_DECORATOR")
    return role, tuple(one for one in asked if one is not None), tuple(one for one in bulk if one is not None), tuple(guards)


def _wording(checker: Checker, node: ast.expr, params: tuple[Param, ...], *, bulk: bool = False) -> Wording | None:
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        checker.add(node, expected="a quoted wording", got=checker.said(node), fix="Write it as constant text with {slots}", code="BAD_WORDING")
        return None
    return wording(checker.names, checker.report, checker.field, node.value, checker.where(node), params, bulk=bulk)


def _role(checker: Checker, node: ast.Call) -> str:
    only = node.args[0] if len(node.args) == 1 else None
    text = only.value if isinstance(only, ast.Constant) and isinstance(only.value, str) else ""
    if text not in checker.names.roles:
        fix = advice(text, checker.names.roles, "role")
        checker.add(node, expected="a role declared under `roles:`", got=checker.said(node), fix=fix, code="UNKNOWN_NAME")
        return ""
    return text


def _guard(checker: Checker, node: ast.Call, role: str) -> list[Rule]:
    """The rule that only users of a role may call the tool: the actor's field `role` says who has it."""
    names = checker.names
    field = names.field(names.actor, "role")
    words = names.enums[field.type.name].words if field is not None and field.type.name in names.enums else ()
    if not role:
        return []
    if role not in words:
        fix = f"Give the actor's entity a field `role` of an enum with the word {role}, and declare `actor:`"
        checker.add(node, expected="an actor who has roles", got=names.actor or "no actor", fix=fix, code="NO_ACTOR")
        return []
    where, kind = checker.where(node), field.type if field is not None else BOOL
    mine = Attr(where=where, type=kind, base=Given(where=where, type=row(names.actor), name="me"), name="role", access="field")
    same = Compare(where=where, type=BOOL, left=mine, rest=(("==", Const(where=where, type=kind, value=role)),))
    sentence = f"Only {article(role)} may do this."
    return [Rule(where=where, condition=same, code="FORBIDDEN", sentence=sentence, says=None, evidence=(), enforced=True)]


def check_invariants(names: Names, report: Report, source: Source, trees: tuple[ast.FunctionDef, ...]) -> tuple[Invariant, ...]:
    """The invariants, in order, those of start states (`@start`) among them."""
    found: dict[str, Invariant] = {}
    for one in trees:
        checker = Checker(names, report, source, f"invariants.{one.name}", "invariant")
        if one.name in found:
            checker.add(one, expected="each name once", got=one.name, fix="Rename one of them", code="DUPLICATE_NAME")
            continue
        invariant = _invariant(checker, one)
        if invariant is not None:
            found[one.name] = invariant
    return tuple(found.values())


def _invariant(checker: Checker, tree: ast.FunctionDef) -> Invariant | None:
    at_start = [ast.unparse(one) for one in tree.decorator_list] == ["start"]
    if parameters(checker, tree) or (tree.decorator_list and not at_start):
        fix = "Write `def name():`, with `@start` above it if tools may break it"
        checker.add(tree, expected="an invariant without parameters and other decorators", got=tree.name, fix=fix, code="WRONG_ARGUMENTS")
        return None
    statements, seen = body(checker, tree)
    last = statements[-1] if statements else None
    if seen.effects or seen.rules or not all(isinstance(one, Bind | Return) for one in statements):
        checker.add(tree, expected="only bindings and a return", got="other statements", fix="Return one condition", code="NOT_A_CONDITION")
        return None
    if not isinstance(last, Return):
        checker.add(tree, expected="a return", got="none", fix="Return the condition that always holds", code="NO_RETURN")
        return None
    if last.value.type.kind != "bool" and not is_unknown(last.value.type):
        checker.add(
            tree.body[-1], expected="a condition", got=checker.said(tree.body[-1]), fix="Return all(… for …), or a comparison", code="NOT_A_CONDITION"
        )
        return None
    doc = ast.get_docstring(tree) or ""
    if not doc:
        checker.add(tree, expected="a sentence about what always holds", got="none", fix="Write it as the docstring", code="NO_DOCSTRING")
    bindings: tuple[Statement, ...] = statements[:-1]
    return Invariant(name=tree.name, where=checker.where(tree), doc=doc, condition=last.value, bindings=bindings, at_start=at_start)
