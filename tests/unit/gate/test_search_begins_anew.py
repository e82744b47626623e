"""The gate's search for calls: which calls are kept near a goal, and that it comes out of places that lead nowhere."""

from pathlib import Path

import pytest

from synth.data.world import make_world
from synth.gate import seek
from synth.gate.beams import BEAM, KINDRED, put
from synth.gate.instance import Instance
from synth.gate.seek import Seeker, place, seek_all, unshown_goals
from synth.gate.standing import Standing
from synth.gate.watch import Trace
from synth.reference.interpret import Reference
from synth.seed.read import read_seed

SEED = Path(__file__).parents[2] / "data" / "planted_faults.yaml"
SEEDS = Path(__file__).parents[3] / "seeds"


def call(row, *broken):
    return Instance(state=None, arguments={"row": row}, broken=(), trace=Trace(), kin=broken)


def kept(beam):
    return [(far, one.arguments["row"], one.kin) for far, _, one in beam]


@pytest.fixture(scope="module")
def shop():
    domain = read_seed(SEED)
    reference = Reference(domain)
    start = reference.state(make_world(domain, 0).rows)
    return reference, start, Standing(reference, start, reference.now)


def test_children_of_one_call_do_not_fill_the_beam():
    beam = []
    put(beam, call("A", "LOCKED", "OTHER"), 1.0, 1, KINDRED)
    for number in range(2, 9):
        put(beam, call("A"), 0.5, number, KINDRED)
    assert kept(beam) == [(0.5, "A", ()), (0.5, "A", ()), (1.0, "A", ("LOCKED", "OTHER"))]
    assert [-number for _, number, _ in beam] == [8, 7, 1]


def test_calls_about_other_rows_are_kept_beside_them():
    beam = []
    for number, row in enumerate("AAABBBCCCDDD"):
        put(beam, call(row), 0.5, number, KINDRED)
    assert [row for _, row, _ in kept(beam)] == ["D", "D", "C", "C", "B", "B"]


def test_a_farther_call_does_not_take_the_place_of_one_like_it():
    beam = []
    for number, far in enumerate((0.5, 0.7, 0.9)):
        put(beam, call("A"), far, number, KINDRED)
    assert [far for far, _, _ in kept(beam)] == [0.5, 0.7]


def test_the_first_search_keeps_the_nearest_whatever_they_are():
    beam = []
    for number in range(9):
        put(beam, call("A"), 0.5, number, BEAM)
    assert len(beam) == BEAM


def test_short_turns_alone_show_everything_too(shop, monkeypatch):
    monkeypatch.setattr(seek, "PER_GOAL", 0)
    assert unshown_goals(seek_all(*shop, "turns")) == {}


@pytest.mark.every_domain
def test_what_another_tool_shows_of_a_function_is_not_looked_for_again():
    domain = read_seed(SEEDS / "water_billing.yaml")
    reference = Reference(domain)
    start = reference.state(make_world(domain, 0).rows)
    seeker = Seeker(reference, start, Standing(reference, start, reference.now), "")
    tool = domain.tool("record_payment")
    alone = seeker.reseeded("shared").seek(tool, set())
    beside = seeker.reseeded("shared").seek(tool, {place(goal) for goal in alone.goals if goal.shared})
    assert beside.looked < alone.looked
