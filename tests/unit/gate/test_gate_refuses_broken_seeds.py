"""Seeds that are well formed and still wrong: the gate refuses each with a sentence that lets its author mend it."""

import re
import textwrap

import pytest

from registry.catalogue import open_folder
from synth import disk
from synth.build import build
from synth.data.world import make_world
from synth.errors import WorldError
from synth.gate.prove import prove
from synth.package import package_files
from synth.seed.read import read_seed
from synth.tasks.supply import FIRST_WORLD

SEED = """
id: lending
title: Lending
about: Things are lent.
entities:
  Person:
    id: "P-{n:02}"
    called: "{name}"
    rows: "6"
    fields: {name: {type: text, unique: true}, limit: {type: integer, low: "0", high: "9", start: "3"}}
  Thing:
    id: "T-{n:02}"
    called: "{name}"
    rows: "12"
    fields:
      name: {type: text, unique: true}
      holder: {ref: Person, many: things, optional: true}
      price: {type: money, low: "1", high: "50"}
      status: {lifecycle: {in: [out], out: [in]}}
derive:
  search: {Person: [name], Thing: [name, status, holder]}
tools: |
  @asked("{person} takes {thing}")
  def lend(person: Person, thing: Thing):
      \"\"\"Lend a thing.\"\"\"
      require(thing.status == 'in', NOT_IN, "Only a thing that is in is lent.")
      require(len(person.things) < person.limit, TOO_MANY, "Nobody has more than the limit.", evidence=person)
      # more rules
      thing.status = 'out'
      thing.holder = person
      return thing

  @asked("{thing} is back")
  def bring_back(thing: Thing):
      \"\"\"Take a thing back.\"\"\"
      require(thing.status == 'out', NOT_OUT, "Only a thing that is out comes back.")
      # more
      thing.status = 'in'
      thing.holder = None
      return thing

invariants: |
  def held_while_out():
      \"\"\"A thing that is out has a holder.\"\"\"
      return all((t.status == 'out') == (t.holder is not None) for t in Thing)

data: |
  def Person():
      name = person_name()

  def Thing():
      name = f"thing {serial()}"
      price = money(2, 40)
      holder = None
      status = 'in'
"""


def proved(tmp_path, *changes):
    text = SEED
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = tmp_path / "lending.yaml"
    path.write_text('format: "1"\n' + text, encoding="utf-8")
    domain = read_seed(path)
    folder = tmp_path / "lending"
    disk.write_folder(package_files(domain), folder)
    return prove(domain, open_folder(folder), make_world(domain, 0).rows, rounds=20)


def test_a_sound_seed_passes_with_full_coverage(tmp_path):
    proof = proved(tmp_path)
    assert proof.problems == ()
    assert (proof.quality["coverage"], proof.quality["pass_rate"], proof.quality["unexpected"]) == (1.0, 1.0, 0)
    assert proof.quality["goals"]["rule"] == {"wanted": 3, "shown": 3}
    assert proof.quality["goals"]["boundary"]["shown"] == 2
    assert proof.quality["graph"]["unexplained"] == 0


STATES = "{in: [out], out: [in]}"
CALLED = '    called: "{name}"\n    rows: "12"'
WRONG = {
    "a rule that never fires": (
        ("      # more rules\n", '      require(thing.price <= 50, TOO_DEAR, "Dear things are not lent.")\n'),
        "tools.lend.TOO_DEAR",
        "expected a call that breaks this rule alone, found none in",
    ),
    "a tool that never succeeds": (
        ("      # more\n", '      require(thing.price > 50, CHEAP, "Cheap things stay out.")\n'),
        "tools.bring_back",
        "calls that succeed, found 0 in",
    ),
    "an unreachable state": ((STATES, "{in: [out], out: [in, lost], lost: []}"), "entities.Thing.fields.status.lost", "into this state, found none"),
    "a move that no tool makes": ((STATES, "{in: [out, lost], out: [in], lost: []}"), "entities.Thing.fields.status", "a row from in to lost"),
    "an ambiguous name": ((CALLED, CALLED.replace("{name}", "the {status} thing")), "entities.Thing.called", "got 12 of 12 rows"),
    "a broken invariant": (("      thing.holder = None\n", ""), "lending.yaml:43:3: invariants.held_while_out", " after a call of bring_back ("),
}
ROOM = """  Room:
    id: "R-{n:02}"
    called: "{name}"
    rows: "3"
    fields: {name: {type: text, unique: true}}
  Thing:
"""
NEVER_THERE = (
    ("  Thing:\n", ROOM),
    ("      price: {", "      room: {ref: Room, many: things, optional: true}\n      price: {"),
    ("derive:\n", "derive:\n  get: [Room]\n"),
    (
        "invariants: |\n",
        'invariants: |\n  def no_rooms():\n      """Nothing has a room."""\n      return len([t for t in Thing if t.room is not None]) == 0\n\n',
    ),
    ("data: |\n", 'data: |\n  def Room():\n      name = f"room {serial()}"\n\n'),
    ("      holder = None\n", "      holder = None\n      room = None\n"),
)


