"""Coverage of the language: each construct has an example on its page, is compiled and executed in a whole seed, and its misuse is pinned.

`pytest -s tests/unit/lang/test_coverage_table.py` prints the table. Seeds in which constructs are compiled and executed are those of
tests/property/test_compiled_equals_reference.py, which calls every tool of theirs.
"""

import re
import sys
from pathlib import Path

import pytest
import yaml

from synth.lang.builtins import BUILTINS

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs/seed-language.md").read_text(encoding="utf-8")
EXAMPLES = "\n".join(re.findall(r"^```(?:yaml|python) .*?^```", PAGE, re.MULTILINE | re.DOTALL))
EXECUTED = "\n".join(
    one.read_text(encoding="utf-8")
    for one in (ROOT / "tests/data/whole_language.yaml", ROOT / "tests/property/seeds/workshop.yaml", *sorted((ROOT / "seeds").glob("*.yaml")))
)
MISUSE = {one["title"] for one in yaml.safe_load((ROOT / "tests/data/misuse.yaml").read_text(encoding="utf-8"))}

CONSTRUCTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "id with a counter": (r"id: \"[A-Z]+-\{n", ("id without a number", "ids alike")),
    "id per parent": (r"per: \w+", ("per that is none",)),
    "id given": (r"id: given", ("create that lacks a field",)),
    "compound key": (r"key: \[", ("key that is none",)),
    "called": (r"called: ", ("called with an unknown field", "called in a circle", "called without a slot")),
    "rows": (r"rows: \"", ("number that is none", "too many rows")),
    "single": (r"single: true", ("create of the one row", "delete of the one row", "reference to the one row")),
    "archive": (r"archive: true", ("flag that is none",)),
    "unique": (r"unique: ", ("unique that is none",)),
    "plural": (r"plural: ", ("plural that is none",)),
    "text": (r"\w+: (text|\{type: text)", ("length of money", "unknown type")),
    "integer closed": (r"type: integer, of: \[", ("closed money",)),
    "decimal": (r"type: decimal", ("places of a text",)),
    "money": (r"type: money", ("text in a number",)),
    "bool": (r"type: bool|: bool", ("condition that is a number",)),
    "date": (r"type: date|: date\b", ("date with datetime",)),
    "time": (r"type: time", ("constant that is no time",)),
    "datetime": (r"type: datetime|: datetime", ("datetime minus date",)),
    "duration": (r"type: duration|minutes\(|hours\(", ("duration with number",)),
    "enum": (r"enums:|type: [A-Z]\w+", ("unknown enum word", "enum word twice", "enum without words")),
    "list": (r"type: list, of:", ("list without elements", "list of structs")),
    "map": (r"type: map, of:", ("assignment to an entry", "entry that is not there")),
    "struct": (r"types:|Address", ("unknown field of a struct", "field of a struct", "struct in a struct")),
    "links": (r"links: ", ("links to what is none",)),
    "reference": (r"ref: [A-Z]", ("unknown entity in a reference", "id of a reference", "reference to itself")),
    "reference to one of two": (r"ref: \[", ("field that only one of two kinds has",)),
    "many": (r"many: ", ("reverse set twice", "many on a value", "undeclared reverse set")),
    "part": (r"part: true", ("part that may be missing",)),
    "tree": (r"tree: true", ("tree of another entity", "tree of what is none")),
    "position": (r"position: true", ("many on a value",)),
    "each": (r"each: \"", ("range of rows that is none", "maker without a count")),
    "optional": (r"optional: true", ("value that may be None", "assignment of None")),
    "start": (r"start: \"", ("start of the wrong type", "start that is no word")),
    "is": (r"is: \"", ("is with an unknown field", "is with a syntax error", "start and is")),
    "always": (r"always: \"", ("always of the wrong type", "always in a circle", "assignment to an always field")),
    "limits": (r"low: \"", ("limit on a text",)),
    "lifecycle": (r"lifecycle: \{", ("unreachable state", "unknown state", "lifecycle without states", "move that no state allows")),
    "match text with facts": (r"match: text, facts: \[", ("match on money", "match that is none", "facts without match")),
    "history": (r"history: true", ("unknown key of a field",)),
    "constants": (r"constants:|[A-Z]{2,}", ("constant in small letters", "constant of the wrong type")),
    "actor and roles": (r"@role\(|actor: ", ("unknown actor", "unknown role", "role without a field")),
    "glossary": (r"glossary:", ("unknown key",)),
    "policies": (r"policies:", ("unknown key",)),
    "derived search": (r"search:", ("search of an unknown entity", "search by an unknown field", "range of a text", "filter twice")),
    "derived get": (r"get: \[", ("get of an unknown entity",)),
    "derived list": (r"list: \[", ("list of a great entity", "list of the one row")),
    "derived create": (r"create:", ("create that lacks a field", "create without wording")),
    "derived update": (r"update:", ("update without wording", "update wording of another field")),
    "derived delete": (r"delete:", ("delete without wording",)),
    "calculator": (r"calculator: true", ("flag that is none",)),
    "wordings": (r"@asked\(", ("write without wording", "wording with an unknown slot", "wording that is silent about an argument")),
    "bulk wording": (r"bulk=", ("wording that is no text",)),
    "parameter typed by a field": (r"\w+: [A-Z]\w+\.\w+", ("parameter of an unknown field", "parameter of a computed field")),
    "parameter that is a list of rows": (r"list\[[A-Z]", ("parameter of an unknown type",)),
    "default": (r" = (None|\d+|False)[,)]", ("default of the wrong type",)),
    "unset": (r"= unset", ("unsent parameter", "given of a plain parameter")),
    "binding": (r"\w+ = ", ("name bound twice", "name bound in a branch only", "name hides an entity")),
    "require": (r"require\(", ("rule without a sentence", "rule with a small code", "rule after an effect", "rules that exclude each other")),
    "policy": (r"policy\(", ("policy that says",)),
    "evidence": (r"evidence=", ("evidence that is no row",)),
    "assignment": (r"\w+\.\w+ = ", ("assignment to a computed field", "assignment to an id")),
    "augmented assignment": (r" (\+|-)= ", ("other augmented operator", "accumulator")),
    "create": (r"create\([A-Z]", ("create without a field", "create with an unknown field")),
    "bind again after None": (r"is None:\n\s+\w+ = create", ("parameter bound again",)),
    "list of new rows": (r"\[create\(", ("effect inside an expression",)),
    "delete": (r"delete\(\w", ("delete of a list", "use after delete")),
    "patch": (r"patch\(", ("patch without fields", "patch of an unknown field")),
    "copy": (r"copy\(", ("copy of a list", "copy of nothing")),
    "if / else": (r"\n\s+if .*:\n", ("condition that is none",)),
    "for": (r"\n\s+for \w+ in .*:\n", ("loop over a number", "for else")),
    "return": (r"return ", ("early return", "return before the end", "result that may be None")),
    "function with effects": (r"def (fine|charge|note|bill)\(", ("function with effects inside an expression", "recursion")),
    "function with rules": (r"def (must_be_out|open_only)\(", ("function with rules inside an expression", "called rule after an effect")),
    "chained comparison": (r"<= \w[\w.]* <=|== \w+ ==|< \w[\w.]* <", ("comparison with None",)),
    "in": (r" in \(|not in ", ("wrong element in in", "in a number")),
    "is None": (r"is (not )?None", ("test of what is never None", "is with a value")),
    "arithmetic": (r" [*/%] | // ", ("money times money", "date plus number", "division by what may be zero")),
    "conditional expression": (r" if .* else ", ("branches of unlike types",)),
    "list comprehension": (r"\[\w+(\.\w+)* for ", ("unpacking what is no pair",)),
    "dict comprehension": (r"\{\w+\.\w+: .* for ", ("key that is no text",)),
    "dict display": (r"\{'\w+': ", ("key twice", "unknown key of a record")),
    "first elements": (r"\[:\d+\]", ("slice with a start", "slice of a number")),
    "index": (r"\w\[0\]|\['\w+'\]", ("index of nothing", "index of a row")),
    "f-string": (r"f\"", ("format of an f-string", "conversion of an f-string", "record in an f-string")),
    "lambda as key": (r"key=lambda", ("lambda", "key without an order")),
    "invariant": (r"invariants: \|", ("invariant that is no condition", "invariant without a return")),
    "maker": (r"data: \|", ("maker of what is none", "maker that lacks a field", "maker with a statement")),
    "edges": (r"edges|`edges`", ("unknown key",)),
}
ELSEWHERE = {
    "chained comparison": "on the page in words",
    "dict comprehension": "on the page in words",
    "first elements": "on the page in words",
    "index": "on the page in words",
    "lambda as key": "in the table of functions",
    "edges": "in the table of keys",
}


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_a_construct_is_explained_executed_and_guarded(name):
    pattern, titles = CONSTRUCTS[name]
    assert name in ELSEWHERE or re.search(pattern, EXAMPLES), f"no example of {name} on the page"
    assert re.search(pattern, EXECUTED), f"no seed that is compiled and executed uses {name}"
    assert set(titles) <= MISUSE, set(titles) - MISUSE


def test_every_function_is_executed_and_guarded():
    for one in BUILTINS:
        if one.name in ("given", "isa"):
            assert {"given of a plain parameter", "isa of one kind", "isa of a text"} <= MISUSE
            continue
        assert any(title.startswith((f"misuse of {one.name}", f"misuse of .{one.name}")) for title in MISUSE), one.name


def test_the_table_has_no_empty_cell_but_those_that_are_explained(capsys):
    rows = [
        (name, len(re.findall(pattern, EXAMPLES)), len(re.findall(pattern, EXECUTED)), len(titles)) for name, (pattern, titles) in CONSTRUCTS.items()
    ]
    if "-s" in sys.argv:
        with capsys.disabled():
            lines = [
                f"{'construct':36}{'examples':>9}{'executed':>9}{'misuse':>9}",
                *(f"{name:36}{a or '-':>9}{b:>9}{c:>9}" for name, a, b, c in rows),
            ]
            sys.stdout.write("\n" + "\n".join(lines) + "\n")
    assert [name for name, examples, executed, misuse in rows if not (executed and misuse and (examples or name in ELSEWHERE))] == []
