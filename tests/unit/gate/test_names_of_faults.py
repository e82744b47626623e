"""The name of a fault in a list of exceptions stands for that fault alone."""

import ast

from registry.package.schema import Schema
from synth.gate.edits import Edits

TWICE = """
def settle(ctx, bill, other):
    if bill.paid == 0:
        ctx.update(bill, state="open")
    if other.paid == 0:
        ctx.update(other, state="open")
"""


def keys(source):
    return [one.key for one in Edits(Schema(), {}).of(ast.parse(source))]


def test_a_fault_is_named_with_the_statement_that_it_changes():
    found = keys(TWICE)
    assert "settle: off by one: 0 becomes 1 in `if bill.paid == 0`" in found
    assert "settle: wrong constant: 'open' becomes 'openx' in `ctx.update(other, state='open')`" in found


def test_only_the_functions_that_are_chosen_are_made_faulty():
    source = ast.parse(TWICE + "\ndef page(ctx, limit=20):\n    return limit\n")
    assert {one.function for one in Edits(Schema(), {}).of(source, lambda name: name == "page")} == {"page"}


def test_no_two_faults_have_one_name():
    found = keys(TWICE + "    if bill.paid == 0 or other.paid == 0:\n        ctx.update(bill, state='open')\n")
    assert len(set(found)) == len(found)


def test_faults_that_read_alike_are_numbered_with_how_many_there_are():
    found = keys("def both(ctx, bill):\n    return bill.paid == 0 or bill.left == 0\n")
    named = [one for one in found if "0 becomes 1 " in one]
    assert named == [f"both: off by one: 0 becomes 1 in `return bill.paid == 0 or bill.left == 0` ({number} of 2)" for number in (1, 2)]


def test_a_fault_in_a_default_is_named_with_the_parameters():
    assert keys("def page(ctx, limit=20):\n    return limit\n") == [f"page: off by one: 20 becomes {other} in its parameters" for other in (21, 19)]
