"""Figures of an evaluation, held against values computed by hand and against laws."""

import json
from itertools import pairwise
from math import sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals.errors import EvalError
from evals.metrics.comparison import compare, mcnemar, permutation
from evals.metrics.counting import count
from evals.metrics.folder import read_evaluation
from evals.metrics.formulas import bootstrap, mean, newcombe, pass_at, pass_hat, wilson
from evals.metrics.labels import LABELS, label
from evals.metrics.records import Attempt, Run
from evals.metrics.summary import figures, slices, twins
from tests.evaluation_folder import FAILURES, KINDS, Story, attempt_line, told, write_evaluation, write_folder


def attempt(task, epoch=1, verdict="PASS", tried=1, **more):
    line = {"task": task, "environment": task.split("-")[0], "epoch": epoch, "try": tried, "run": f"{task}.{epoch}.{tried}", "verdict": verdict}
    return Attempt.model_validate({**line, "reward": int(verdict == "PASS"), "partial": float(verdict == "PASS"), **more})


def counted(*attempts, epochs=1):
    return count(attempts, sorted({one.task for one in attempts}), epochs)


def test_pass_at_k_and_pass_hat_k_are_those_computed_by_hand():
    # n = 5, c = 3, k = 2: C(2,2)/C(5,2) = 1/10 fail both; C(3,2)/C(5,2) = 3/10 pass both.
    assert pass_at(5, 3, 2) == pytest.approx(0.9)
    assert pass_hat(5, 3, 2) == pytest.approx(0.3)
    # k = 3: none of the C(2,3) = 0 choices fails all; one of ten passes all.
    assert (pass_at(5, 3, 3), pass_hat(5, 3, 3)) == (1.0, pytest.approx(0.1))
    assert (pass_at(4, 0, 4), pass_hat(4, 4, 4)) == (0.0, 1.0)


def test_wilson_is_as_in_the_tables():
    # 8 of 10: 0.4902 to 0.9433; 0 of 10: 0 to 0.2775.
    interval = wilson(8, 10)
    assert (interval.low, interval.high) == (pytest.approx(0.4902, abs=5e-5), pytest.approx(0.9433, abs=5e-5))
    assert (wilson(0, 10).low, wilson(0, 10).high) == (0.0, pytest.approx(0.2775, abs=5e-5))


def test_the_bootstrap_is_near_the_error_of_clustered_means_and_always_the_same():
    clusters = [0.0, 0.25, 0.5, 0.75, 1.0] * 20
    interval = bootstrap(clusters, 0, 1)
    error = sqrt(sum((one - 0.5) ** 2 for one in clusters) / len(clusters)) / sqrt(len(clusters))

    assert interval == bootstrap(clusters, 0, 1)
    assert interval.low == pytest.approx(0.5 - 1.96 * error, abs=0.015)
    assert interval.high == pytest.approx(0.5 + 1.96 * error, abs=0.015)


def test_a_mean_weighs_tasks_the_same_and_an_interval_counts_them():
    one = [attempt("a-1", epoch, "PASS") for epoch in (1, 2, 3)]
    two = [attempt("a-2", 1, "FAIL", partial=0.5), attempt("a-2", 2, "MASKED"), attempt("a-2", 3, "MASKED")]
    sides = counted(*one, *two, epochs=3)
    all_of_it = figures("all", sides.scored, sides.masked)

    assert (all_of_it.tasks, all_of_it.runs, all_of_it.passed, all_of_it.masked) == (2, 4, 3, 2)
    assert (all_of_it.reward, all_of_it.partial) == (0.5, 0.75)
    assert [(one.k, one.at, one.hat, one.tasks) for one in all_of_it.passes] == [(1, 0.5, 0.5, 2), (2, 1, 1, 1), (3, 1, 1, 1)]


