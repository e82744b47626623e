"""A package whose world is written row by row has the same bytes as one that is made in memory."""

import io
from itertools import islice

import pytest

from registry.package.digest import file_digest, state_digest, world_line
from synth import disk
from synth.compile.world_file import write_world
from synth.data.world import make_world, world_rows
from synth.errors import WorldError
from synth.package import package_files, stage_package
from synth.seed.read import parse_seed, read_seed
from tests.seeds import path_of

SEED = read_seed(path_of("tool_library"))


def test_the_files_of_a_staged_package_are_those_made_in_memory(tmp_path):
    staged = stage_package(SEED, tmp_path / "tool_library", 200)
    assert disk.read_folder(staged.folder) == package_files(SEED, 200)
    assert staged.rows == len(make_world(SEED, 0, 200).rows)


def test_a_world_is_written_with_the_digests_of_its_file_and_of_its_state():
    rows, file = make_world(SEED).rows, io.BytesIO()
    notes = write_world(file, iter(rows))
    assert file.getvalue() == b"".join(world_line(*row) for row in rows)
    assert notes.sha256 == file_digest(file.getvalue())
    assert notes.digest == state_digest(rows)
    assert notes.rows == len(rows)


def test_rows_are_given_out_one_by_one_in_the_order_of_the_world():
    assert tuple(islice(world_rows(SEED), 5)) == make_world(SEED).rows[:5]


def test_nothing_is_left_of_a_package_whose_data_make_no_world(tmp_path):
    text = path_of("tool_library").read_text(encoding="utf-8")
    never = 'invariants: |\n  def none():\n      """There is no member."""\n      return len(Member) == 0\n'
    broken = parse_seed(f"{text.rstrip()}\n{never}".encode(), "broken.yaml")
    with pytest.raises(WorldError, match="There is no member"):
        stage_package(broken, tmp_path / "tool_library")
    assert list(tmp_path.iterdir()) == []
