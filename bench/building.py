"""Making environments and tasks."""

import shutil
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from bench.cpu import own_cpu
from bench.figures import Figure, at_least, at_most, plain
from bench.work import ENVIRONMENT
from registry.environment import read_manifest
from synth.build import build, shipped_seeds
from synth.packs import Order, make_pack, per_second
from synth.seed.read import read_seed
from synth.tasks.level import level
from synth.tasks.supply import supply

GATED = 40


def _gated(folder: Path, scratch: Path) -> Iterator[Figure]:
    """Tasks made and gated through real tools in process, by level."""
    made = make_pack(folder, scratch / "packs", Order(count=GATED, seed=2), lambda line: None)
    yield from _by_level("tasks made and gated through real tools", made.tasks_per_cpu_second, 25)


def _by_level(name: str, rates: Mapping[str, float], target: float) -> Iterator[Figure]:
    """The rate of each level; the target is for level 3."""
    for one, rate in rates.items():
        said = f"{name}, level {one}"
        yield at_least(said, rate, "per CPU s", target) if one == "3" else plain(said, rate, "per CPU s")


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
    yield plain("tasks made and proved on the interpreter, all levels", len(made.drafts) / spent, "per CPU s")
    yield at_most("tries discarded", 100 * sum(made.discarded.values()) / max(1, made.tries), "%", 30)
    levels = Counter(level(domain, draft) for draft in made.drafts)
    yield from _by_level("tasks made and proved on the interpreter", per_second(levels, made.spent), 100)
    yield from _gated(folder, scratch)
    shutil.rmtree(scratch / "built")
