"""A rule that builds on another one says nothing where that one is broken; compiled checks and the interpreter agree on it."""

from synth.reference.interpret import Reference
from tests.unit.compile.building import build, domain_of

SEED = """
entities:
  Box:
    id: "BOX-{n}"
    called: "{name}"
    fields: {name: text, inner: {ref: Box, optional: true, many: outer}, mark: {type: text, optional: true}}
tools: |
  @asked("swap {box} and {other}")
  def swap_boxes(box: Box, other: Box):
      \"\"\"Let two boxes swap what is in them.

      other: The other box.
      \"\"\"
      require(box.inner is not None and other.inner is not None, EMPTY, "Both boxes hold something.")
      require(box.inner != other.inner, SAME, "They hold different things.")
      one = first(b for b in Box if b.name == box.name)
      two = first(b for b in Box if b.name == 'nobody')
      require(one is not None and two is not None, NOBODY, "Both boxes are found in the list.")
      require(one != two, TWICE, "The two boxes that are found differ.")
      box.inner = two
      return box
"""
ROWS = [
    ("Box", {"id": "BOX-1", "name": "a", "inner_id": None, "mark": None}),
    ("Box", {"id": "BOX-2", "name": "b", "inner_id": None, "mark": None}),
]
"""Both hold nothing: whether they hold the same thing is no question."""


def test_a_comparison_of_what_is_missing_breaks_no_rule_of_its_own(tmp_path):
    domain = domain_of(tmp_path, SEED)
    reference = Reference(domain)
    found = reference.broken(reference.state(ROWS), "swap_boxes", {"box_id": "BOX-1", "other_id": "BOX-2"}, reference.now)
    assert [one.code for one in found] == ["EMPTY", "NOBODY"]
    built = build(domain)
    one, two = (built.add("Box", name=row["name"]) for _, row in ROWS)
    assert [code for code, *_ in built.broken("swap_boxes", box_id=one.id, other_id=two.id)] == ["EMPTY", "NOBODY"]
