"""Checks rules: require(…) and policy(…)."""

import ast
import re

from synth.lang.checker import Checker
from synth.lang.evidence import inferred
from synth.lang.nodes import Display, Node, Rule
from synth.lang.problems import advice
from synth.lang.rules import is_unknown
from synth.lang.scope import outcome
from synth.lang.types import Type

RESERVED_CODES = (
    "NOT_FOUND",
    "WRONG_STATE",
    "DUPLICATE",
    "LIMIT",
    "IN_USE",
    "FORBIDDEN",
    "INVALID_ARGUMENTS",
    "INTERNAL_ERROR",
    "EPISODE_CLOSED",
    "RESULT_TOO_LARGE",
)
CODE = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*")
LONGEST_CODE = 40


def rule(checker: Checker, node: ast.Call, *, enforced: bool) -> Rule | None:
    """`require(condition, CODE, "rule", says=…, evidence=…)`, or policy, which has no `says`."""
    verb = "require" if enforced else "policy"
    keywords = {one.arg or "": one.value for one in node.keywords}
    allowed = ("says", "evidence") if enforced else ("evidence",)
    for name, value in keywords.items():
        if name not in allowed:
            fix = "A policy is not enforced, so it says nothing: leave it out" if name == "says" else advice(name, allowed, "keyword")
            checker.add(value, expected=f"an argument of {verb}()", got=f"{name}=", fix=fix, code="WRONG_ARGUMENTS")
    if len(node.args) != 3:
        fix = f'Write {verb}(condition, CODE, "The rule as a sentence.")'
        checker.add(node, expected="a condition, a code and a sentence", got=f"{len(node.args)} values", fix=fix, code="WRONG_ARGUMENTS")
        return None
    condition = checker.condition(node.args[0])
    code, sentence = _code(checker, node.args[1]), _sentence(checker, node.args[2])
    told = outcome(condition)
    with checker.inside(checker.scope.assuming(told.false)):
        says = _says(checker, keywords["says"]) if "says" in keywords and enforced else None
        evidence = _evidence(checker, keywords["evidence"]) if "evidence" in keywords else None
    if evidence is None:
        evidence = inferred(checker, condition)
    if enforced:
        checker.scope = checker.scope.assuming(told.true)
    return Rule(where=checker.where(node), condition=condition, code=code, sentence=sentence, says=says, evidence=evidence, enforced=enforced)


def _code(checker: Checker, node: ast.expr) -> str:
    text = node.id if isinstance(node, ast.Name) else ""
    if not CODE.fullmatch(text) or len(text) > LONGEST_CODE:
        upper = re.sub(r"[^A-Z0-9]+", "_", checker.said(node).strip("'\"").upper()).strip("_")
        checker.add(node, expected="a code in UPPER_CASE, without quotes", got=checker.said(node), fix=f"Write {upper or 'A_CODE'}", code="BAD_CODE")
    elif text in RESERVED_CODES:
        fix = "Choose another code: this one is raised by itself"
        checker.add(node, expected="a code of the seed", got=text, fix=fix, code="BAD_CODE")
    return text


def _sentence(checker: Checker, node: ast.expr) -> str:
    text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
    if not text.strip().endswith((".", "!")) or len(text.split()) < 3:
        fix = 'Write what always holds, such as "Only a booked appointment can be cancelled."; what depends on rows goes into says='
        checker.add(node, expected="the rule as a constant sentence that ends with a point", got=checker.said(node), fix=fix, code="BAD_SENTENCE")
    return text.strip()


def _says(checker: Checker, node: ast.expr) -> Node:
    found = checker.value(node)
    if is_unknown(found.type) or found.type.kind == "text":
        return found
    return checker.mismatch(node, found, "a text for says", "Write an f-string")


def _evidence(checker: Checker, node: ast.expr) -> tuple[Node, ...]:
    found = checker.expression(node)
    parts = found.items if isinstance(found, Display) else (found,)
    if isinstance(node, ast.List | ast.Tuple) and not node.elts:
        return ()
    good = all(_is_rows(one.type) for one in parts)
    if not good:
        checker.mismatch(node, found, "rows for evidence", "Write a row, a list of rows, or several in parentheses")
        return ()
    return tuple(parts)


def _is_rows(kind: Type) -> bool:
    if is_unknown(kind) or kind.kind == "row":
        return True
    return kind.kind == "list" and kind.item is not None and (kind.item.kind == "row" or is_unknown(kind.item))
