"""A wrong compiler is caught by the gate: pieces of code generation are spoiled, one at a time."""

import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from registry.catalogue import open_folder
from synth import disk
from synth.compile import calls, expressions, returns, rows_py, tools_py
from synth.compile.calls import _SPECIAL
from synth.compile.expressions import Expressions
from synth.compile.rows_py import RowsModule
from synth.compile.statements import Statements
from synth.compile.tools_py import ToolsModule
from synth.data.world import make_world
from synth.gate import tester
from synth.gate.execute import execute
from synth.gate.faults import all_faults
from synth.gate.prove import told
from synth.gate.seek import seek_all
from synth.gate.standing import Standing
from synth.lang import nodes as n
from synth.package import package_files
from synth.reference.interpret import Reference
from synth.seed.read import read_seed

SEED = Path(__file__).parents[2] / "data" / "planted_faults.yaml"


@pytest.fixture(scope="module")
def shop():
    """The seed, its world, and what the gate looks at: none of it comes from the compiler."""
    domain = read_seed(SEED)
    reference = Reference(domain)
    start = reference.state(make_world(domain, 0).rows)
    standing = Standing(reference, start, reference.now)
    sought = seek_all(reference, start, standing, domain.sha256)
    assert all_faults(domain, reference, start, sought) == []
    return SimpleNamespace(domain=domain, reference=reference, start=start, standing=standing, sought=sought)


def unexpected(shop, folder):
    """What the gate finds in the package that the compiler makes now."""
    disk.write_folder(package_files(shop.domain), folder)
    environment = open_folder(folder)
    found = execute(environment, shop.reference, shop.start, shop.sought).unexpected
    if found:
        return found
    tested = tester.Tester(environment, shop.reference, shop.start, shop.standing).test(6, 12, seed=0)
    return [problem for failure in tested.failures for problem in failure.problems]


def item(mapping, key, value):
    return lambda patch: patch.setitem(mapping, key, value)


def wrapped(owner, name, change):
    """Replaces a method by one that gets the old one first."""
    old = getattr(owner, name)
    return lambda patch: patch.setattr(owner, name, lambda *args, **more: change(old, *args, **more))


def in_tools(change):
    """A change of rules as tools.py has them, not checks.py."""
    return lambda old, self, one, depth: old(self, one, depth) if self._trial else change(old, self, one, depth)


def changed_rule(**fields):
    return wrapped(Statements, "_rule", in_tools(lambda old, self, one, depth: old(self, replace(one, **fields), depth)))


def changed_field(**fields):
    return wrapped(RowsModule, "_field", lambda old, self, entity, field: old(self, entity, replace(field, **fields)))


def changed_entity(name, **fields):
    return wrapped(
        RowsModule, "_about", lambda old, self, entity: old(self, replace(entity, **fields) if entity.name == name else entity)
    )  # fmt: skip


def changed_search(change):
    return wrapped(ToolsModule, "_search", lambda old, self, tool: old(self, replace(tool, search=change(tool.search))))


def other_order(search):
    return replace(search, sort=tuple(one[1:] if one.startswith("-") else f"-{one}" for one in search.sort))


def other_column(search):
    return replace(search, filters=tuple(replace(one, field="name") if one.field == "grade" else one for one in search.filters))


def operand(op, node):
    return replace(node, op=op) if isinstance(node, n.Binary) and node.op == "-" else node


def joins_all(self, group, row):
    return isinstance(group[-1], n.Assign)


def first_keyword(node):
    return replace(node, keywords=node.keywords[:1])


