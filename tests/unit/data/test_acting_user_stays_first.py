"""The acting user of a world is the row that the data made first, whatever ids are drawn."""

from synth.data.renumber import renumber
from synth.data.stream import world_stream
from synth.data.world import make_world
from tests.unit.compile.building import HEAD, domain_of

SEED = """
entities:
  Clerk:
    id: "CLK-{n:02}"
    called: "{name}"
    rows: "9"
    fields: {name: text, chief: bool}
derive: {get: [Clerk]}
tools: |
  @asked("praise {clerk}")
  def praise(clerk: Clerk):
      \"\"\"Praise somebody.\"\"\"
      require(me.chief, NOT_CHIEF, "Only the chief praises.")
      clerk.name = f"{clerk.name}!"
      return clerk
data: |
  def Clerk():
      name = person_name()
      chief = serial() == 1
"""


def test_the_first_row_that_is_made_acts_in_every_world_and_after_new_ids(tmp_path):
    domain = domain_of(tmp_path, SEED, head=HEAD + "actor: Clerk\n")
    for number in range(6):
        rows = make_world(domain, number).rows
        again, _ = renumber(domain, rows, world_stream("again", number))
        for world in (rows, again):
            assert [row["chief"] for table, row in world if table == "Clerk"] == [1, *(0,) * 8]
