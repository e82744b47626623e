"""Building environments, and checking packages against their seeds."""

import json
import os
import shutil
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from registry.catalogue import open_folder
from registry.package.errors import PackageError
from synth import disk
from synth.build import build, shipped_seeds
from synth.check import check_package
from synth.real_engine import RealEngine, check_in_child

ROOT = Path(__file__).parents[3]
BUILD = """
import sys
from pathlib import Path
from synth.build import build
assert not build([Path(sys.argv[1])], Path(sys.argv[2]))[0].reasons
"""
COMPILE = """
import sys
from pathlib import Path
from synth import disk
from synth.package import package_files
from synth.seed.read import read_seed
domain = read_seed(Path(sys.argv[1]))
disk.write_folder(package_files(domain), Path(sys.argv[2]) / domain.id)
"""
CLINIC = ROOT / "seeds" / "vet_clinic.yaml"
SEED = ROOT / "seeds" / "tool_library.yaml"
BROKEN_PROMISE = b"""
invariants: |
  def dear_things_only():
      \"\"\"Everything is worth something.\"\"\"
      return all(i.value > 1000000 for i in Item)
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    out = tmp_path_factory.mktemp("home") / "environments"
    (one,) = build([SEED], out)
    assert one.reasons == ()
    return one


@pytest.fixture
def package(built, tmp_path):
    """A copy that a test may spoil."""
    folder = tmp_path / "environments" / "tool_library"
    disk.write_folder(disk.read_folder(built.folder), folder)
    return folder


def test_a_seed_becomes_a_package_that_opens(built):
    assert (built.status, built.id) == ("built", "tool_library")
    opened = open_folder(built.folder)
    assert opened.digest == built.digest
    assert len(opened.tools) == built.tools >= 5
    assert built.rows >= 60


@pytest.mark.parametrize(
    ("seed", "program"),
    [
        pytest.param(SEED, BUILD, id="tool_library"),
        pytest.param(CLINIC, COMPILE, id="vet_clinic-not-proved"),
        pytest.param(CLINIC, BUILD, id="vet_clinic", marks=pytest.mark.every_domain),
    ],
)
def test_two_builds_with_other_hash_seeds_and_folders_give_the_same_bytes(seed, program, tmp_path):
    found = []
    for number, hashed in enumerate(("1", "4242")):
        work = tmp_path / f"somewhere{number}"
        work.mkdir()
        (work / f"copy{number}.yaml").write_bytes(seed.read_bytes())
        command = [sys.executable, "-c", program, f"copy{number}.yaml", str(work / "out")]
        zone = ("Asia/Tokyo", "America/Lima")[number]
        subprocess.run(command, check=True, cwd=work, env={"PYTHONHASHSEED": hashed, "PYTHONPATH": str(ROOT), "TZ": zone, "LC_ALL": "C"})
        found.append(disk.read_folder(work / "out" / seed.stem))
    assert len(found[0]) >= 13
    assert found[0] == found[1]


def test_an_unchanged_seed_is_not_built_again(built):
    before = (built.folder / "env.toml").stat().st_mtime_ns
    (again,) = build([SEED], built.folder.parent)
    assert (again.status, again.digest) == ("unchanged", built.digest)
    assert (built.folder / "env.toml").stat().st_mtime_ns == before


def test_a_changed_seed_a_changed_package_or_another_scale_is_built_again(package, tmp_path):
    seed, out = tmp_path / "copy.yaml", package.parent
    seed.write_bytes(SEED.read_bytes())
    assert build([seed], out)[0].status == "unchanged"
    (package / "tools.py").write_text("# spoiled\n")
    assert build([seed], out)[0].status == "built"
    (scaled,) = build([seed], out, scale=400)
    assert scaled.status == "built"
    assert 300 < scaled.rows < 500
    seed.write_bytes(SEED.read_bytes() + b"# one more line\n")
    assert build([seed], out, scale=400)[0].status == "built"


def test_force_builds_an_unchanged_seed(package):
    assert build([SEED], package.parent, force=True)[0].status == "built"


def test_a_bad_seed_goes_to_quarantine_with_the_reason_and_hinders_no_other(tmp_path):
    bad = tmp_path / "broken.yaml"
    bad.write_bytes(SEED.read_bytes().replace(b"paid_until: date", b"paid_until: dat"))
    first, second = build([bad, SEED], tmp_path / "environments")
    assert (first.status, second.status) == ("refused", "built")
    assert first.folder == tmp_path / "quarantine" / "broken"
    reason = (first.folder / "reason.txt").read_text()
    assert "broken.yaml:" in reason
    assert "'dat'" in reason
    assert (first.folder / "seed.yaml").read_bytes() == bad.read_bytes()
    assert disk.packages(tmp_path / "environments") == (second.folder,)


def test_data_that_break_an_invariant_are_refused_with_the_rows_and_the_sentence(tmp_path):
    bad = tmp_path / "poor.yaml"
    bad.write_bytes(SEED.read_bytes() + BROKEN_PROMISE)
    (refused,) = build([bad], tmp_path / "environments")
    assert refused.status == "refused"
    assert "poor.yaml:" in refused.reasons[0]
    assert "'Everything is worth something.', got TOOL-" in refused.reasons[0]


def test_a_seed_that_cannot_be_read_and_an_id_used_twice_are_refused(tmp_path):
    copy = tmp_path / "copy.yaml"
    copy.write_bytes(SEED.read_bytes() + b"# a copy\n")
    found = build([tmp_path / "none.yaml", SEED, copy], tmp_path / "environments")
    assert [one.status for one in found] == ["refused", "built", "refused"]
    assert "which" in found[2].reasons[0]


def test_progress_names_every_seed_once_as_done(built):
    seen = []
    build([SEED, SEED], built.folder.parent, report=seen.append)
    assert [(one.number, one.total, one.built.status) for one in seen if one.built] == [(1, 2, "unchanged"), (2, 2, "unchanged")]


def test_an_old_package_stays_when_its_new_seed_is_refused(package, tmp_path):
    seed = tmp_path / "copy.yaml"
    seed.write_bytes(SEED.read_bytes() + BROKEN_PROMISE)
    digest = open_folder(package).digest
    assert build([seed], package.parent)[0].status == "refused"
    assert open_folder(package).digest == digest


def test_two_processes_that_build_into_one_folder_wait_for_each_other(tmp_path):
    command = [sys.executable, "-c", BUILD, str(SEED), str(tmp_path / "environments")]
    running = [subprocess.Popen(command, env={"PYTHONPATH": str(ROOT)}) for _ in range(3)]
    assert [one.wait() for one in running] == [0, 0, 0]
    assert [one.name for one in disk.packages(tmp_path / "environments")] == ["tool_library"]


def test_a_seed_that_cannot_be_read_is_refused_without_waiting_for_another_build(tmp_path):
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("environment: 1\n")
    with disk.alone(tmp_path / "environments"):
        (one,) = build([wrong], tmp_path / "environments")
    assert (one.status, one.folder) == ("refused", tmp_path / "quarantine" / "wrong")
    assert one.reasons[0].startswith(str(wrong))


def test_who_waits_for_another_build_is_told_of_wrong_seeds_first_and_then_for_whom(package, tmp_path):
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("environment: 1\n")
    told = []
    with ExitStack() as other:
        other.enter_context(disk.alone(package.parent))

        def report(progress):
            told.append((progress.number, progress.stage))
            if progress.waiting:
                other.close()

        done = build([SEED, wrong], package.parent, report=report)
    assert [one.status for one in done] == ["unchanged", "refused"]
    assert told == [(2, "refused"), (1, f"waiting for process {os.getpid()}, which builds"), (1, "read"), (1, "unchanged")]


def test_what_a_killed_build_left_behind_is_removed(package):
    left = package.parent / ".making-tool_library-1"
    left.mkdir()
    (left / "env.toml").write_text("half")
    build([SEED], package.parent)
    assert not left.exists()


def test_all_shipped_seeds_are_found():
    assert SEED.name in [one.name for one in shipped_seeds()]


def test_a_fresh_package_passes_its_check(built):
    found = check_package(built.folder, gate=False)
    assert found.problems == ()
    assert found.same


@pytest.mark.parametrize("name", ["tools.py", "tools.json", "worlds/0.jsonl", "seed.yaml", "models.py", "env.toml", "policy.md"])
def test_one_changed_byte_in_any_file_is_found(package, name):
    content = (package / name).read_bytes()
    spoiled = content.replace(b"library", b"librari", 1) if b"library" in content else content.replace(b"1", b"2", 1)
    (package / name).write_bytes(spoiled)
    assert not check_package(package, gate=False).passed


def test_a_package_that_differs_is_refused_before_its_code_runs_and_runs_in_a_child_when_trusted(package):
    mark = package.parent / "mark"
    (package / "models.py").write_text(f"import os, pathlib\npathlib.Path({str(mark)!r}).write_text(str(os.getpid()))\nraise SystemExit('spoiled')\n")
    found = check_package(package, gate=False)
    assert "models.py: expected what the seed compiles to, got other bytes at line 1." in found.problems[0]
    assert "--trust" in found.problems[-1]
    assert not mark.exists()
    trusted = check_package(package, trust=True, gate=False)
    assert not trusted.passed
    assert mark.read_text() != str(os.getpid())


def test_a_missing_file_and_one_too_many_are_named(package):
    (package / "checks.py").unlink()
    (package / "sitecustomize.py").write_text("")
    text = "\n".join(check_package(package, gate=False).problems)
    assert "checks.py: expected this file, got none." in text
    assert "sitecustomize.py: expected only files of the package, got one more." in text


def test_a_folder_that_is_no_package_is_said_to_be_none(tmp_path):
    assert "expected a readable manifest" in check_package(tmp_path).problems[0]


def test_the_real_engine_refuses_rows_that_their_classes_do_not_take(package):
    world = package / "worlds" / "0.jsonl"
    lines = world.read_text().splitlines(keepends=True)
    at = next(number for number, line in enumerate(lines) if '"Item"' in line)
    table, row = json.loads(lines[at])
    lines[at] = json.dumps([table, {**row, "value": "lost"}]) + "\n"
    world.write_text("".join(lines))
    with pytest.raises(PackageError, match=r"tool_library/models\.py: expected tables that hold the rows"):
        check_in_child(package, "tool_library")


def test_one_real_engine_takes_package_after_package_whatever_becomes_of_one(package, tmp_path):
    bad, endless = tmp_path / "bad", tmp_path / "endless"
    for folder, code in ((bad, "import os, sys\nprint('{}')\nos._exit(3)\n"), (endless, "import os, signal\nos.kill(os.getpid(), signal.SIGALRM)\n")):
        shutil.copytree(package, folder)
        (folder / "models.py").write_text(code)
    with RealEngine() as engine:
        engine.check(package, "tool_library")
        once = engine.seconds
        with pytest.raises(PackageError, match=r"bad/models\.py: expected tables that hold the rows of world 0, got no reason given"):
            engine.check(bad, "bad")
        with pytest.raises(PackageError, match=r"endless/models\.py: expected tables and rows within"):
            engine.check(endless, "endless")
        engine.check(package, "tool_library")
        assert 0 < once < engine.seconds
