from itertools import permutations
from pathlib import Path
from typing import get_args

import pytest

from synth.contamination import shared
from synth.seed.read import read_seed
from synth.tasks.pack import Split
from synth.tasks.supply import supply
from tests.seeds import path_of


@pytest.mark.every_domain
@pytest.mark.parametrize("name", ["vet_clinic", "cold_freight", "wholesale_orders"])
def test_train_val_and_test_share_no_world_no_scenario_row_and_no_words(name: str, tmp_path: Path) -> None:
    domain = read_seed(path_of(name))
    packs = {split: supply(domain, "0" * 64, 40, 0, split) for split in get_args(Split)}
    for split, made in packs.items():
        for path, data in made.files.items():
            (tmp_path / split / made.id / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / split / made.id / path).write_bytes(data)
    for one, other in permutations(packs, 2):
        assert shared(packs[one].files, tmp_path / other, packs[one].id) == {"packs": 1, "worlds": 0, "rows": 0, "instructions": 0}
    for made in packs.values():
        rows = {line for path, data in made.files.items() if path.startswith("public/worlds/") for line in data.splitlines()}
        assert len(rows) > 100
        assert len(made.drafts) == 40
