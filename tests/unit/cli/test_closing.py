"""What is kept from programs that play as agents."""

import subprocess
from pathlib import Path

from server.cli.closing import close_to_others, installation

ROOT = Path(__file__).parents[3]


def test_places_of_graders_lose_every_right_of_other_users(tmp_path: Path) -> None:
    (tmp_path / "packs").mkdir(mode=0o755)
    (tmp_path / "tokens").write_text("{}")
    (tmp_path / "link").symlink_to(tmp_path / "packs")

    close_to_others((tmp_path / "link", tmp_path / "tokens", tmp_path / "none"))

    assert [(tmp_path / name).stat().st_mode & 0o7 for name in ("packs", "tokens")] == [0, 0]


def test_the_installation_holds_code_seeds_and_the_history_that_they_could_be_restored_from() -> None:
    found = {one.resolve() for one in installation()}

    assert {(ROOT / name).resolve() for name in ("synth", "seeds", "registry", "server", "evals", "envfarm")} <= found
    asked = subprocess.run(["git", "rev-parse", "--git-common-dir"], cwd=ROOT, capture_output=True, text=True)
    assert asked.returncode != 0 or (ROOT / asked.stdout.strip()).resolve() in found
