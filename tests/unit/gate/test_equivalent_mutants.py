"""The rules by which a fault in a tool is told to change nothing, and cases beside them."""

import ast

import pytest

from registry.catalogue import open_folder
from synth import disk
from synth.gate.edits import Edits
from synth.gate.equivalent import EITHER_WAY, EXCLUDED, PLACES, equivalent
from synth.gate.places import Places
from synth.package import package_files
from synth.seed.read import parse_seed

SEED = b"""
format: "1"
id: accounts
title: Accounts
about: Bills of people.
entities:
  Bill:
    id: "B-{n:02}"
    called: "{about}"
    rows: "6"
    fields:
      about: {type: text, unique: true}
      amount: {type: money, low: "0"}
      paid: {type: money, low: "0"}
      weight: {type: decimal, places: "3"}
      third: {type: money, always: "amount / 3"}
      left: {type: money, always: "amount - paid"}
derive:
  get: [Bill]
data: |
  def Bill():
      about = f"bill {serial()}"
      amount = money(1, 9)
      paid = 0
      weight = decimal(1, 9)
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    folder = tmp_path_factory.mktemp("packages") / "accounts"
    files = package_files(parse_seed(SEED, "accounts.yaml"))
    disk.write_folder(files, folder)
    return Edits(open_folder(folder).rows.SCHEMA, {}), ast.parse(files["rows.py"])


FUNCTIONS = """
def open_bills(ctx):
    return ctx.all(Bill)

def left(ctx):
    return rt.total(b.amount - b.paid for b in ctx.all(Bill))

def alike(ctx, one, other):
    return one.about == other.about and one.paid < other.amount + other.paid and other.paid < one.amount + one.paid

def before(ctx, one, other):
    return one.about == other.about and one.paid < other.amount

def either(ctx, one, other):
    return one.paid < other.amount or rt.same(one, other)

def share(ctx):
    return rt.total(b.amount for b in ctx.all(Bill)) / 3

"""


def rules(package, body):
    edits, rows = package
    source = FUNCTIONS + "def tool(ctx, bill: Bill, count: int, rate: Fraction):\n" + "".join(f"    {line}\n" for line in body)
    module = ast.parse(source)
    places = Places(edits.columns, module, rows)
    return {equivalent(edit, places) for edit in edits.of(module) if edit.function == "tool"} - {""}


@pytest.mark.parametrize(
    "value",
    [
        "rt.total(b.amount - b.paid for b in bills)",
        "bill.amount + count",
        "rt.total(part for part in [b.paid for b in open_bills(ctx)])",
        "bill.amount * count",
        "bill.left",
        "bill.amount - left(ctx)",
        "bill.amount if count > 3 else bill.paid",
    ],
)
def test_what_is_made_of_amounts_and_whole_numbers_has_no_third_place(package, value):
    assert rules(package, ["bills = ctx.all(Bill)", f"return rt.fixed({value}, 2)"]) == {PLACES}


@pytest.mark.parametrize(
    "value", ["bill.amount / 2", "bill.amount * rate", "bill.third", "bill.weight", "rate", "share(ctx)", "bill.amount * bill.amount", "bill.unknown"]
)
def test_other_values_may_have_one(package, value):
    assert rules(package, [f"return rt.fixed({value}, 2)"]) == set()


def test_a_comparison_may_take_in_what_was_refused_before(package):
    refused = ["if len(one) == len(other):", '    raise ctx.refuse("TIE", "A tie decides nothing.")']
    lists = ["one = ctx.all(Bill)", "other = ctx.all(Bill)"]
    decided = ["return len(one) > len(other)"]
    assert rules(package, [*lists, *refused, *decided]) == {EXCLUDED}
    assert rules(package, [*lists, *decided]) == set()
    assert rules(package, [*lists, *refused, "return len(one) > count"]) == set()
    assert (
        rules(package, ["if bill.paid == count:", '    raise ctx.refuse("SAME", "Same.")', "ctx.update(bill, paid=3)", "return bill.paid > count"])
        == set()
    )


def test_where_two_arguments_stand_either_way_round_exchanging_them_changes_nothing(package):
    assert rules(package, ["return alike(ctx, ctx.get(Bill, count), bill)"]) == {EITHER_WAY}


@pytest.mark.parametrize("call", ["before(ctx, ctx.get(Bill, count), bill)", "either(ctx, ctx.get(Bill, count), bill)", "other(ctx, bill, count)"])
def test_where_the_order_of_arguments_counts_or_cannot_be_told_exchanging_them_is_no_equivalent(package, call):
    assert rules(package, [f"return {call}"]) == set()