LONG = ("a tool that never succeeds",)
"""What the gate looks for longest before it gives up."""


@pytest.mark.parametrize(
    ("change", "place", "says"),
    [pytest.param(*case, id=name, marks=(pytest.mark.every_domain,) if name in LONG else ()) for name, case in WRONG.items()],
)
def test_a_seed_that_is_wrong_is_refused_with_a_sentence(tmp_path, change, place, says):
    problems = proved(tmp_path, change).problems
    assert [one for one in problems if place in one and says in one], problems


def test_a_broken_invariant_is_told_once_with_its_rows_and_the_call(tmp_path):
    problems = proved(tmp_path, WRONG["a broken invariant"][0]).problems
    told = [one for one in problems if "invariants.held_while_out" in one]
    assert told
    for one in told:
        assert re.search(r"got T-\d\d after a call of bring_back \(.*lending.yaml:\d+:\d+\)\. Forbid such a call", one), one
        assert one.count("'thing_id'") == one.count("bring_back({") + one.count("lend({"), one


def test_an_edge_of_the_graph_that_no_calls_show_is_an_error_of_the_seed(tmp_path):
    problems = proved(tmp_path, *NEVER_THERE).problems
    assert [one for one in problems if "tools.search_things: expected a call whose result gives Room for room_id of get_room, found none" in one], (
        problems
    )


BY_CHANCE = """invariants: |
  def limits_differ():
      \"\"\"No two people have the same limit.\"\"\"
      return all(p == q or p.limit != q.limit for p in Person for q in Person)

"""


def world_made(domain, number):
    try:
        make_world(domain, number)
    except WorldError:
        return False
    return True


def test_data_that_keep_an_invariant_by_chance_are_refused_before_anything_is_built(tmp_path):
    seed = tmp_path / "lending.yaml"
    text = SEED.replace("invariants: |\n", BY_CHANCE).replace(
        "      name = person_name()\n", "      name = person_name()\n      limit = integer(0, 9)\n"
    )
    for number in range(300):
        seed.write_text(f'# {number}\nformat: "1"\n{text}', encoding="utf-8")
        domain = read_seed(seed)
        if world_made(domain, 0) and not world_made(domain, FIRST_WORLD["test"]):
            break
    (built,) = build([seed], tmp_path / "environments")
    assert built.status == "refused"
    (reason,) = built.reasons
    assert "invariants.limits_differ: expected rows" in reason
    assert "that tasks are made on" in reason
    assert (built.folder / disk.REASON).read_text(encoding="utf-8") == reason + "\n"
    assert not (tmp_path / "environments" / "lending").exists()


def test_a_build_that_does_not_pass_the_gate_goes_to_quarantine_with_the_reason(tmp_path):
    seed = tmp_path / "lending.yaml"
    seed.write_text('format: "1"\n' + textwrap.dedent(SEED).replace("      thing.holder = None\n", ""), encoding="utf-8")
    (built,) = build([seed], tmp_path / "environments")
    assert built.status == "refused"
    assert "held_while_out" in (built.folder / disk.REASON).read_text(encoding="utf-8")
    assert not (tmp_path / "environments" / "lending").exists()
