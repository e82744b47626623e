"""A condition of a filter matters to a call when the same call comes to something else in a seed that lacks it."""

import pytest

from synth.data.world import make_world
from synth.gate.dropped import Drops
from synth.gate.instance import Lens
from synth.gate.part_goals import part_goals
from synth.reference.interpret import Reference
from synth.seed.read import parse_seed

SEED = b"""
format: "1"
id: members
title: Members
about: People and their cards.
entities:
  Person:
    id: "P-{n}"
    called: "{name}"
    rows: "1"
    fields:
      name: {type: text, unique: true}
  Card:
    id: "C-{n}"
    called: "card {number}"
    rows: "2"
    fields:
      owner: {ref: Person, many: cards}
      number: {type: integer}
      lost: {type: bool}
derive:
  get: [Card]
tools: |
  def lost_cards(person: Person, least: integer):
      \"\"\"Get the lost cards of a person from a number on.\"\"\"
      return [c for c in person.cards if c.lost and c.number >= least]

  def any_lost(person: Person):
      \"\"\"Tell whether a card of a person is lost.\"\"\"
      return any(c.lost for c in person.cards)

  def all_lost(person: Person):
      \"\"\"Get the lost cards of a person.\"\"\"
      return [c for c in person.cards if c.lost]
data: |
  def Person():
      name = person_name()

  def Card():
      owner = pick(Person)
      number = serial()
      lost = number == 1
"""


@pytest.fixture(scope="module")
def members():
    reference = Reference(parse_seed(SEED, "members.yaml"))
    return reference, reference.state(make_world(reference.domain, 0).rows)


def told(members, least):
    """For each condition of the filter, whether leaving it out would be seen."""
    reference, state = members
    tool = reference.domain.tool("lost_cards")
    drops = Drops(reference, tool)
    instance = Lens(reference).look(state, tool.name, {"person_id": "P-1", "least": least}, reference.now)
    about = [one for one in part_goals(reference.domain, tool) if drops.about(one)]
    return {goal.number: drops.tells(goal, instance) for goal in about}


LOST, FROM = 0, 1


def test_each_condition_of_a_filter_is_looked_at(members):
    assert told(members, 1).keys() == {LOST, FROM}


def test_a_condition_tells_when_it_alone_keeps_a_row_out(members):
    assert told(members, 1) == {LOST: True, FROM: False}


def test_a_condition_does_not_tell_when_another_one_keeps_the_row_out_too(members):
    assert told(members, 3) == {LOST: False, FROM: True}


def test_the_only_condition_of_a_filter_may_be_left_out_too(members):
    reference, state = members
    tool = reference.domain.tool("all_lost")
    drops = Drops(reference, tool)
    instance = Lens(reference).look(state, tool.name, {"person_id": "P-1"}, reference.now)
    assert [drops.tells(one, instance) for one in part_goals(reference.domain, tool) if drops.about(one)] == [True]


def test_a_tool_without_a_filter_has_no_condition_to_leave_out(members):
    reference, _ = members
    tool = reference.domain.tool("any_lost")
    drops = Drops(reference, tool)
    assert not [one for one in part_goals(reference.domain, tool) if drops.about(one)]
