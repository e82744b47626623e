"""`envfarm lint` and `envfarm fmt`."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from server.cli.main import main
from synth.seed.layout import format_text

SEED = Path("seeds/vet_clinic.yaml")


@pytest.fixture
def envfarm(monkeypatch, capsys):
    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["envfarm", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        return SimpleNamespace(returncode=ended.value.code, stdout=said.out, stderr=said.err)

    return run


def test_lint_of_a_good_seed_is_silent_about_problems_and_exits_0(envfarm):
    done = envfarm("lint", SEED, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"seeds": 1, "good": 1, "counts": {"error": 0, "warning": 0, "advice": 0}, "problems": []}


def test_lint_names_place_reason_and_advice_of_every_problem(envfarm, tmp_path):
    text = SEED.read_text().replace("appointment.status == 'booked', NOT_MOVABLE", "appointment.status == 'boked', NOT_MOVABLE")
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text(text.replace("paid: {type: money", "paid: {type: monney"))
    done = envfarm("lint", wrong, "--json")
    assert done.returncode == 1
    found = json.loads(done.stdout)["problems"]
    assert [one["code"] for one in found] == ["UNKNOWN_TYPE", "UNKNOWN_WORD"]
    lines = wrong.read_text().split("\n")
    for one in found:
        assert lines[one["line"] - 1][one["column"] - 1 :].startswith(one["got"].strip("'") if one["code"] == "UNKNOWN_TYPE" else one["got"])
        assert "Did you mean" in one["fix"]


def test_advice_leaves_the_exit_code_alone_unless_it_is_asked_to_count(envfarm, tmp_path):
    poor = tmp_path / "poor.yaml"
    poor.write_text(SEED.read_text().replace('"{appointment} was missed, so mark it as a no-show", ', ""))
    done = envfarm("lint", poor)
    assert done.returncode == 0
    assert "expected at least 3 wordings of how people ask for it, got 2." in done.stdout
    assert done.stdout.rstrip().endswith("(advice)")
    assert envfarm("lint", poor, "--strict").returncode == 1
    assert envfarm("lint", SEED, "--strict").returncode == 0
    (found,) = json.loads(envfarm("lint", poor, "--json").stdout)["problems"]
    assert (found["level"], found["code"], found["field"]) == ("advice", "FEW_WORDINGS", "tools.mark_no_show")
    line = poor.read_text().split("\n")[found["line"] - 1]
    assert line[found["column"] - 1 :].startswith('"nobody turned up for {appointment}')


def test_lint_of_a_missing_file_is_one_sentence(envfarm):
    done = envfarm("lint", "no_such_seed.yaml")
    assert done.returncode == 1
    assert done.stderr.startswith("envfarm: no_such_seed.yaml:1:1: file: expected a seed file that can be read, got ")


def test_layout_of_seeds_that_ship_is_final():
    for path in sorted(Path("seeds").glob("*.yaml")):
        assert format_text(path.read_text(), str(path)) == path.read_text(), path


def test_layout_puts_space_in_order_and_keeps_words_and_comments(envfarm, tmp_path):
    messy = SEED.read_text().replace("\n  def ", "   \n\n\n  def ").replace("title:", "title: ").replace("\ntools: |", "\n# what people do\ntools: |")
    wrong = tmp_path / "messy.yaml"
    wrong.write_text(messy + "\n\n")
    assert envfarm("fmt", wrong, "--check").returncode == 1
    assert wrong.read_text() == messy + "\n\n"
    assert envfarm("fmt", wrong).returncode == 0
    assert wrong.read_text().replace("# what people do\n", "").replace("title:  ", "title: ") == SEED.read_text()
    assert envfarm("fmt", wrong, "--check").returncode == 0


def test_layout_refuses_what_is_no_yaml(envfarm, tmp_path):
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("id: [")
    done = envfarm("fmt", wrong)
    assert done.returncode == 1
    assert "expected YAML, got a syntax error" in done.stderr