def test_the_last_attempt_counts_and_a_second_invalid_counts_nothing():
    sides = counted(
        attempt("a-1", verdict="INVALID"),
        attempt("a-1", verdict="PASS", tried=2),
        attempt("a-2", verdict="INVALID"),
        attempt("a-2", verdict="INVALID", tried=2, reward=1, partial=1.0),
        attempt("a-3", verdict="MASKED", masked="provider"),
        attempt("a-3", verdict="MASKED", tried=2, masked="network"),
        attempt("a-4", verdict="FAIL"),
    )
    all_of_it = figures("all", sides.scored, sides.masked)

    assert [one.task for one in sides.invalid] == ["a-2"]
    assert [one.task for one in sides.masked] == ["a-3"]
    assert (all_of_it.reward, all_of_it.partial, all_of_it.tasks) == (pytest.approx(1 / 3), pytest.approx(1 / 3), 3)
    assert (sides.invalid_attempts, sides.invalid_rate) == (3, pytest.approx(3 / 5))


outcomes = st.lists(st.lists(st.sampled_from(["PASS", "FAIL", "INVALID"]), min_size=4, max_size=4), min_size=1, max_size=8)


@settings(max_examples=40, deadline=None)
@given(outcomes)
def test_pass_hat_falls_and_pass_at_rises_with_k_and_at_one_both_are_the_mean(verdicts):
    scored = [attempt(f"a-{task}", epoch + 1, one) for task, ones in enumerate(verdicts) for epoch, one in enumerate(ones)]
    found = figures("all", scored)
    hats, ats = [one.hat for one in found.passes], [one.at for one in found.passes]

    assert len(hats) == 4
    assert all(later <= earlier + 1e-12 for earlier, later in pairwise(hats))
    assert all(later >= earlier - 1e-12 for earlier, later in pairwise(ats))
    assert hats[0] == pytest.approx(found.reward)
    assert ats[0] == pytest.approx(found.reward)
    assert found.reward_interval.low - 1e-12 <= found.reward <= found.reward_interval.high + 1e-12


@settings(max_examples=40, deadline=None)
@given(outcomes, st.integers(1, 6))
def test_masked_runs_move_neither_reward_nor_partial_nor_interval(verdicts, more):
    scored = [attempt(f"a-{task}", epoch + 1, one) for task, ones in enumerate(verdicts) for epoch, one in enumerate(ones)]
    masked = [attempt(f"b-{task}", 1, "MASKED", masked="network") for task in range(more)]
    plain, noisy = counted(*scored, epochs=4), counted(*scored, *masked, epochs=4)
    before, after = (figures("all", one.scored) for one in (plain, noisy))

    assert before == after
    assert len(noisy.masked) == more


def test_a_slice_holds_its_own_tasks_and_those_masked_apart():
    sides = counted(attempt("vet-1", kind="do"), attempt("vet-2", verdict="FAIL", kind="answer"), attempt("loan-1", verdict="MASKED", kind="do"))
    by = slices(sides, "office")

    assert [(one.name, one.tasks, one.reward, one.masked) for one in by["environment"]] == [("loan", 0, 0.0, 1), ("vet", 2, 0.5, 0)]
    assert [(one.name, one.reward) for one in by["kind"]] == [("answer", 0.0), ("do", 1.0)]
    assert [(one.name, one.reward) for one in by["noise"]] == [("office", 0.5)]


def test_where_users_were_asked_there_are_figures_by_persona():
    sides = counted(attempt("vet-1", persona="chatty"), attempt("vet-2", verdict="FAIL", persona="terse"), attempt("vet-3"))

    assert [(one.name, one.reward) for one in slices(sides, "none")["persona"]] == [("chatty", 1.0), ("no user", 1.0), ("terse", 0.0)]
    assert "persona" not in slices(counted(attempt("vet-3")), "none")


def test_twins_count_once_a_pair():
    scored = [attempt("a-1", twin="a-2"), attempt("a-2", twin="a-1", verdict="FAIL"), attempt("a-3", twin="a-4"), attempt("a-4", twin="a-3")]

    found = twins(scored)
    assert (found.pairs, found.both, found.one, found.none) == (2, 1, 1, 0)


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_failure_is_labelled_by_its_cause(failure, kind):
    story = Story("vet_clinic", kind, 3, failure)
    run = told(story, "run-1", "vet_clinic-1", 1)

    found = label(Attempt.model_validate(attempt_line(story, run)), Run.model_validate(run))
    assert found.main == failure
    assert failure not in found.others


