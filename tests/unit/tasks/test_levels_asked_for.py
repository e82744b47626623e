"""Packs of some levels only: what is thought of aims at them."""

from pathlib import Path

import pytest

from synth.lang.domain import Domain
from synth.seed.read import read_seed
from synth.tasks.aim import LEVELS, Aim
from synth.tasks.chance import chance
from synth.tasks.level import LEAST, level
from synth.tasks.supply import Supply, supply


def domain(name: str) -> Domain:
    return read_seed(Path(f"seeds/{name}.yaml"))


def of_levels(name: str, *levels: int) -> Supply:
    return supply(domain(name), "0" * 64, 20, 1, "train", levels=frozenset(levels))


def test_kinds_that_cannot_have_a_level_are_not_tried() -> None:
    made = of_levels("tool_library", 1)
    assert {draft.kind for batch in made.batches for draft in batch.drafts[::2]} <= {"do", "answer", "multi-turn"}


def test_no_task_has_less_than_the_least_level_of_its_kind() -> None:
    seed = domain("tool_library")
    drafts = supply(seed, "0" * 64, 40, 1, "train").drafts
    assert {draft.kind for draft in drafts} >= set(LEAST) - {"bulk"}
    assert all(level(seed, draft) >= LEAST.get(draft.kind, 1) for draft in drafts)


@pytest.mark.every_domain
@pytest.mark.parametrize(("name", "most"), [("vet_clinic", 150), ("wholesale_orders", 200)])
def test_few_tries_are_thrown_away_for_their_level(name: str, most: int) -> None:
    made = supply(domain(name), "0" * 64, 40, 0, "train", levels=frozenset((3,)))
    assert len(made.drafts) == 40
    assert made.tries <= most  # they were 980 and 1,290 before makers knew what is asked for


def test_a_tool_whose_tasks_have_another_level_comes_after_the_others_for_that_kind_alone() -> None:
    aim = Aim(frozenset((3,)))
    aim.begin("do")
    aim.note(["move_pet"], 5)
    assert aim.behind("move_pet") > 0
    aim.note(["move_pet"], 3)
    assert aim.behind("move_pet") == 0
    aim.missed(["move_pet"])
    aim.begin("answer")
    assert aim.behind("move_pet") == 0


def test_ways_that_led_to_levels_asked_for_are_taken_more_often_and_all_are_still_taken() -> None:
    aim, rng = Aim(frozenset((3,))), chance("ways")
    for _ in range(300):
        aim.begin("do")
        aim.note([], 3 if aim.way("length", (1, 2, 3), rng) == 2 else 5)
    taken = []
    for _ in range(1000):
        aim.begin("do")
        taken.append(aim.way("length", (1, 2, 3), rng))
    assert taken.count(2) > 900
    assert set(taken) == {1, 2, 3}


def test_nothing_is_learnt_where_all_levels_are_asked_for() -> None:
    aim, rng, same = Aim(LEVELS), chance("same"), chance("same")
    aim.begin("do")
    aim.note(["move_pet"], 5)
    assert aim.behind("move_pet") == 0
    assert [aim.way("length", (1, 2, 3), rng) for _ in range(20)] == [same.choice((1, 2, 3)) for _ in range(20)]


def test_a_level_misses_by_its_distance_to_the_nearest_asked_for() -> None:
    aim = Aim(frozenset((2, 3)))
    assert [aim.off(one) for one in (1, 2, 3, 4, 5)] == [-1, 0, 0, 1, 2]
