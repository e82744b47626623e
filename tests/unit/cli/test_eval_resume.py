"""What `envfarm eval --resume` takes from where it began, and what it refuses."""

import json
from pathlib import Path
from typing import Any

import pytest

from evals.errors import EvalError
from evals.running.manifest import Invocation, Manifest, Noise, RunLimits, refuse_other
from evals.running.plan import Choice
from server.cli.eval_resume import completed
from tests.typed import typed

BEGUN = Manifest(
    agent="command:./agent.sh",
    environments={},
    packs={},
    generator="0",
    envfarm="0",
    tasks=("a", "b"),
    epochs=4,
    noise=Noise(profile="office", seed=3),
    limits=RunLimits(max_calls=9, timeout=30),
    seed=2,
    persona="mix",
    invocation=Invocation(passed=("KEY",), sandbox=False, baselines=True, concurrency=3),
)
OPTIONS = {
    **{"agent": "", "environments": [], "tasks": [], "split": "", "levels": [], "kinds": [], "limit": 0, "epochs": 1, "max_calls": 0},
    **{"timeout": 600.0, "noise": "none", "noise_seed": 0, "seed": 0, "concurrency": 0, "passed": [], "sandbox": True, "baselines": False},
    "persona": "plain",
}


def test_all_that_is_not_given_again_is_as_the_evaluation_began() -> None:
    assert completed(OPTIONS, frozenset({"out", "resume"}), BEGUN) == {
        **OPTIONS,
        **{"agent": "command:./agent.sh", "tasks": ["a", "b"], "epochs": 4, "max_calls": 9, "timeout": 30, "noise": "office", "noise_seed": 3},
        **{"seed": 2, "concurrency": 3, "passed": ["KEY"], "sandbox": False, "baselines": True, "persona": "mix"},
    }


def test_what_is_given_stands_and_is_held_against_the_manifest_later() -> None:
    told = completed({**OPTIONS, "kinds": ["do"], "epochs": 1, "passed": ["OTHER"]}, frozenset({"kinds", "epochs", "passed"}), BEGUN)

    assert (told["kinds"], told["tasks"], told["epochs"], told["passed"], told["seed"]) == (["do"], [], 1, ["OTHER"], 2)


def test_a_new_evaluation_has_its_options_alone() -> None:
    assert completed(OPTIONS, frozenset(), None) == OPTIONS


@pytest.mark.parametrize(
    ("other", "filters", "said"),
    [
        (
            {"tasks": ("a",), "environments": {}},
            ("--kind", "--limit"),
            "the 2 tasks that this evaluation began with, got 1 by --kind and --limit, 1 of",
        ),
        (
            {"epochs": 2},
            (),
            "expected --epochs 4 as this evaluation began, got 2. Leave --epochs out: `envfarm eval --resume --out r4` goes on with all",
        ),
        ({"limits": RunLimits(max_calls=9, timeout=60)}, (), "expected --timeout 30.0 as"),
        ({"environments": {"shop": "d2"}}, (), "expected the environment shop with digest d1 as this evaluation began, got d2. Choose another --out"),
        ({"headline": ("same user",)}, (), "expected what agents can reach (nothing remarked) as this evaluation began, got (same user)."),
    ],
)
def test_what_is_not_as_it_began_is_named_as_the_option_that_says_so(other: dict[str, Any], filters: tuple[str, ...], said: str) -> None:
    begun = BEGUN.model_copy(update={"environments": {"shop": "d1"}})
    with pytest.raises(EvalError) as refused:
        refuse_other(Path("r4"), begun, begun.model_copy(update=other), filters)

    assert said in str(refused.value)


def test_filters_are_named_as_options() -> None:
    assert Choice(kinds=("do",), limit=5).options == ("--kind", "--limit")


def test_to_resume_nothing_or_without_a_folder_is_refused(tmp_path: Path) -> None:
    nothing = typed(tmp_path, "eval", "--resume", "--out", "none")
    nowhere = typed(tmp_path, "eval", "--resume")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "manifest.json").write_text(json.dumps({"format": 1}))
    broken = typed(tmp_path, "eval", "--resume", "--out", "out")

    assert (nothing.returncode, "--resume: expected an evaluation in none, got none. Name another --out" in nothing.stderr) == (2, True)
    assert (nowhere.returncode, "expected --out with the folder to go on with" in nowhere.stderr) == (2, True)
    assert (broken.returncode, "expected the manifest of an evaluation" in broken.stderr) == (1, True)
