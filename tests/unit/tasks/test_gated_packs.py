from pathlib import Path

import pytest

from registry.catalogue import open_folder
from registry.environment import read_manifest
from registry.packs.reading import read_pack
from synth.audit import audit_pack, summary
from synth.audit.gate import gate_of
from synth.package import stage_package
from synth.seed.read import read_seed
from synth.tasks.supply import supply
from tests.seeds import ALL, path_of


@pytest.mark.every_domain
@pytest.mark.parametrize("name", ALL)
def test_the_pack_of_forty_of_every_seed_is_whole_clean_and_uses_tools_or_says_why_not(name: str, tmp_path: Path) -> None:
    domain = read_seed(path_of(name))
    folder = stage_package(domain, tmp_path / name).folder
    environment = open_folder(folder, template_bytes=400_000_000)
    made = supply(domain, read_manifest(folder)[1], 40, 0, "test", gate_of(environment))
    found = audit_pack(environment, read_pack(Path(), lambda path: made.files[path.as_posix()]))
    told = summary([found])
    print(f"\n{name}: discarded {dict(made.discarded)}, unused {made.unused}, {told['by_kind']}, {told['by_level']}, {told['second_routes']}")
    assert found.clean, found.findings
    assert told["gold_passes"] == told["tasks"] == 40
    assert (told["noop_passes"], told["blind_passes"], told["mutants"]["survived"], told["distractors"]["weak"]) == (0, 0, 0, 0)
    other = told["second_routes"]["other_net"]
    assert other["found"] == other["accepted"] + other["forbidden"] + other["discarded"]
    assert found.unused == made.unused
    assert len(made.unused) <= len(domain.tools) // 10
    assert all(made.unused.values())