@pytest.mark.parametrize("kind", KINDS)
def test_doing_nothing_is_giving_up_whatever_was_due(kind):
    story = Story("vet_clinic", kind, 3)
    run = told(story, "run-1", "vet_clinic-1", 1)
    checks = [{**one, "passed": False, "actual": None} for one in run["report"]["checks"]]
    run = {**run, "calls": [], "report": {**run["report"], "verdict": "FAIL", "checks": checks}}

    assert label(Attempt.model_validate(attempt_line(story, run)), Run.model_validate(run)).main == "gave up"


def test_only_failed_runs_are_labelled_and_a_run_without_a_log_is_untold():
    story = Story("vet_clinic", "do", 3)
    run = told(story, "run-1", "vet_clinic-1", 1)
    line = attempt_line(story, run)

    assert label(Attempt.model_validate(line), Run.model_validate(run)) is None
    assert label(Attempt.model_validate({**line, "verdict": "INVALID"}), None) is None
    assert label(Attempt.model_validate({**line, "verdict": "FAIL"}), None).main == "untold"


def test_a_declared_distractor_is_known_without_being_shown():
    story = Story("vet_clinic", "do", 3, "wrong row")
    run = told(story, "run-1", "vet_clinic-1", 1)
    run["gold"]["distractors"] = [story.far]

    assert label(Attempt.model_validate(attempt_line(story, run)), Run.model_validate(run)).main == "distractor chosen"


def test_changes_of_gold_are_read_as_packs_have_them():
    change = {"op": "update", "table": "Invoice", "key": "INV-1", "values": {"paid": {"from": 0, "to": 20, "class": "exact"}}}
    run = Run.model_validate({"run": "r", "task": "t", "environment": "e", "gold": {"calls": [], "changes": [change]}})

    assert (run.gold.changes[0].before, run.gold.changes[0].after) == ({"paid": 0}, {"paid": 20})


def test_a_folder_with_a_torn_last_line_is_read_without_it(tmp_path):
    folder = write_evaluation(tmp_path / "e", tasks=4)
    whole = read_evaluation(folder).attempts
    with (folder / "attempts.jsonl").open("a") as file:
        file.write('{"task": "vet_cl')

    assert read_evaluation(folder).attempts == whole
    assert len(whole) == 4


def test_a_folder_that_is_none_and_a_broken_line_are_told_in_a_sentence(tmp_path):
    with pytest.raises(EvalError, match="expected an evaluation"):
        read_evaluation(tmp_path)
    folder = write_evaluation(tmp_path / "e", tasks=2)
    lines = (folder / "attempts.jsonl").read_text().splitlines()
    broken = json.dumps({**json.loads(lines[1]), "verdict": "MAYBE"})
    (folder / "attempts.jsonl").write_text(f"{lines[0]}\n{broken}\n")
    with pytest.raises(EvalError, match=r"attempts\.jsonl:2: expected the format of an evaluation, got verdict"):
        read_evaluation(folder)


def test_a_run_is_never_read_from_outside_of_its_folder(tmp_path):
    evaluation = read_evaluation(write_evaluation(tmp_path / "e", tasks=2))

    assert evaluation.run("../manifest") is None


def test_mcnemar_is_that_computed_by_hand():
    # 1 of 6 flips: 2 * (C(6,0) + C(6,1)) / 64 = 14/64.
    assert mcnemar(5, 1) == pytest.approx(14 / 64)
    assert (mcnemar(0, 0), mcnemar(3, 3)) == (1.0, 1.0)


def test_a_permutation_test_tries_all_signs_of_few_tasks():
    # Sums of ±0.5 ±0.5 ±1: only ±2 of the eight are as far from 0 as 2.
    assert permutation([0.5, 0.5, 1.0, 0.0]) == pytest.approx(2 / 8)
    assert permutation([0.0, 0.0]) == 1.0
    assert permutation([0.5] * 20) < 0.001


