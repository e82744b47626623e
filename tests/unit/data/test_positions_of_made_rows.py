"""Rows with positions and archives, made without a word about either."""

from synth.data.world import make_world
from tests.unit.compile.building import domain_of

SEED = """
entities:
  Road:
    id: "RD-{n}"
    called: "{name}"
    rows: "12"
    archive: true
    fields: {name: text}
  Stop:
    id: "{parent}-{n}"
    per: road
    called: "stop {number} of {road.name}"
    fields:
      road: {ref: Road, many: stops, part: true, position: true, each: "5..5"}
      number: integer
derive: {get: [Road]}
tools: |
  @asked("{stop} is first")
  def begin_with(stop: Stop):
      \"\"\"Put a stop at the start.\"\"\"
      stop.position = 1
      return stop
data: |
  def Stop(road: Road):
      number = len(road.stops) + 1
"""


def test_rows_stand_in_the_order_in_which_they_were_made_and_none_is_archived(tmp_path):
    rows = make_world(domain_of(tmp_path, SEED)).rows
    stops = [row for table, row in rows if table == "Stop"]
    assert len(stops) == 60
    assert all(row["position"] == row["number"] for row in stops)
    assert all(row["archived"] == 0 for table, row in rows if table == "Road")
