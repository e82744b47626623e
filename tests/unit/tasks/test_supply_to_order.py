from functools import cache
from pathlib import Path

from synth.contamination import shared
from synth.lang.domain import Domain
from synth.seed.read import read_seed
from synth.tasks.level import level
from synth.tasks.supply import FIRST_WORLD, Supply, supply


@cache
def domain() -> Domain:
    return read_seed(Path("seeds/tool_library.yaml"))


@cache
def ordered(split: str = "train", seed: int = 3) -> Supply:
    assert split in ("train", "val", "test")
    return supply(domain(), "0" * 64, 44, seed, split, kinds=("do", "multi-turn"), levels=frozenset((1, 2)))  # type: ignore[arg-type]


def test_more_tasks_than_one_world_holds_take_further_worlds_of_the_same_split() -> None:
    worlds = [int(batch.world) for batch in ordered().batches]
    assert len(worlds) == 2
    assert [world % 1_000_000 for world in worlds] == [FIRST_WORLD["train"] + 3] * 2
    assert len(ordered().drafts) == 44


def test_only_kinds_and_levels_that_were_asked_for_are_made() -> None:
    firsts = [batch.drafts[place] for batch in ordered().batches for place in range(0, len(batch.drafts), 2)]
    assert {draft.kind for draft in firsts} == {"do", "multi-turn"}
    assert {level(domain(), draft) for draft in firsts} <= {1, 2}


def test_splits_share_no_world_no_row_and_no_words(tmp_path: Path) -> None:
    for path, data in ordered("test").files.items():
        (tmp_path / "packs/one" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "packs/one" / path).write_bytes(data)
    found = shared(ordered().files, tmp_path / "packs", ordered().id)
    assert (found["packs"], found["worlds"], found["instructions"]) == (1, 0, 0)
    assert shared(ordered("test", 4).files, tmp_path / "packs", ordered().id)["packs"] == 0


def test_the_same_order_gives_the_same_bytes() -> None:
    again = supply(domain(), "0" * 64, 44, 3, "train", kinds=("do", "multi-turn"), levels=frozenset((1, 2)))
    assert again.files == ordered().files
