"""A trained classifier finds a clue in ids and positions where there is one, and none in packs as they are made."""

from collections.abc import Sequence

import pytest

from registry.package.change import Stored
from synth.audit.classifier import Features, Guessed, features, guess
from synth.audit.interleaved import CHANCE, at_least
from synth.data.stream import world_stream
from synth.reference.state import State
from synth.tasks.chance import chance
from synth.tasks.draft import Draft
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


LABELS = 4
"""So many times final ids are drawn anew: few rows are made for a test, and more pairs see a weaker clue."""
FEWEST = 60


def pairs_in(state: State, drafts: Sequence[Draft]) -> list[tuple[Features, Features]]:
    """Targets and the rows made to be mistaken for them, with the ids that they have in a state."""
    found: dict[tuple[str, str, str], tuple[Features, Features]] = {}
    for draft in drafts:
        for table, target, clone in draft.clones:
            ids = sorted(state.tables[table])
            places = {key: place for place, key in enumerate(ids)}
            if clone in places and target in places:
                both = [features(key, ids, places, {}, {"time": []}) for key in (target, clone)]
                found[table, target, clone] = (both[0], both[1])
    return [pair for _, pair in sorted(found.items())]


def final_pairs(name: str) -> list[tuple[Features, Features]]:
    """The pairs of one seed with final ids, drawn several times."""
    domain, made = domain_of(name), made_of(name)
    streams = [world_stream(domain.sha256, 400_123 + number, "final ids") for number in range(LABELS)]
    return [pair for stream in streams for pair in pairs_in(*relabel(domain, made.state, made.drafts, stream))]


def test_the_rows_made_for_shipped_seeds_are_told_from_their_targets_no_better_than_by_chance(capsys: pytest.CaptureFixture[str]) -> None:
    learnt: Guessed = guess([pair for name in FIRST for pair in final_pairs(name)])
    with capsys.disabled():
        print(f"\nclassifier on ids and positions: right on {learnt.right} of {learnt.pairs} pairs ({learnt.accuracy:.0%})")
    assert learnt.pairs >= FEWEST
    assert at_least(learnt.right, learnt.pairs) > CHANCE


def test_the_same_rows_are_told_from_their_targets_by_the_ids_with_which_they_are_made() -> None:
    learnt = guess([pair for name in FIRST for pair in pairs_in(made_of(name).state, made_of(name).drafts)])
    assert at_least(learnt.right, learnt.pairs) < CHANCE
