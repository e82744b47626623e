"""Packages on disk: found, compared with their hashes, refused in one sentence."""

import re
import sys

import pytest

from registry.catalogue import Catalogue, open_folder
from registry.errors import EnvNotFound
from registry.package.digest import file_digest
from registry.package.errors import PackageError
from registry.template import TemplateCache, build_template
from tests.unit.registry.small_package import write_package


def test_packages_are_listed_by_their_folders_and_summed_up_without_reading_their_files(tmp_path):
    write_package(tmp_path, "beta")
    (write_package(tmp_path, "alpha") / "tools.py").unlink()
    catalogue = Catalogue(tmp_path)
    assert catalogue.ids() == ("alpha", "beta")
    assert (catalogue.summary("alpha").title, catalogue.summary("alpha").worlds) == ("Small", ("0",))


def test_a_package_that_is_being_made_is_not_there_yet(tmp_path):
    (write_package(tmp_path, "alpha")).rename(tmp_path / ".making-alpha-1")
    write_package(tmp_path, "beta")
    assert Catalogue(tmp_path).ids() == ("beta",)


def test_a_loaded_environment_has_what_serving_needs(tmp_path):
    folder = write_package(tmp_path)
    environment = Catalogue(tmp_path).load("small")
    assert environment.digest == file_digest((folder / "env.toml").read_bytes())
    assert [tool["name"] for tool in environment.tools] == [tool.name for tool in environment.meta.tools]
    assert "Be kind." in environment.instructions
    assert "submit_answer" in environment.instructions
    assert environment.template("0").startswith(b"SQLite format 3\x00")


@pytest.mark.parametrize("file", ["tools.py", "rows.py", "tools.json", "meta.json", "schema.sql", "policy.md", "worlds/0.jsonl"])
def test_one_changed_byte_in_any_file_refuses_the_package_and_names_the_file(tmp_path, file):
    path = write_package(tmp_path) / file
    content = bytearray(path.read_bytes())
    content[-2] ^= 1
    path.write_bytes(content)
    with pytest.raises(PackageError, match=rf"{re.escape(str(path))}: expected sha256 [0-9a-f]{{64}}, got [0-9a-f]{{64}}\. The file was changed"):
        Catalogue(tmp_path).load("small")


def test_a_missing_file_a_missing_manifest_and_an_unknown_format_are_told_apart(tmp_path):
    folder = write_package(tmp_path, "gone")
    (folder / "policy.md").unlink()
    catalogue = Catalogue(tmp_path)
    with pytest.raises(PackageError, match=r"policy\.md: expected a readable file, got FileNotFoundError"):
        catalogue.load("gone")
    manifest = write_package(tmp_path, "old") / "env.toml"
    manifest.write_text(manifest.read_text().replace('format = "1"', 'format = "9"'))
    with pytest.raises(PackageError, match="expected format '1', got '9'"):
        catalogue.load("old")
    with pytest.raises(PackageError, match="expected a readable manifest"):
        open_folder(tmp_path / "nowhere")


def test_a_manifest_that_points_outside_its_folder_is_refused(tmp_path):
    manifest = write_package(tmp_path) / "env.toml"
    manifest.write_text(manifest.read_text().replace("[files]", f'[files]\n"../secret" = "{"0" * 64}"'))
    (tmp_path / "secret").write_text("s")
    with pytest.raises(PackageError, match="expected names of files inside the package"):
        Catalogue(tmp_path).load("small")


def test_a_world_that_is_not_what_the_manifest_says_is_refused(tmp_path):
    manifest = write_package(tmp_path) / "env.toml"
    manifest.write_text(re.sub(r'"0" = "[0-9a-f]{64}"', f'"0" = "{"0" * 64}"', manifest.read_text()))
    environment = Catalogue(tmp_path).load("small")
    with pytest.raises(PackageError, match="expected state digest 0000"):
        environment.template("0")
    with pytest.raises(PackageError, match="expected one of"):
        environment.template("../../secret")


def test_an_unknown_environment_names_what_is_close(tmp_path):
    write_package(tmp_path, "vet_clinic")
    with pytest.raises(EnvNotFound, match=r"got 'vet_clinc'\. Did you mean vet_clinic\?"):
        Catalogue(tmp_path).load("vet_clinc")
    with pytest.raises(EnvNotFound, match="There are: vet_clinic"):
        Catalogue(tmp_path).load("../etc")
    for name in ("", ".", "..", "/etc", "vet_clinic/", "vet_clinic/worlds", "a\x00b", "x" * 5000, "\ud800"):
        with pytest.raises(EnvNotFound):
            Catalogue(tmp_path).load(name)
    with pytest.raises(EnvNotFound, match="None is built yet"):
        Catalogue(tmp_path / "empty").load("x")


def test_compiled_files_planted_beside_a_module_are_not_run(tmp_path):
    folder = write_package(tmp_path)
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__/tools.cpython-311.pyc").write_bytes(b"planted")
    (folder / "rows").mkdir()
    (folder / "rows/__init__.py").write_text("raise SystemExit")
    environment = open_folder(folder)
    assert callable(environment.functions.search_owners)


def test_two_copies_of_one_package_do_not_mix_their_modules(tmp_path):
    first, second = [open_folder(write_package(tmp_path / name)) for name in ("one", "two")]
    assert first.digest == second.digest
    assert first.rows is not second.rows
    assert second.functions.Owner is second.rows.Owner
    assert first.functions.Owner is first.rows.Owner
    assert not [name for name in sys.modules if name.startswith("envfarm_package")]


def test_templates_are_kept_within_a_number_of_bytes_the_least_used_go_first(tmp_path):
    environment = open_folder(write_package(tmp_path))
    made = build_template(environment.meta, environment.schema, [], "empty")
    cache = TemplateCache(2 * made.size)
    for name in "abc":
        cache.put(name, made)
        cache.get("a")
    assert [name for name in "abc" if cache.get(name)] == ["a", "c"]
