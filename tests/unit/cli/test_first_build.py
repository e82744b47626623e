"""What `envfarm up` builds before it serves."""

from pathlib import Path

from registry.home import find_home
from server.cli.missing import first_seeds
from synth.build import shipped_seeds

ROOT = Path(__file__).parents[3]


def seeds(folder: Path) -> tuple[Path, ...]:
    made = []
    for name, size in (("bakery", 300), ("airport", 200), ("cinema", 900)):
        path = folder / f"{name}.yaml"
        path.write_text("x" * size)
        made.append(path)
    return tuple(made)


def test_in_an_empty_home_the_seed_of_the_examples_is_built_first_and_with_its_pack(tmp_path):
    shipped = shipped_seeds()

    assert f"tasks list {shipped[0].stem} " in (ROOT / "README.md").read_text(encoding="utf-8")
    assert first_seeds(find_home(tmp_path), sorted(shipped)) == (shipped[0],)


def test_where_that_is_not_among_them_it_is_the_smallest(tmp_path):
    assert [one.stem for one in first_seeds(find_home(tmp_path), seeds(tmp_path))] == ["airport"]


def test_what_lies_in_the_home_is_looked_at_before_serving_and_nothing_else(tmp_path):
    home = find_home(tmp_path)
    for name in ("bakery", "cinema", "own"):
        (home.environments / name).mkdir(parents=True)
        (home.environments / name / "env.toml").write_text("")
    assert [one.stem for one in first_seeds(home, seeds(tmp_path))] == ["bakery", "cinema"]
