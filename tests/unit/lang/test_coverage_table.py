"""Coverage of the language: each construct and function has an example on its page, is generated, executed, and its misuse is pinned.

`pytest -s tests/unit/lang/test_coverage_table.py` prints the table. Seeds in which constructs are compiled and executed are those of
tests/property/test_compiled_equals_reference.py, which calls every tool of theirs.
"""

import re
import sys
from functools import cache
from pathlib import Path

import pytest
import yaml

from synth.compile.package import compile_package
from synth.data.world import make_world
from synth.lang.builtins import BUILTINS
from synth.seed.read import read_seed

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/docs"))

from language_examples import DAY_ATTRIBUTE, GENERATORS  # noqa: E402
from language_examples import EXAMPLES as OF_FUNCTIONS  # noqa: E402

EXAMPLES_OF_FUNCTIONS = {name: code for name, (code, _) in OF_FUNCTIONS.items()}
RUN_ON_THE_PAGE = "\n".join([*EXAMPLES_OF_FUNCTIONS.values(), DAY_ATTRIBUTE[0], *GENERATORS.values()])
PAGE = (ROOT / "docs/seed-language.md").read_text(encoding="utf-8")
EXAMPLES = "\n".join(re.findall(r"^```(?:yaml|python) .*?^```", PAGE, re.MULTILINE | re.DOTALL))
PATHS = (ROOT / "tests/data/whole_language.yaml", ROOT / "tests/property/seeds/workshop.yaml")
EXECUTED = "\n".join(one.read_text(encoding="utf-8") for one in (*PATHS, *sorted((ROOT / "seeds").glob("*.yaml"))))
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
    "match: exempt": (r"match: exempt", ("match that is none",)),
    "parameter typed by a struct": (r"def \w+\(.*\w+: Address\b", ("name hides a struct", "list of structs")),
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
    "chained comparison": (r"<= \w[\w.]* <=|\w <= .* <= \w|== \w+ ==|< \w[\w.]* <", ("comparison with None",)),
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
    "now, today, me": (r"\b(now|today|me)\b", ("name hides a given name", "unknown actor")),
    "and, or, not": (r" and | or |\bnot ", ("condition that may be None", "bit or", "bit not")),
    "list display": (r"[=(] ?\[\w[^\]]*\]|= \['", ("star in a list", "enum word in a list")),
    "tuple display": (r" in \('\w+', '", ("enum word in a list", "wrong element in in")),
    "generator": (r"(sum|count|any|all)\(.* for \w+ in ", ("generator outside of data", "sum of texts")),
    "says": (r"says=f?\"", ("rule that says a number", "policy that says")),
    "elif": (r"\n\s+elif .*:", ("condition that is none",)),
    "parameter typed by an entity": (r"def \w+\(\w+: [A-Z]\w+[,)]", ("parameter of an unknown type", "parameter without a type")),
    "parameter typed by a scalar": (r"def \w+\(.*\w+: (text|integer|money|date|bool|decimal)\b", ("parameter of a Python type",)),
    "docstring": (r"\n\s+\"\"\"[A-Z]", ("tool without a docstring", "text of its own")),
    "call of a function": (
        r"(?<!def )\b(late|fine|must_be_out|cost_of|open_only|dear|clashes)\(\w+[,)]",
        ("unknown function", "too many arguments", "keyword that is none"),
    ),
    "move of a lifecycle": (r"\.(status|state) = '", ("move that no state allows", "move to the start")),
    "invariant": (r"invariants: \|", ("invariant that is no condition", "invariant without a return")),
    "maker": (r"data: \|", ("maker of what is none", "maker that lacks a field", "maker with a statement")),
    "edges": (r"edges|`edges`", ("unknown key",)),
}
GENERATED = {
    "id with a counter": r'id="[A-Z]+-\{n',
    "id per parent": r'per="\w+"',
    "id given": r'identity="given"',
    "compound key": r'identity="key"',
    "called": r"def _called\(self\)",
    "rows": r'(?m)^\["[A-Z]\w+",\{"id":',
    "single": r'identity="single"',
    "archive": r"archive=True",
    "unique": r"unique=",
    "plural": r'plural="people"',
    "text": r"rt\.text\(",
    "integer closed": r"closed=",
    "decimal": r"rt\.number_kind\(3\)",
    "money": r"rt\.number_kind\(2\)|Money",
    "bool": r"rt\.boolean\(",
    "date": r"rt\.DATE\b",
    "time": r"rt\.TIME\b",
    "datetime": r"rt\.DATETIME\b",
    "duration": r"rt\.DURATION\b",
    "enum": r"_WORDS = \(",
    "list": r"rt\.list_kind\(",
    "map": r"rt\.map_kind\(",
    "struct": r"\(rt\.Struct\):",
    "match: exempt": r'"exempt"',
    "parameter typed by a struct": r"def \w+\(.*: Address\b",
    "links": r"rt\.Links\(",
    "reference": r"rt\.(optional_)?ref\(",
    "reference to one of two": r'ref\("\w+", "\w+"',
    "many": r"rt\.Many\(",
    "part": r"part=True",
    "tree": r"tree=True",
    "position": r"position=True",
    "each": r'(?m)^\["(Line|Card|Page)",\{"id":',
    "optional": r"rt\.optional_",
    "start": r"start=|_starting\(self\)",
    "is": r"rt\.starting|\.starting\b",
    "always": r"@rt\.always\(",
    "limits": r"low=|_lowest\(self\)",
    "lifecycle": r"rt\.state\(",
    "match text with facts": r'"facts"',
    "history": r'"history": ?true',
    "constants": r"(?m)^[A-Z_]{3,} = ",
    "actor and roles": r"ctx\.actor\(",
    "glossary": r"(?m)^## Words|^- \w+: \w+",
    "policies": r"(?m)^#+ .*[Rr]ules|^- ",
    "derived search": r"ctx\.search\(",
    "derived get": r"rt\.Detail\(",
    "derived list": r"return ctx\.all\(",
    "derived create": r"def create_\w+\(",
    "derived update": r"def update_\w+\(",
    "derived delete": r"def delete_\w+\(",
    "calculator": r"rt\.calculate\(",
    "parameter typed by a field": r'"maxLength": \d+',
    "parameter that is a list of rows": r"rt\.RowsArgument\(",
    "default": r": \w+ = (None|\d+|False)",
    "unset": r"rt\.UNSET",
    "binding": r"(?m)^    \w+ = ",
    "require": r"raise ctx\.refuse\(",
    "policy": r"enforced=False",
    "evidence": r'ctx\.refuse\("\w+", .*, \w+\)',
    "assignment": r"ctx\.update\(",
    "augmented assignment": r"ctx\.update\(\w+, \w+=\w+\.\w+ [+-] ",
    "create": r"ctx\.insert\(",
    "bind again after None": r"is None:\n\s+\w+ = ctx\.insert\(",
    "list of new rows": r"\[\s*ctx\.insert\(|\[new_\w+\(",
    "delete": r"ctx\.delete\(",
    "patch": r"ctx\.patch\(",
    "copy": r"ctx\.copy\(",
    "if / else": r"\n    if .*:\n",
    "for": r"\n    +for \w+ in .*:\n",
    "return": r"(?m)^    return ",
    "function with effects": r"(?m)^def \w+\(ctx: rt\.ToolContext, .*\) -> None:",
    "function with rules": r"(?m)^def \w+\(ctx: rt\.Reader, .*\) -> None:",
    "chained comparison": r"\w <=? \w[\w.]* <=? \w",
    "in": r" in \(|not in ",
    "is None": r"is (not )?None",
    "arithmetic": r" [*+-] \w|rt\.ratio\(",
    "conditional expression": r" if .* else ",
    "list comprehension": r"\[\w+(\.\w+)* for ",
    "dict comprehension": r"\{\w+\.\w+: .* for ",
    "dict display": r'\{"\w+": ',
    "first elements": r"\[:\d+\]",
    "index": r"rt\.nth\(|\[0\]",
    "f-string": r'f"',
    "lambda as key": r"key=lambda",
    "now, today, me": r"ctx\.(now|today|me|actor)\b",
    "and, or, not": r" and | or |\bnot ",
    "list display": r"\[\w[^\]]*\]",
    "tuple display": r" in \(\"\w+\", \"",
    "generator": r"(sum|count|any|all)\(.* for \w+ in ",
    "says": r"raise ctx\.refuse\(",
    "elif": r"(?m)^ +elif .*:$",
    "parameter typed by an entity": r"rt\.RowArgument\(|def \w+\(ctx: rt\.ToolContext, \w+: [A-Z]",
    "parameter typed by a scalar": r"(?m)^def \w+\(ctx: rt\.ToolContext, .*\w+: (str|int|bool|Decimal|date)",
    "docstring": r"(?m)^    \"\"\"[A-Z]",
    "call of a function": r"(?<!def )\b(cost_of|open_only|dear|clashes)\(ctx, ",
    "move of a lifecycle": r"ctx\.update\(\w+, .*(status|state)=",
    "invariant": r"INVARIANTS|invariants",
    "maker": r'(?m)^\["(Product|Book)",\{"',
    "edges": r'(?m)^\["(Order|Loan)",\{"id":',
}
"""What each construct becomes, in the code, the tables, the pages and the rows of a package."""
NOT_IN_PACKAGES = {
    "wordings": "they become the instructions of tasks, never a part of the environment",
    "bulk wording": "the same",
}


