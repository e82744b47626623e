"""The official mcpb tool takes the bundles that `envfarm bundle` makes."""

import zipfile

import pytest

from tests.typed import typed


@pytest.fixture
def bundles(shipped, environments, tmp_path):
    """The bundle of each shipped environment."""
    for one in environments:
        assert typed(shipped, "bundle", "--out", str(tmp_path), one).returncode == 0
    return [tmp_path / f"{one}.mcpb" for one in environments]


def content(file):
    with zipfile.ZipFile(file) as archive:
        return {one.filename: archive.read(one) for one in archive.infolist() if not one.is_dir()}


def test_manifests_are_valid_and_packing_them_again_changes_nothing(programs, run, bundles, tmp_path):
    for file in bundles:
        folder = tmp_path / file.stem
        with zipfile.ZipFile(file) as archive:
            archive.extractall(folder)
        for words in (("validate", str(folder / "manifest.json")), ("pack", str(folder), str(tmp_path / "again.mcpb")), ("info", str(file))):
            done = run(*programs.mcpb, *words)
            assert done.returncode == 0, done.stdout + done.stderr
        assert content(tmp_path / "again.mcpb") == content(file)


def test_a_manifest_that_is_not_valid_is_refused(programs, run, tmp_path):
    """That `valid` above means something."""
    (tmp_path / "manifest.json").write_text('{"manifest_version": "0.4", "name": "x"}')
    assert run(*programs.mcpb, "validate", str(tmp_path / "manifest.json")).returncode != 0
