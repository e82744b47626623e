"""What is said to be typed where an extra is missing."""

from pathlib import Path

import pytest

from registry.extras import to_install


def checkout(folder: Path) -> Path:
    (folder / "seeds").mkdir(parents=True)
    (folder / "pyproject.toml").touch()
    return folder


def test_in_a_checkout_it_is_the_pip_of_its_environment_and_the_checkout_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = checkout(tmp_path / "farm")
    monkeypatch.chdir(code)

    assert to_install("eval", code, code / ".venv" / "bin") == ".venv/bin/pip install -e '.[eval]'"

    monkeypatch.chdir("/")
    assert to_install("eval", code, code / ".venv" / "bin") == f"{code}/.venv/bin/pip install -e '{code}[eval]'"


def test_elsewhere_it_is_the_package_and_pip_by_its_name_where_the_shell_finds_the_right_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pip = tmp_path / "bin" / "pip"
    pip.parent.mkdir()
    pip.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(pip.parent))

    assert to_install("parquet", tmp_path, pip.parent) == "pip install 'envfarm[parquet]'"

    monkeypatch.chdir(tmp_path)
    assert to_install("parquet", tmp_path, tmp_path / "other") == "other/pip install 'envfarm[parquet]'"