@cache
def generated():
    """Everything that is generated from the seeds in which constructs are executed."""
    texts = []
    for path in PATHS:
        domain = read_seed(path)
        files = compile_package(domain, make_world(domain).rows)
        texts += [content.decode() for name, content in sorted(files.items()) if name != "seed.yaml"]
    return "\n".join(texts)


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_a_construct_is_explained_generated_executed_and_guarded(name):
    pattern, titles = CONSTRUCTS[name]
    assert re.search(pattern, EXAMPLES), f"no example of {name} on the page"
    assert name in NOT_IN_PACKAGES or re.search(GENERATED[name], generated()), f"nothing is generated from {name}"
    assert re.search(pattern, EXECUTED), f"no seed that is compiled and executed uses {name}"
    assert titles
    assert set(titles) <= MISUSE, set(titles) - MISUSE


def written(one):
    """Where a function, method or attribute of the language stands in a text."""
    return rf"\.{one.name}\b" if one.form == "attribute" else rf"\.{one.name}\(" if one.form == "method" else rf"(?<![\w.]){one.name}\("


def misuses(one):
    titles = (f"misuse of {one.name}", f"misuse of .{one.name}", *(("given of", "isa of") if one.name in ("given", "isa") else ()))
    return [title for title in MISUSE if title.startswith(titles)]


