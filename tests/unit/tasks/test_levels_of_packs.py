"""The default pack has tasks of every level."""

from dataclasses import replace

import pytest

from registry.package.level import level_of, points, work
from registry.package.pack import GoldCall
from synth.tasks.aim import LEVELS
from synth.tasks.draft import Draft
from synth.tasks.finishing.choose import chosen, spared, what_shows
from synth.tasks.level import level
from synth.tasks.supply import Supply, supply
from tests.made_once import domain_of
from tests.seeds import ALL


def default_pack(name: str) -> Supply:
    return supply(domain_of(name), "0" * 64)


@pytest.mark.parametrize("name", [pytest.param(one, marks=() if one == "tool_library" else (pytest.mark.every_domain,)) for one in ALL])
def test_the_default_pack_has_every_level(name: str) -> None:
    made = default_pack(name)
    assert len(made.drafts) == 40
    assert {level(domain_of(name), draft) for draft in made.drafts} == LEVELS
    assert not made.unused


def pair(place: int, level: int) -> list[Draft]:
    """Twins of as many calls as make the level, all of one tool."""
    calls = tuple(GoldCall(tool="lend_item", arguments={}) for _ in range(level))
    both = [Draft(kind="do", instruction=f"{place}", calls=calls, outcome="done", accepted=(), tools=("lend_item",)) for _ in range(2)]
    return [replace(both[0], twin=place + 1), replace(both[1], twin=place)]


def levels_of(drafts: list[Draft]) -> list[int]:
    return [level(domain_of("tool_library"), one) for one in drafts[::2]]


def test_a_pair_whose_level_others_have_makes_room_for_one_of_another_level() -> None:
    drafts = [one for number, each in enumerate((2, 2, 2, 2, 3, 1)) for one in pair(2 * number, each)]
    shows = what_shows(domain_of("tool_library"), LEVELS)
    taken = chosen(drafts, 6, [True] * len(drafts), shows)
    assert sorted(levels_of([draft for draft, one in zip(drafts, taken, strict=True) if one])) == [1, 2, 3]
    assert sorted(levels_of(list(spared([tuple(drafts)], 6, shows)[0]))) == [1, 2, 3]


def test_levels_that_were_not_asked_for_win_no_place() -> None:
    drafts = [one for number, each in enumerate((2, 2, 3)) for one in pair(2 * number, each)]
    taken = chosen(drafts, 4, [True] * len(drafts), what_shows(domain_of("tool_library"), {2}))
    assert levels_of([draft for draft, one in zip(drafts, taken, strict=True) if one]) == [2, 2]


def test_points_add_up_to_the_level_and_five_is_the_most() -> None:
    calls = [
        GoldCall(tool="search", arguments={}),
        GoldCall(tool="get", arguments={"id": "$0.items[name=a].id"}),
        GoldCall(tool="get", arguments={"id": "$1.id"}),
        GoldCall(tool="get", arguments={"ids": ["$0.items[name=b].id"]}),
        GoldCall(tool="set", arguments={"id": "$2.id"}),
        GoldCall(tool="set", arguments={"id": "OWN-1"}),
    ]
    done = work(calls, lambda tool: tool != "set")
    assert (done.reads, done.writes, done.hops) == (4, 2, 4)
    assert [one.points for one in points("do", done)] == [1, 1, 1, 2]  # a task, a second write, two more reads, two more hops
    assert level_of(points("do", done)) == 5
    assert level_of(points("repair", work(calls[:1] + calls[4:5], lambda tool: tool != "set"), unsaid=1)) == 3
    assert level_of(points("bulk", work(calls[4:] * 3, lambda tool: tool != "set"))) == 3