def test_a_comparison_pairs_by_task_and_epoch(tmp_path):
    a = counted(attempt("vet-1"), attempt("vet-2", verdict="FAIL"), attempt("vet-3", verdict="FAIL"), attempt("vet-4", verdict="MASKED"))
    b = counted(attempt("vet-1", verdict="FAIL"), attempt("vet-2"), attempt("vet-3"), attempt("vet-4"))
    found = compare(a, b)

    assert (found.overall.tasks, found.overall.a, found.overall.b) == (3, pytest.approx(1 / 3), pytest.approx(2 / 3))
    assert (found.overall.gained, found.overall.lost, found.overall.p, found.overall.test) == (2, 1, 1.0, "McNemar, exact")
    assert [(one.task, one.a, one.b) for one in found.flips] == [("vet-1", 1, 0), ("vet-2", 0, 1), ("vet-3", 0, 1)]
    assert (found.unpaired_a, found.unpaired_b) == (0, 1)


def test_several_epochs_are_compared_by_permutation():
    a = counted(*(attempt(f"vet-{task}", epoch, "FAIL") for task in range(3) for epoch in (1, 2)), epochs=2)
    b = counted(*(attempt(f"vet-{task}", epoch, "PASS" if epoch == 1 else "FAIL") for task in range(3) for epoch in (1, 2)), epochs=2)
    overall = compare(a, b).overall

    assert (overall.test, overall.difference, overall.p) == ("paired permutation", 0.5, pytest.approx(2 / 8))


@pytest.mark.parametrize(("a", "b"), [((1, 1, 1), (0, 0, 0)), ((0, 0), (1, 1)), ((1, 0, 1, 0), (1, 0, 1, 0)), ((0.5,), (1.0,)), ((1,), (1,))])
def test_few_tasks_that_agree_leave_doubt_about_the_difference(a, b):
    found = newcombe(a, b)
    difference = mean(b) - mean(a)

    assert -1 <= found.low <= difference <= found.high <= 1
    assert found.high - found.low > 0.3


def test_newcombes_interval_is_that_computed_by_hand():
    # Of 3 tasks all were lost: 1 - 3/(3 + z²) = 0.5615 on both sides, and no correlation: -1 + 0.5615·√2.
    found = newcombe((1, 1, 1), (0, 0, 0))
    assert (found.low, found.high) == (-1.0, pytest.approx(-0.2059, abs=5e-4))
    # φ = (6·6 - 2·1 - 15/2) / √(8·7·7·8) = 26.5 / 56; Wilson of 7 and of 8 in 15.
    pairs = [(1, 1)] * 6 + [(0, 0)] * 6 + [(1, 0)] * 2 + [(0, 1)]
    found = newcombe(*zip(*pairs, strict=True))
    down, up = 7 / 15 - wilson(7, 15).low, wilson(8, 15).high - 8 / 15
    assert found.low == pytest.approx(-1 / 15 - (down**2 - 2 * 26.5 / 56 * down * up + up**2) ** 0.5)


def test_a_comparison_of_few_tasks_has_an_interval_of_some_width():
    a, b = (counted(*(attempt(f"vet-{task}", verdict=verdict) for task in range(4))) for verdict in ("PASS", "FAIL"))
    overall = compare(a, b).overall

    assert (overall.difference, overall.interval.method) == (-1.0, "Newcombe")
    assert overall.interval.high > -0.7


def test_every_label_of_made_up_folders_is_known(tmp_path):
    evaluation = read_evaluation(write_evaluation(tmp_path / "e", tasks=60, skill=0.1))
    found = {label(one, evaluation.run(one.run)) for one in evaluation.attempts}

    assert {one.main for one in found if one} <= set(LABELS)
    assert "untold" not in {one.main for one in found if one}


def test_an_evaluation_without_attempts_has_figures_of_nothing(tmp_path):
    write_folder(tmp_path / "e", [], ["vet-1"])
    evaluation = read_evaluation(tmp_path / "e")
    sides = count(evaluation.attempts, evaluation.manifest.tasks, 1)

    assert (figures("all", sides.scored).reward, sides.missing, sides.invalid_rate) == (0.0, 1, 0.0)
