"""Additions that are tried alone, and two models at one environment; scripts answer, no model is asked."""

import json
from pathlib import Path

import pytest

from synth import disk
from synth.author.enriching import enrich
from synth.author.trial import try_out
from synth.errors import SynthError
from synth.model.endpoint import Access, Endpoint
from synth.model.meter import Meter
from synth.package import package_files
from synth.seed.read import read_seed
from tests.data.cassettes.write import FIRST, FOLDER, GOOD
from tests.endpoint import Said, scripted
from tests.script import Script


def line_of(text):
    return next(number for number, line in enumerate(GOOD.splitlines(), 1) if text in line)


@pytest.mark.every_domain
def test_additions_are_kept_one_by_one_if_the_gate_stays_green_and_nothing_is_lost(tmp_path):
    asked, rule = line_of('@asked("let {plot}'), line_of("policy(len(gardener.plots)")
    answer = f"""@@ {asked}-{asked} phrase: on the phone
  @asked("let {{plot}} to {{gardener}}", "{{gardener}} gets {{plot}}", "give {{plot}} to {{gardener}}", "{{gardener}} would like {{plot}}")
@@ {rule}+ edge: a rule that can never fail
      require(gardener.fee >= 0, NO_FEE, "Nobody owes less than nothing.")
@@ {line_of("def take_back_plot")}-{line_of("def take_back_plot")} phrase: takes a tool away
  def give_back_plot(plot: Plot):
@@ {line_of("paid = chance")}-{line_of("paid = chance")} values: code
      paid = open('x')
@@ 900+ values: nowhere
      name = 1
"""
    done = enrich(GOOD, "scripted", Meter(Script(answer)), tmp_path / "scratch")
    kept = {one.about.split(":")[0]: one.reason for one in done.additions if not one.reason}

    assert list(kept) == ["phrase"]
    assert (done.kept, len(done.additions)) == (1, 5)
    assert done.seed == GOOD.replace('"give {plot} to {gardener}")', '"give {plot} to {gardener}", "{gardener} would like {plot}")')
    assert all(": expected " in one.reason or "found" in one.reason for one in done.additions if one.reason), done.additions
    assert not (tmp_path / "scratch").exists()


def test_a_seed_that_does_not_pass_is_not_enriched_and_nothing_is_asked(tmp_path):
    with pytest.raises(SynthError, match="expected one that passes the gate"):
        enrich(FIRST, "scripted", Meter(Script()), tmp_path / "scratch")


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    disk.write_folder(package_files(read_seed(FOLDER / "allotment_gardens.yaml")), home / "allotment_gardens")
    return home / "allotment_gardens"


def test_every_call_of_the_tester_is_made_and_judged_by_what_it_changed(package):
    calls = [
        {"tool": "search_plots", "arguments": {"status": "free"}},
        {"tool": "let_plot", "arguments": {"plot_id": "PLOT-99", "gardener_id": "GRD-001"}},
    ]
    verdicts = [{"call": 1, "right": True, "why": "rows"}, {"call": 2, "right": False, "why": "there is such a plot"}]
    script = Script(json.dumps(calls), f"```json\n{json.dumps(verdicts)}\n```")
    done = try_out(Path(package), "scripted", Meter(script), rounds=2)

    assert [(one.tool, one.outcome, one.right) for one in done.calls] == [("search_plots", "ok", True), ("let_plot", "refused", False)]
    assert (done.rate, done.judged, done.stopped) == (0.5, 2, "")
    assert "def let_plot" in script.asked[1].messages[0].text
    assert "NOT_FOUND" in script.asked[1].messages[0].text


def test_what_nobody_judged_is_not_right_and_a_tester_without_calls_is_left(package):
    call = json.dumps([{"tool": "no_such_tool"}, {"tool": 7}, "x"])
    done = try_out(Path(package), "scripted", Meter(Script(call, "all fine", "no", "{}", "[]")), rounds=5)

    assert [(one.tool, one.right) for one in done.calls] == [("no_such_tool", None)]
    assert done.rate == 0
    assert "expected 5 calls, got 1" in done.stopped


@pytest.mark.parametrize(
    "said",
    [Said(b"<html>"), Said(b'{"choices": [{"mess'), Said(status=429), Said(hang=True), Said({"error": {"message": "no credit"}})],
    ids=["garbage", "half", "busy", "hang", "error"],
)
def test_a_trial_whose_endpoint_fails_keeps_the_calls_that_were_made_and_says_why_it_ended(package, said):
    call = json.dumps({"tool": "search_plots", "arguments": {}})
    with scripted([said]) as endpoint:
        model = Endpoint(Access(url=endpoint.url, timeout=0.2 if said.hang else 30, attempts=2), wait=lambda seconds: None)
        done = try_out(Path(package), "scripted", Meter(Script(call, then=model)), rounds=5)

    assert [(one.tool, one.right) for one in done.calls] == [("search_plots", None)]
    assert done.ended == "no_model"
    assert done.stopped.startswith("model at http://")
    assert not done.passed(0.0)


def test_a_trial_that_runs_out_of_tokens_keeps_what_was_judged(package):
    call, verdict = json.dumps({"tool": "search_plots", "arguments": {}}), json.dumps({"call": 1, "right": True})
    done = try_out(Path(package), "scripted", Meter(Script(*[call, verdict] * 3, tokens=(100, 50)), budget=2_600), rounds=50)

    assert 1 <= len(done.calls) <= 3
    assert done.calls[0].right is True
    assert "budget: expected" in done.stopped
    assert done.ended == "budget"