FAULTS = {
    "an operator becomes another": wrapped(Expressions, "_binary", lambda old, self, node: old(self, operand("+", node))),
    "a boundary is one off": item(expressions._OPPOSITE, "<", ">"),
    "another boundary is one off": item(expressions._OPPOSITE, ">", "<"),
    "a comparison is turned": item(expressions._OPPOSITE, "==", "=="),
    "words are compared by the alphabet": wrapped(Expressions, "_side", lambda old, self, node, enum, op: old(self, node, None, op)),
    "None is tested the wrong way": wrapped(Expressions, "_operator", lambda old, self, *op: old(self, *op).replace("is", "is not", 1)),
    "or becomes and": wrapped(Expressions, "_logic", lambda old, self, node: old(self, replace(node, op="and"))),
    "a rule is dropped": wrapped(Statements, "_rule", in_tools(lambda old, self, one, depth: [])),
    "a refusal has another code": changed_rule(code="OTHER"),
    "a refusal has no evidence": changed_rule(evidence=()),
    "a refusal says the rule, not what is the case": changed_rule(says=None),
    "a policy is enforced": lambda patch: patch.setattr(tools_py, "without_policies", lambda domain, body: body),
    "an enforced rule is told as a policy": wrapped(
        Statements, "_rule", lambda old, self, one, depth: old(self, replace(one, enforced=False) if self._trial else one, depth)
    ),
    "writes are joined that read one another": lambda patch: patch.setattr(Statements, "_joins", joins_all),
    "+= takes away": wrapped(Statements, "_new_value", lambda old, self, one: old(self, replace(one, op="-=") if one.op == "+=" else one)),
    "an effect is missing": wrapped(Statements, "_do", lambda old, self, one, depth: [f"{'    ' * depth}pass"]),
    "a field of a new row is missing": wrapped(Expressions, "values", lambda old, self, values: old(self, values[:-1])),
    "a loop stops after the first": wrapped(
        Statements, "_for", lambda old, self, one, depth: old(self, replace(one, source=head(one.source)), depth)
    ),
    "the last branch is lost": wrapped(Statements, "_if", lambda old, self, one, depth: old(self, replace(one, branches=one.branches[:1]), depth)),
    "money is kept in dimes": wrapped(rows_py, "kind_code", lambda old, kind: "rt.number_kind(1)" if kind.kind == "money" else old(kind)),
    "results are not rounded": lambda patch: patch.setattr(returns, "wire", lambda printer, value, kind: value),
    "a list is sorted the other way": item(_SPECIAL, "sorted", lambda printer, node: calls._sorted(printer, first_keyword(node))),
    "a sum is taken for the greatest": item(_SPECIAL, "max", calls._sum),
    "a column may not be empty": changed_field(unique=True),
    "a value need not be unique": changed_field(unique=False),
    "limits are gone": changed_field(low=None, high=None),
    "a start is gone": changed_field(start=None),
    "parts stay when their row goes": changed_field(part=False),
    "a lifecycle is not looked at": lambda patch: patch.setattr(rows_py, "_after", lambda field, state: field.lifecycle.states),
    "ids are numbered otherwise": changed_entity("Bill", id_pattern="B-{n:04}"),
    "a page is shorter": wrapped(tools_py, "paging", lambda old, tool: tuple(one.replace("20", "10") for one in old(tool))),
    "a search is sorted the other way": changed_search(other_order),
    "a search looks at another column": changed_search(other_column),
    "contains becomes equal": item(tools_py._MODES, "contains", "rt.equal"),
    "the lower end of a range is the upper": item(tools_py._MODES, "from", "rt.at_most"),
    "what was not sent is written": wrapped(Statements, "_patch", lambda old, *args: [one.replace(".patch", ".update") for one in old(*args)]),
}  # fmt: skip


def head(source):
    one = n.Const(where=source.where, type=n.Type(kind="integer"), value=1)
    return n.Head(where=source.where, type=source.type, base=source, stop=one)


def test_the_compiler_as_it_is_is_not_complained_of(shop, tmp_path):
    assert unexpected(shop, tmp_path / "planted_faults") == []
    assert len(FAULTS) >= 20


@pytest.mark.parametrize("plant", FAULTS.values(), ids=FAULTS)
def test_a_fault_of_the_compiler_is_caught(shop, tmp_path, monkeypatch, plant):
    sound = package_files(shop.domain)
    plant(monkeypatch)
    assert package_files(shop.domain) != sound, "the fault must change what is compiled"
    assert unexpected(shop, tmp_path / "planted_faults")


def test_what_is_unexpected_is_told_with_the_smallest_change_of_the_world(shop, tmp_path, monkeypatch):
    FAULTS["a rule is dropped"](monkeypatch)
    sentences = [one for one in unexpected(shop, tmp_path / "planted_faults") if "TOO_MANY" in one and one.startswith("hire(")]
    assert sentences
    for one in sentences:
        changed = re.findall(r"with (\w+) T-\d+ as ({.*?})", one.split(": expected")[0])
        assert all("holder_id" in values for _, values in changed), one
        assert len(changed) <= 3, "three things are held, and nothing else matters"


def test_a_round_that_fails_is_told_with_the_shortest_sequence_of_calls(shop, tmp_path, monkeypatch):
    FAULTS["ids are numbered otherwise"](monkeypatch)
    disk.write_folder(package_files(shop.domain), tmp_path / "planted_faults")
    environment = open_folder(tmp_path / "planted_faults")
    (failure, *_) = tester.Tester(environment, shop.reference, shop.start, shop.standing).test(10, 12, seed=0).failures
    assert [tool for tool, _ in failure.calls] == ["bill"]
    assert told(failure).startswith("tools.bill: result: expected ")
    assert "(found by bill({" in told(failure)
