"""Where things lie, and the settings of the registry."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from registry.config import RegistrySettings
from registry.home import find_home


def test_a_given_home_wins(tmp_path):
    home = find_home(tmp_path / "elsewhere", start=tmp_path)
    assert (home.environments, home.packs, home.store, home.quarantine, home.tokens) == tuple(
        tmp_path / "elsewhere" / name for name in ("environments", "packs", "store", "quarantine", "tokens")
    )


def test_inside_a_checkout_the_home_is_its_own_folder_also_from_below(tmp_path):
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "seeds").mkdir()
    (tmp_path / "docs/deep").mkdir(parents=True)
    assert find_home(start=tmp_path / "docs/deep", code=tmp_path / "docs").root == tmp_path / ".envfarm"


def test_what_runs_from_a_checkout_uses_its_home_from_any_folder(tmp_path):
    (tmp_path / "checkout/seeds").mkdir(parents=True)
    (tmp_path / "checkout/pyproject.toml").write_text("")
    (tmp_path / "project/seeds").mkdir(parents=True)
    (tmp_path / "project/pyproject.toml").write_text("")

    for start in (tmp_path, tmp_path / "project"):
        assert find_home(start=start, code=tmp_path / "checkout").root == tmp_path / "checkout/.envfarm"
    assert find_home(start=tmp_path).root == Path(__file__).resolve().parents[3] / ".envfarm"


def test_elsewhere_the_home_is_the_users_data_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert find_home(start=tmp_path, code=tmp_path).root.name == "envfarm"
    assert not find_home(start=tmp_path, code=tmp_path).root.is_relative_to(tmp_path / ".envfarm")


def test_settings_come_from_the_environment_and_do_not_change(tmp_path, monkeypatch):
    monkeypatch.setenv("ENVFARM_HOME", str(tmp_path))
    monkeypatch.setenv("ENVFARM_SYNC", "full")
    settings = RegistrySettings()
    assert (settings.paths().root, settings.sync) == (tmp_path, "full")
    with pytest.raises(ValidationError):
        settings.sync = "normal"
    monkeypatch.setenv("ENVFARM_SYNC", "sometimes")
    with pytest.raises(ValidationError):
        RegistrySettings()
