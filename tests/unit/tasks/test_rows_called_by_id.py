"""Rows that people call by their id are described by it."""

from random import Random

from synth.reference.interpret import reference
from synth.tasks.references.describe import describe
from synth.tasks.rows.view import View
from tests.unit.compile.building import domain_of

SEED = """
entities:
  Room:
    id: given
    called: "room {id}"
    fields: {seats: integer}
  Chair:
    id: "CH-{n}"
    called: "the chair in room {room.id}"
    fields: {room: {ref: Room, many: chairs}}
derive: {get: [Room, Chair]}
tools: |
  @asked("{room} has {seats} seats")
  def set_seats(room: Room, seats: Room.seats):
      \"\"\"Set the seats of a room.\"\"\"
      room.seats = seats
      return room
"""
ROWS = [("Room", {"id": "A7", "seats": 4}), ("Room", {"id": "B2", "seats": 4}), ("Chair", {"id": "CH-1", "room_id": "B2"})]


def test_the_id_stands_in_the_description_of_the_row_and_of_what_belongs_to_it(tmp_path):
    domain = domain_of(tmp_path, SEED)
    view = View(domain, reference(domain).state(ROWS))
    room, chair = describe(view, "Room", "A7", "s", Random(1)), describe(view, "Chair", "CH-1", "s", Random(1))
    assert room is not None
    assert str(room.phrase) == "room A7"
    assert chair is not None
    assert str(chair.phrase) == "the chair in room B2"


def test_an_id_that_a_counter_makes_is_left_out_and_other_facts_tell_the_row(tmp_path):
    seed = SEED.replace('called: "the chair in room {room.id}"', 'called: "the chair in room {room.id} ({id})"')
    view = View(domain_of(tmp_path, seed), reference(domain_of(tmp_path, seed)).state(ROWS))
    chair = describe(view, "Chair", "CH-1", "s", Random(1))
    assert chair is not None
    assert str(chair.phrase) == "the chair in room B2"
    twice = reference(view.domain).state([*ROWS, ("Chair", {"id": "CH-2", "room_id": "B2"})])
    assert describe(View(view.domain, twice), "Chair", "CH-1", "s", Random(1)) is None