@pytest.mark.parametrize("one", BUILTINS, ids=lambda one: f"{one.form} {one.name}")
def test_every_function_is_explained_executed_and_guarded(one):
    examples = {**EXAMPLES_OF_FUNCTIONS, **GENERATORS, "day": EXAMPLES_OF_FUNCTIONS["day"] + DAY_ATTRIBUTE[0]}
    assert re.search(written(one), str(examples.get(one.name, ""))), f"no example of {one.name} that is run"
    assert re.search(written(one), EXECUTED + RUN_ON_THE_PAGE), one.name
    assert misuses(one), one.name


def _made(name):
    return len(re.findall(GENERATED[name], generated())) if name not in NOT_IN_PACKAGES else 0


def rows():
    """The table: construct or function, then how often it has an example, is generated, executed, and misused."""
    found = [
        (name, len(re.findall(pattern, EXAMPLES)), _made(name), len(re.findall(pattern, EXECUTED)), len(titles))
        for name, (pattern, titles) in CONSTRUCTS.items()
    ]
    for one in BUILTINS:
        text = EXECUTED + RUN_ON_THE_PAGE
        count = len(re.findall(written(one), text))
        found.append((f"{one.form} {one.name}", len(re.findall(written(one), PAGE)), count, count, len(misuses(one))))
    return found


def test_the_table_has_no_empty_cell(capsys):
    table = rows()
    if "-s" in sys.argv:
        with capsys.disabled():
            lines = [f"{'construct':36}{'examples':>10}{'generated':>10}{'executed':>10}{'misuse':>8}"]
            lines += [f"{name:36}{a or '-':>10}{b or '-':>10}{c or '-':>10}{d or '-':>8}" for name, a, b, c, d in table]
            sys.stdout.write("\n" + "\n".join(lines) + "\n")
    assert [row for row in table if not all(row[1:]) and row[0] not in NOT_IN_PACKAGES] == []
