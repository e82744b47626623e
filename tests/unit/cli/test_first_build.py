"""What `envfarm up` builds before it serves."""

from pathlib import Path

from registry.home import find_home
from server.cli.missing import first_seeds


def seeds(folder: Path) -> tuple[Path, ...]:
    made = []
    for name, size in (("bakery", 300), ("airport", 200), ("cinema", 900)):
        path = folder / f"{name}.yaml"
        path.write_text("x" * size)
        made.append(path)
    return tuple(made)


def test_in_an_empty_home_the_smallest_seed_is_built_first(tmp_path):
    assert [one.stem for one in first_seeds(find_home(tmp_path), seeds(tmp_path))] == ["airport"]


def test_what_lies_in_the_home_is_looked_at_before_serving_and_nothing_else(tmp_path):
    home = find_home(tmp_path)
    for name in ("bakery", "cinema", "own"):
        (home.environments / name).mkdir(parents=True)
        (home.environments / name / "env.toml").write_text("")
    assert [one.stem for one in first_seeds(home, seeds(tmp_path))] == ["bakery", "cinema"]
