"""Invariants of start states: data and distractors keep them, calls may break them; copies of rows are rows of their own."""

import pytest

from synth.data.world import make_world
from synth.errors import WorldError
from synth.reference.interpret import reference
from synth.reference.state import Ref
from synth.seed.read import parse_seed
from synth.tasks.chance import chance
from synth.tasks.proving.clone import Cloner
from synth.tasks.rows.guard import Guard
from synth.tasks.workshop import Workshop

SEED = """format: "1"
id: loans
title: Loans
about: Tools that neighbours borrow.
entities:
  Member: {id: "MBR-{n:03}", called: "{name}", rows: "20", fields: {name: text, email: text, phone: {type: text, unique: true}, level: integer}}
  Loan: {id: "LOA-{n:03}", fields: {member: {ref: Member, part: true, many: loans, each: "1..2"}, due: date}}
derive: {search: {Member: [name, phone]}, update: {Member: {fields: [level], asked: {level: ["set the level of {member} to {level}"]}}}}
invariants: |
  @start
  def levels_are_low():
      \"\"\"No level is above three.\"\"\"
      return all(m.level <= 3 for m in Member)
data: |
  def Member():
      name = person_name()
      email = email_of(name)
      phone = phone_number()
      level = integer(1, MOST)
  def Loan(member: Member):
      due = date_between(today, today + days(20))
"""


def _domain(most: str = "3"):
    return parse_seed(SEED.replace("MOST", most).encode(), "loans.yaml")


def test_a_law_of_start_states_is_checked_on_data_and_not_on_calls() -> None:
    domain = _domain()
    assert [one.name for one in domain.at_start] == ["levels_are_low"]
    assert not domain.invariants
    state = reference(domain).state(make_world(domain, 0).rows)
    after = reference(domain).predict(state, "update_member", {"member_id": "MBR-001", "level": 9}, reference(domain).now)
    assert after.kind == "ok"
    assert not reference(domain).invariants(after.state)
    with pytest.raises(WorldError, match="levels_are_low"):
        make_world(_domain("9"), 0)


def test_rows_made_for_a_task_keep_it() -> None:
    domain = _domain()
    state = reference(domain).state(make_world(domain, 0).rows)
    guard, grown = Guard(domain, state), state.fork()
    grown.update("Member", "MBR-001", {**state.tables["Member"]["MBR-001"], "level": 9})
    assert not guard.admits(grown, [Ref("Member", "MBR-001")])
    assert not guard.holds(grown)


def test_a_copy_of_somebody_has_name_address_and_number_of_its_own_and_copies_of_the_parts() -> None:
    domain = _domain()
    worlds = [reference(domain).state(make_world(domain, number).rows) for number in (0, 1)]
    shop = Workshop(domain=domain, state=worlds[0], sibling=worlds[1], rng=chance(domain.sha256, 0, "clones"))
    state = worlds[0].fork()
    cloner = Cloner(shop, state, [])
    copy = cloner.clone(Ref("Member", "MBR-001"), {"level": 2}, frozenset(["level"]))
    assert copy is not None
    before, after = state.tables["Member"]["MBR-001"], state.tables["Member"][copy.key]
    assert {after[one] for one in ("name", "email", "phone")}.isdisjoint(before.values())
    assert any((row["name"], row["email"]) == (after["name"], after["email"]) for row in worlds[1].tables["Member"].values())
    assert len(state.where("Loan", "member_id", copy.key)) == len(state.where("Loan", "member_id", "MBR-001"))


def test_rows_that_were_to_lie_in_themselves_are_not_let_in() -> None:
    boxes = 'Box: {id: "BOX-{n:02}", rows: "3", fields: {name: text, parent: {ref: Box, tree: true, optional: true}}}'
    text = SEED.replace("MOST", "3").replace("derive:", f"  {boxes}\nderive:") + "  def Box():\n      name = person_name()\n      parent = None\n"
    domain = parse_seed(text.encode(), "loans.yaml")
    state = reference(domain).state(make_world(domain, 0).rows)
    guard, grown = Guard(domain, state), state.fork()
    grown.update("Box", "BOX-01", {**state.tables["Box"]["BOX-01"], "parent_id": "BOX-02"})
    assert guard.admits(grown, [Ref("Box", "BOX-01")])
    grown.update("Box", "BOX-02", {**state.tables["Box"]["BOX-02"], "parent_id": "BOX-01"})
    assert not guard.admits(grown, [Ref("Box", "BOX-02")])
