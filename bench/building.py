"""Making environments and tasks."""

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from bench.cpu import own_cpu
from bench.figures import Figure, at_least, at_most, plain
from bench.work import ENVIRONMENT
from registry.environment import read_manifest
from synth.build import build, shipped_seeds
from synth.seed.read import read_seed
from synth.tasks.supply import supply

GATED = 40


def built_home(home: Path) -> Path:
    """A home with the environment that is measured."""
    built = build(_seeds(), home / "environments")
    if any(one.status == "refused" for one in built):
        raise RuntimeError(f"bench: expected {ENVIRONMENT} to be built, got {built}. See what `envfarm build` says.")
    return home


def _seeds() -> list[Path]:
    return [path for path in shipped_seeds() if path.stem == ENVIRONMENT]


def build_figures(home: Path, scratch: Path, *, quick: bool) -> Iterator[Figure]:
    """CPU seconds of a build with its tasks, in this process and its children; how fast tasks are made."""
    before = own_cpu()
    build(_seeds(), scratch / "built" / "environments", force=True)
    compiled = own_cpu() - before
    folder = scratch / "built" / "environments" / ENVIRONMENT
    domain, (_, digest) = read_seed(folder / "seed.yaml"), read_manifest(folder)
    before = time.process_time()
    made = supply(domain, digest, GATED)
    spent = time.process_time() - before
    yield plain("build of one environment, without tasks", compiled, "CPU s")
    yield at_most(f"build of one environment with {GATED} gated tasks", compiled + spent, "CPU s", 10)
    count = GATED if quick else 200
    before = time.process_time()
    made = supply(domain, digest, count, seed=1)
    spent = time.process_time() - before
    yield at_least("tasks made and gated on the interpreter", len(made.drafts) / spent, "per CPU s", 100)
    discarded = sum(made.made.discarded.values())
    yield at_most("tries discarded", 100 * discarded / max(1, made.made.tries), "%", 30)
    shutil.rmtree(scratch / "built")
