"""No edge starts at a reference that a tool always leaves empty: such a pair of calls cannot be."""

import re

import pytest

from synth.graph.edges import graph
from synth.seed.read import parse_seed

SEED = """
format: "1"
id: lending
title: Lending
about: Things are lent.
entities:
  Person:
    id: "P-{n:02}"
    called: "{name}"
    rows: "6"
    fields: {name: {type: text, unique: true}}
  Thing:
    id: "T-{n:02}"
    called: "{name}"
    rows: "12"
    fields:
      name: {type: text, unique: true}
      holder: {ref: Person, many: things, optional: true}
      status: {lifecycle: {in: [out], out: [in]}}
      seen: {type: integer, start: "0"}
tools: |
  def lend(thing: Thing, person: Person):
      \"\"\"Lend a thing.\"\"\"
      thing.status = 'out'
      thing.holder = person
      return thing

  def bring_back(thing: Thing):
      \"\"\"Take a thing back.\"\"\"
      thing.status = 'in'
      thing.holder = None
      return thing

  def shelve(thing: Thing):
      \"\"\"Take a thing back that an invariant says has no holder then.\"\"\"
      CLEAR
      thing.status = 'in'
      return thing

  def add_thing(name: Thing.name):
      \"\"\"Add a thing.\"\"\"
      return create(Thing, name=name)

  def find(person: Person):
      \"\"\"Find what somebody has.\"\"\"
      return person.things

invariants: |
  def held_while_out():
      \"\"\"A thing that is out has a holder, and no other has one.\"\"\"
      return all((t.status == 'out') == (t.holder is not None) for t in Thing)

data: |
  def Person():
      name = person_name()

  def Thing():
      name = f"thing {serial()}"
      status = 'in'
"""


def asked(text):
    """The seed with a wording above each tool that takes arguments."""

    def wording(found):
        slots = " ".join(f"{{{one.split(':')[0].strip()}}}" for one in found[2].split(","))
        return f'  @asked("{found[1]} {slots}")\n{found[0]}'

    return re.sub(r"^  def (\w+)\((.+)\):$", wording, text, flags=re.MULTILINE)


def givers(clear="thing.holder = None", *changes):
    text = SEED.replace("CLEAR", clear)
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    domain = parse_seed(asked(text).encode(), "lending.yaml")
    return {edge.source for edge in graph(domain).edges if edge.kind == "data" and edge.through == ("Person",)}


def test_a_reference_gives_ids_only_where_it_can_be_there():
    assert givers() == {"lend", "find"}


def test_an_invariant_tells_it_of_a_state_that_the_tool_brings_about():
    assert "shelve" not in givers("thing.seen += 1")
    assert "shelve" in givers("thing.seen += 1", ("+= 1\n      thing.status = 'in'\n", "+= 1\n"))


def test_without_the_invariant_nothing_is_told():
    assert "shelve" in givers("thing.seen += 1", ("(t.status == 'out') == (t.holder is not None)", "t.status == 'in' or t.holder is not None"))


@pytest.mark.parametrize(
    "later",
    ["if thing.seen > 3:\n          thing.holder = other", "for o in [thing]:\n          o.holder = other", "other_thing.holder = other"],
    ids=["a branch", "a loop", "another name of the row"],
)
def test_what_may_be_written_later_is_not_taken_for_empty(later):
    changes = (
        ("def bring_back(thing: Thing)", "def bring_back(thing: Thing, other_thing: Thing, other: Person)"),
        ("      thing.holder = None\n      return", f"      thing.holder = None\n      {later}\n      return"),
        ("(t.status == 'out') == (t.holder is not None)", "t.status == 'in' or t.holder is not None"),
    )
    assert "bring_back" in givers("thing.seen += 1", *changes)
