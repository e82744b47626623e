"""A row takes a word from another row together with what an invariant ties to it; what the call reads besides stays."""

from random import Random

from synth.data.world import make_world
from synth.gate.instance import Lens
from synth.gate.likened import Likened
from synth.gate.standing import Standing
from synth.reference.interpret import Reference
from synth.seed.read import parse_seed

SEED = b"""
format: "1"
id: papers
title: Papers
about: Papers in boxes.
enums:
  Fate: [kept, shredded]
entities:
  Box:
    id: "B-{n}"
    called: "box {n}"
    rows: "2"
    fields:
      n: {type: integer, unique: true}
  Paper:
    id: "P-{n}"
    called: "{title}"
    rows: "4"
    fields:
      box: {ref: Box, many: papers}
      title: {type: text, unique: true}
      fate: {type: Fate}
      shredded_on: {type: date, optional: true}
derive:
  get: [Paper]
tools: |
  def kept_papers(box: Box):
      \"\"\"Get the titles of the papers that a box holds.\"\"\"
      return [p.title for p in box.papers if p.fate == 'kept']
invariants: |
  def shredding_has_its_day():
      \"\"\"Exactly a shredded paper has a day.\"\"\"
      return all((p.fate == 'shredded') == (p.shredded_on is not None) for p in Paper)
data: |
  def Box():
      n = serial()

  def Paper():
      box = pick([b for b in Box if b.n == (1 if serial() < 3 else 2)])
      title = f"paper {serial()}"
      fate = 'kept' if serial() < 3 else 'shredded'
      shredded_on = None if serial() < 3 else today
"""


def test_a_kept_paper_becomes_a_shredded_one_with_its_day_and_stays_in_its_box():
    reference = Reference(parse_seed(SEED, "papers.yaml"))
    start = reference.state(make_world(reference.domain, 0).rows)
    standing = Standing(reference, start, reference.now)
    box = next(row["box_id"] for row in start.rows("Paper") if row["fate"] == "kept")
    seen = Lens(reference).look(start, "kept_papers", {"box_id": box}, reference.now)
    states = list(Likened(reference, standing, Random(0)).of(seen))
    assert states
    for state in states:
        turned = [row for row in state.rows("Paper") if row != start.row("Paper", str(row["id"]))]
        assert [(row["box_id"], row["fate"], row["shredded_on"] is not None) for row in turned] == [(box, "shredded", True)]
        assert reference.invariants(state) == []


def test_one_word_is_drawn_and_what_is_tied_to_it_follows():
    reference = Reference(parse_seed(SEED, "papers.yaml"))
    start = reference.state(make_world(reference.domain, 0).rows)
    likened = Likened(reference, Standing(reference, start, reference.now), Random(1))
    box = next(row["box_id"] for row in start.rows("Paper") if row["fate"] == "kept")
    seen = Lens(reference).look(start, "kept_papers", {"box_id": box}, reference.now)
    state = likened.one(seen)
    assert state is not None
    assert reference.invariants(state) == []
    assert [row["fate"] for row in state.rows("Paper") if row != start.row("Paper", str(row["id"]))] == ["shredded"]
