"""`envfarm build` and `envfarm check` as a person meets them."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from synth.packs import build_pack
from tests.typed import typed

ROOT = Path(__file__).parents[3]
SEED = ROOT / "seeds" / "tool_library.yaml"


def envfarm(home, *words):
    return typed(home, *map(str, words))


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def built(home):
    return envfarm(home, "build", SEED, "--tasks", 0, "--json")


def test_the_answer_is_on_stdout_and_one_line_per_environment_on_stderr(home, built):
    assert built.returncode == 0
    (one,) = json.loads(built.stdout)["environments"]
    assert (one["id"], one["status"], one["folder"]) == ("tool_library", "built", str(home / "environments" / "tool_library"))
    assert re.fullmatch(r"\[1/1\] tool_library: built, [0-9.]+ s, [0-9.]+ CPU-s\n", built.stderr)


def test_an_unchanged_seed_is_said_to_be_unchanged(home, built):
    again = envfarm(home, "build", SEED, "--tasks", 0)
    assert "unchanged" in again.stdout
    assert again.stderr == "[1/1] tool_library: unchanged\n"


def test_several_seeds_end_with_time_and_processor_time_in_all(home, built, tmp_path):
    (tmp_path / "empty.yaml").write_text("")
    found = envfarm(home, "build", SEED, tmp_path / "empty.yaml", "--tasks", 0)
    assert found.returncode == 1
    assert re.search(r"^in all: [0-9.]+ s, [0-9.]+ CPU-s$", found.stderr, re.MULTILINE)


def test_each_pack_is_made_right_after_its_environment(home, built, tmp_path):
    (tmp_path / "empty.yaml").write_text("")

    found = envfarm(home, "build", SEED, tmp_path / "empty.yaml", "--tasks", 2, "--json")

    assert [line.split(",")[0] for line in found.stderr.splitlines()[:3]] == [
        "[1/2] tool_library: unchanged",
        "tool_library-test-0: 2 tasks",
        "[2/2] empty: refused",
    ]
    assert [one["made"] for one in json.loads(found.stdout)["packs"]] == [True]


def test_a_seed_that_is_not_there_is_wrong_usage_and_leaves_nothing_in_quarantine(tmp_path):
    found = envfarm(tmp_path, "build", tmp_path / "nofile.yaml", "--tasks", 0)
    assert found.returncode == 2
    assert "which is not there. Correct the path." in " ".join(found.stderr.replace("│", " ").split())
    assert not (tmp_path / "quarantine").exists()


def test_of_two_that_make_a_pack_at_once_one_waits_and_finds_it_made(home, built):
    folder = home / "environments" / "tool_library"
    with ThreadPoolExecutor() as pool:
        both = list(pool.map(lambda _: build_pack(folder, home / "twice", count=2), range(2)))

    assert sorted(one.made for one in both) == [False, True]


def test_a_seed_with_mistakes_ends_with_1_and_every_reason_on_stderr(tmp_path):
    seed = tmp_path / "bad.yaml"
    seed.write_text(SEED.read_text().replace("value: money", "value: monney").replace("get: [Member", "get: [Membr"))
    found = envfarm(tmp_path, "build", seed, "--out", tmp_path / "out", "--json")
    assert found.returncode == 1
    assert len(json.loads(found.stdout)["environments"][0]["reasons"]) >= 2
    assert "bad.yaml:" in found.stderr
    assert "monney" in found.stderr
    assert "Membr" in found.stderr
    assert "Traceback" not in found.stderr


def test_a_built_package_passes_by_its_id_and_by_its_folder(home, built):
    assert envfarm(home, "check", "tool_library").stdout == "tool_library: ok, 7 tools, coverage 100%, 100 rounds, 0 unexpected\n"
    found = json.loads(envfarm(home, "check", home / "environments" / "tool_library", "--json").stdout)
    counts = {"tools": 7, "rounds": 100, "unexpected": 0, "coverage": 1.0, "pass_rate": 1.0}
    assert found == {"environment": "tool_library", "passed": True, **counts, "mutants": None}


def test_a_deep_check_counts_faults_that_the_gate_showed(home, built):
    found = json.loads(envfarm(home, "check", "tool_library", "--deep", "--json").stdout)
    assert found["passed"] is True
    assert found["mutants"]["made"] == found["mutants"]["killed"] + found["mutants"]["equivalent"] >= 50
    assert found["mutants"]["survived"] == 0


def test_a_changed_package_does_not_pass(home, built, tmp_path):
    envfarm(home, "build", SEED, "--out", tmp_path / "environments", "--tasks", 0)
    tools = tmp_path / "environments" / "tool_library" / "tools.py"
    tools.write_text(tools.read_text().replace("on loan", "On loan"))
    found = envfarm(home, "check", tools.parent)
    assert found.returncode == 1
    assert "tools.py: expected what the seed compiles to" in found.stderr
    assert "--trust" in found.stderr
    trusted = envfarm(home, "check", tools.parent, "--trust")
    assert trusted.returncode == 1, "what it does is compared with what its seed says"
    assert "got 'NOT_LENT: Only an item that is On loan can be returned.'" in trusted.stderr
    tools.write_text(tools.read_text().replace("On loan", "on loan") + "# only a remark\n")
    trusted = envfarm(home, "check", tools.parent, "--trust")
    assert (trusted.returncode, trusted.stderr) == (0, "")
    assert "differs from what its seed compiles to" in trusted.stdout


def test_neither_or_both_of_package_and_all_is_wrong_usage(home):
    for words in (("check",), ("check", "tool_library", "--all")):
        found = envfarm(home, *words)
        assert found.returncode == 2
        assert "Name one package, or pass --all." in found.stderr


def test_a_tool_is_made_faulty_only_by_a_deep_check(home):
    found = envfarm(home, "check", "tool_library", "--tool", "lend_item")
    assert found.returncode == 2
    assert "expected --tool with --deep and one package" in " ".join(found.stderr.split())


def test_an_unknown_package_is_said_in_one_sentence(home, built):
    found = envfarm(home, "check", "tool_libary")
    assert found.returncode == 1
    assert "tool_library" in found.stderr
    assert "Traceback" not in found.stderr
