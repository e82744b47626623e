"""A trained classifier finds a clue in ids and positions where there is one, and none in packs as they are made."""

from functools import cache

import pytest

from registry.package.change import Stored
from synth.audit.classifier import Features, Guessed, features, guess
from synth.audit.interleaved import CHANCE, at_least
from synth.data.stream import world_stream
from synth.lang.domain import Domain
from synth.tasks.chance import chance
from synth.tasks.finishing.relabel import relabel
from tests.seeds import FIRST
from tests.unit.tasks.made import domain_of, made_of

IDS = [f"ROW-{number:04}" for number in range(1, 401)]
PLACES = {key: place for place, key in enumerate(IDS)}


def seen(key: str) -> Features:
    return features(key, IDS, PLACES, {}, {"time": []})


def test_targets_that_stand_before_their_distractors_are_found() -> None:
    rng = chance("planted")
    places = [sorted(rng.sample(range(400), 2)) for _ in range(120)]
    assert guess([(seen(IDS[low]), seen(IDS[high])) for low, high in places]).accuracy > 0.9


def test_targets_in_the_middle_or_with_odd_numbers_are_found() -> None:
    rng = chance("middle")
    middle = [(seen(IDS[rng.randint(150, 250)]), seen(IDS[rng.choice((rng.randint(0, 60), rng.randint(340, 399)))])) for _ in range(120)]
    odd = [(seen(IDS[rng.randint(0, 199) * 2]), seen(IDS[rng.randint(0, 199) * 2 + 1])) for _ in range(120)]
    assert guess(middle).accuracy > 0.9
    assert guess(odd).accuracy > 0.9


def test_nothing_is_found_where_chance_has_placed_them() -> None:
    rng = chance("fair")
    learnt = guess([(seen(rng.choice(IDS)), seen(rng.choice(IDS))) for _ in range(300)])
    assert at_least(learnt.right, learnt.pairs) > CHANCE
    assert at_least(learnt.pairs - learnt.right, learnt.pairs) > CHANCE


def test_a_row_without_numbers_or_neighbours_has_features_all_the_same() -> None:
    alone: dict[str, Stored] = {"time": None}
    assert len(features("settings", ["settings"], {"settings": 0}, alone, {"time": [""]})) == len(seen("ROW-0001"))


@cache
def final_pairs(name: str) -> list[tuple[Features, Features]]:
    """Targets and the rows made to be mistaken for them, with final ids."""
    domain: Domain = domain_of(name)
    state, drafts = relabel(domain, made_of(name).state, made_of(name).drafts, world_stream(domain.sha256, 400_123, "final ids"))
    found: dict[tuple[str, str, str], tuple[Features, Features]] = {}
    for draft in drafts:
        for table, target, clone in draft.clones:
            ids = list(state.tables[table])
            places = {key: place for place, key in enumerate(sorted(ids))}
            if clone in places and target in places:
                both = [features(key, sorted(ids), places, {}, {"time": []}) for key in (target, clone)]
                found[table, target, clone] = (both[0], both[1])
    return [pair for _, pair in sorted(found.items())]


def test_the_rows_made_for_shipped_seeds_are_told_from_their_targets_no_better_than_by_chance(capsys: pytest.CaptureFixture[str]) -> None:
    pairs = [pair for name in FIRST for pair in final_pairs(name)]
    learnt: Guessed = guess(pairs)
    with capsys.disabled():
        print(f"\nclassifier on ids and positions: right on {learnt.right} of {learnt.pairs} pairs ({learnt.accuracy:.0%})")
    assert learnt.pairs >= 40
    assert at_least(learnt.right, learnt.pairs) > CHANCE
