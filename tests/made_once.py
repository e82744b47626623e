"""What several tests need and is dear to make, made once: by one worker, for all of them and for the next run.

It lies below .pytest_cache under a digest of everything that it follows from (our sources, the seeds), so that it is never old; `make clean`
removes it. Tests of building itself do not use it.
"""

import fcntl
import hashlib
import pickle
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TypeVar

from synth import disk
from synth.lang.domain import Domain
from synth.package import package_files
from synth.seed.read import read_seed
from tests.seeds import path_of

T = TypeVar("T")
ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / ".pytest_cache" / "made_once"
SOURCES = ("synth", "registry", "seeds", "tests/made_once.py")
GENERATIONS = 3
"""Of sources, whose things are kept."""


@cache
def folder() -> Path:
    """Where everything lies that follows from the sources as they are."""
    digest = hashlib.sha256()
    for file in sorted(one for name in SOURCES for one in _files(ROOT / name)):
        digest.update(f"{file.relative_to(ROOT)}\0".encode() + hashlib.sha256(file.read_bytes()).digest())
    found = KEPT / digest.hexdigest()[:20]
    found.mkdir(parents=True, exist_ok=True)
    for old in sorted(KEPT.iterdir(), key=lambda one: one.stat().st_mtime_ns)[:-GENERATIONS]:
        if old != found:
            shutil.rmtree(old, ignore_errors=True)
    return found


def _files(place: Path) -> Iterator[Path]:
    if place.is_file():
        yield place
    for one in place.rglob("*"):
        if one.is_file() and "__pycache__" not in one.parts:
            yield one


@contextmanager
def _alone(name: str) -> Iterator[None]:
    with (folder() / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def value(name: str, make: Callable[[], T]) -> T:
    """What `make` gives, which is made only if nobody made it before.

    Args:
        name: Of the thing, unique to `make` and all that it is given.
    """
    path = folder() / f"{name}.pickle"
    with _alone(name):
        if not path.exists():
            made = make()
            partial = path.with_suffix(".partial")
            partial.write_bytes(pickle.dumps(made))
            partial.rename(path)
            return made
    held: T = pickle.loads(path.read_bytes())
    return held


@cache
def domain_of(name: str) -> Domain:
    """The resolved seed."""
    return read_seed(path_of(name))


def package_of(name: str) -> Path:
    """The package of a seed that ships, not to be changed; it has passed no gate."""
    place = folder() / "environments" / name
    with _alone(f"package-{name}"):
        if not place.exists():
            disk.write_folder(package_files(domain_of(name)), place)
    return place


def put_packages(environments: Path, *names: str) -> None:
    """Copies packages into the folder `environments` of a home."""
    for name in names:
        shutil.copytree(package_of(name), environments / name)
