"""Ids joined of several parts: whatever stands in the parts, different rows have different ids, in the real engine and in the reference alike."""

import itertools
import tempfile
from functools import cache
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from registry.catalogue import open_folder
from registry.environment import Environment
from registry.episode import LocalEpisode
from registry.package.compound import joined, parts, renamed
from synth.compile.package import compile_package
from synth.data.renumber import renumber as renumbered
from synth.data.stream import world_stream
from synth.lang.domain import Domain
from synth.reference.interpret import reference
from synth.seed.read import parse_seed

SEED = """
id: shelves
title: Shelves
entities:
  Place:
    key: [hall, shelf]
    called: "{hall} {shelf}"
    fields: {hall: text, shelf: text, stored: {links: Place}}
  Box:
    key: [place, label]
    called: "{label}"
    fields: {place: {ref: Place, many: boxes}, label: text}
derive:
  get: [Place, Box]
  create:
    Place: {fields: [hall, shelf], asked: ["add {shelf} in {hall}"]}
    Box: {fields: [place, label], asked: ["put {label} on {place}"]}
tools: |
  @asked("tie {place} to {other}")
  def tie(place: Place, other: Place):
      \"\"\"Tie two places to each other.\"\"\"
      place.stored += [other]
      return place

  @asked("untie {place} from {other}")
  def untie(place: Place, other: Place):
      \"\"\"Untie two places.\"\"\"
      place.stored -= [other]
      return place
"""
PART = st.text(alphabet="/~01a", min_size=1, max_size=4)


@cache
def shelves() -> tuple[Domain, Environment]:
    domain = parse_seed(SEED.encode(), "shelves.yaml")
    folder = Path(tempfile.mkdtemp()) / domain.id
    for name, content in compile_package(domain, ()).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return domain, open_folder(folder)


class Both:
    """One episode of the real engine and the reference's state beside it."""

    def __init__(self) -> None:
        self.domain, environment = shelves()
        self.reference = reference(self.domain)
        self.state = self.reference.state(())
        self.episode = LocalEpisode(environment, free_play=True)

    def call(self, tool: str, **arguments: str):
        outcome = self.episode.call(tool, arguments)
        told = self.reference.predict(self.state, tool, arguments, self.reference.now)
        assert (outcome.kind, outcome.code, outcome.result) == (told.kind, told.code, told.result)
        self.state = told.state
        return outcome

    def rows(self):
        return sorted((table, str(row["id"])) for table, row in self.episode.snapshot())


@given(st.lists(st.lists(PART, min_size=1, max_size=3).map(tuple), min_size=2, max_size=6, unique=True))
def test_different_parts_never_give_one_id_and_an_id_gives_its_parts_back(several):
    assert len({joined(one) for one in several}) == len(several)
    assert [parts(joined(one)) for one in several] == several


@given(st.lists(PART, min_size=2, max_size=3), PART)
def test_a_new_name_of_a_part_is_found_in_every_id_that_holds_it(several, new):
    old = "row-1"
    nested = joined([joined([old, several[0]]), *several[1:]])
    assert renamed(nested, {old: new}) == joined([joined([new, several[0]]), *several[1:]])
    assert renamed(joined(several), {}) == joined(several)


def test_ids_of_plain_parts_look_as_before():
    assert joined(("PL-01", "CL-0540")) == "PL-01/CL-0540"
    assert parts("WH-02/DR-7943") == ("WH-02", "DR-7943")


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(PART, PART), min_size=2, max_size=4, unique=True), PART)
def test_rows_of_every_pair_of_texts_live_beside_each_other(pairs, label):
    both = Both()
    places = []
    for hall, shelf in pairs:
        made = both.call("create_place", hall=hall, shelf=shelf)
        assert made.kind == "ok", made
        places.append(made.result["id"])
    assert len(set(places)) == len(pairs)
    boxes = [both.call("create_box", place_id=one, label=label).result["id"] for one in places]
    assert len(set(boxes)) == len(pairs)
    for one, other in itertools.product(places, places):
        assert both.call("tie", place_id=one, other_id=other).kind == "ok"
    assert len([one for table, one in both.rows() if table == "Place_stored"]) == len(pairs) ** 2
    assert both.call("create_place", hall=pairs[0][0], shelf=pairs[0][1]).code == "DUPLICATE"
    assert both.call("untie", place_id=places[0], other_id=places[1]).kind == "ok"
    rows, ids = renumbered(both.domain, [(table, row) for table, row in both.state.world_rows()], world_stream("any"))
    assert sorted((table, str(row["id"])) for table, row in rows) == both.rows()
    assert all(old == new for (_, old), new in ids.items())
