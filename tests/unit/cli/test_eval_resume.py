"""What `envfarm eval --resume` takes from where it began, and what it refuses."""

import json
from pathlib import Path

from evals.running.manifest import Invocation, Manifest, Noise, RunLimits
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


def test_to_resume_nothing_or_without_a_folder_is_refused(tmp_path: Path) -> None:
    nothing = typed(tmp_path, "eval", "--resume", "--out", "none")
    nowhere = typed(tmp_path, "eval", "--resume")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "manifest.json").write_text(json.dumps({"format": 1}))
    broken = typed(tmp_path, "eval", "--resume", "--out", "out")

    assert (nothing.returncode, "--resume: expected an evaluation in none, got none. Name another --out" in nothing.stderr) == (2, True)
    assert (nowhere.returncode, "expected --out with the folder to go on with" in nowhere.stderr) == (2, True)
    assert (broken.returncode, "expected the manifest of an evaluation" in broken.stderr) == (1, True)
