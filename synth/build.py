"""Builds environments from seeds: orders the stages, and keeps what did not change."""

import gc
import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib.resources import files as resources
from pathlib import Path
from typing import Any, Literal

from registry.catalogue import open_folder
from registry.environment import Environment, read_manifest
from registry.package.errors import PackageError
from synth import disk
from synth.compile.package import WORLD
from synth.data.world import make_world
from synth.errors import GateError, SynthError, WorldError
from synth.gate.prove import prove
from synth.lang.domain import Domain
from synth.lang.problems import SeedError
from synth.package import QUALITY, Staged, quality_file, recorded_scale, stage_package
from synth.real_engine import RealEngine
from synth.seed.read import read_seed
from synth.tasks.supply import FIRST_WORLD, task_world
from synth.version import GENERATOR

EXAMPLE = "vet_clinic"
"""The environment of the examples in README.md and docs/."""

Status = Literal["built", "unchanged", "refused"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """What became of one seed.

    Attributes:
        seed: Its path, as given.
        id: Of the environment; the name of the file where the seed could not be read.
        folder: Where the package lies, or the folder in quarantine with the reason.
        digest: Of the environment; empty if refused.
        reasons: Why it was refused, one sentence each.
        domain: The seed as it was read, if it was.
    """

    seed: str
    id: str
    status: Status
    folder: Path
    digest: str = ""
    tools: int = 0
    rows: int = 0
    reasons: tuple[str, ...] = ()
    domain: Domain | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """One step of a build: environment `number` of `total` is now at `stage`; with `built` when it is done.

    Attributes:
        waiting: Whether another process is waited for.
        beside: Processor time so far of a process of the build that has not ended, so that the system does not count it yet.
    """

    number: int
    total: int
    seed: str
    stage: str
    built: Built | None = None
    waiting: bool = False
    beside: float = 0.0


Report = Callable[[Progress], None]


def shipped_seeds() -> tuple[Path, ...]:
    """The seeds that come with this project: the one of the examples, which people want first, then the others by name."""
    return tuple(sorted(disk.seed_files(Path(str(resources("seeds")))), key=lambda path: (path.stem != EXAMPLE, path.name)))


def build(
    seeds: Sequence[Path],
    out: Path,
    *,
    quarantine: Path | None = None,
    scale: int | None = None,
    force: bool = False,
    report: Report = lambda progress: None,
) -> tuple[Built, ...]:
    """Builds the package of each seed into `out`/ID; one that is refused is left in quarantine with the reason, and hinders no other.

    Args:
        seeds: Paths of seed files.
        quarantine: Where refused ones go; `quarantine` beside `out` by default.
        scale: About how many rows world 0 has; None for as many as the seed says.
        force: Build unchanged seeds too.
    """
    done = []
    taken: dict[str, str] = {}
    total = len(seeds)
    with RealEngine() as engine:
        buildings = [_Building(seed, out, quarantine or out.parent / "quarantine", scale, engine) for seed in seeds]
        if disk.is_taken(out):
            # Who has mistyped something need not wait for others to hear of it.
            for number, one in enumerate(buildings, 1):
                if one.refused_early(force=force):
                    report(_progress(number, total, one.result()))
        for number, (seed, one) in enumerate(zip(seeds, buildings, strict=True), 1):
            if not one.done:

                def waits(holder: str, number: int = number, seed: Path = seed) -> None:
                    stage = f"waiting for {holder}, which builds"
                    report(Progress(number=number, total=total, seed=str(seed), stage=stage, waiting=True))

                # For one seed at a time, so that whoever is told of one may go on with it while another process builds the next.
                with disk.alone(out, waits):
                    for stage in one.stages(force=force, taken=taken):
                        report(Progress(number=number, total=total, seed=str(seed), stage=stage))
                report(_progress(number, total, one.result(), engine.seconds))
            done.append(one.result())
    return tuple(done)


def _progress(number: int, total: int, built: Built, beside: float = 0.0) -> Progress:
    return Progress(number=number, total=total, seed=built.seed, stage=built.status, built=built, beside=beside)


def register(package: Path, out: Path) -> Path:
    """Puts a package that was built elsewhere among those of `out`, at once; where it lies from then on."""
    target = out / package.name
    with disk.alone(out):
        disk.write_folder(disk.read_folder(package), target)
    return target


@contextmanager
def collected_later() -> Iterator[None]:
    """Lets cycles of objects lie until the end: the gate makes few of them, and looking for them among its many objects costs a tenth of its time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _refuse_worlds_of_tasks(domain: Domain) -> None:
    """Makes the world that the default pack is on: else a seed whose data keep its invariants by chance would be built, and then have no tasks.

    Raises:
        WorldError: It cannot be made.
    """
    try:
        task_world(domain, FIRST_WORLD["test"])
    except WorldError as error:
        told = "So it is in the world that tasks are made on; that of free play has other rows."
        raise WorldError(tuple(f"{one} {told}" for one in error.reasons)) from error


class _Building:
    """The stages of one seed."""

    def __init__(self, seed: Path, out: Path, quarantine: Path, scale: int | None, engine: RealEngine) -> None:
        self._seed = seed
        self._out = out
        self._quarantine = quarantine
        self._scale = scale
        self._engine = engine
        self._built: Built | None = None

    @property
    def done(self) -> bool:
        """Whether it is known what became of the seed."""
        return self._built is not None

    def refused_early(self, *, force: bool) -> bool:
        """Whether the seed cannot be read, and so is refused before its turn; one that did not change is not looked at."""
        content = disk.read_file(self._seed)
        if not force and content is not None and self._unchanged(hashlib.sha256(content).hexdigest()) is not None:
            return False
        try:
            read_seed(self._seed)
        except SeedError as error:
            self._refuse(content or b"", error)
        return self.done

    def result(self) -> Built:
        """What became of the seed, after all stages."""
        if self._built is None:
            raise SynthError(f"{self._seed}: expected all stages to be run, got a build that was stopped. Build it again.")
        return self._built

    def stages(self, *, force: bool, taken: dict[str, str]) -> Iterator[str]:
        """Runs the stages, saying the name of each before it."""
        yield "read"
        content = disk.read_file(self._seed)
        if not force and content is not None:
            self._built = self._unchanged(hashlib.sha256(content).hexdigest())
            if self._built is not None:
                taken.setdefault(self._built.id, str(self._seed))
                return
        try:
            yield from self._make(taken)
        except (SeedError, WorldError, GateError, PackageError) as error:
            self._refuse(content or b"", error)

    def _make(self, taken: dict[str, str]) -> Iterator[str]:
        domain = read_seed(self._seed)
        if domain.id in taken:
            raise WorldError((f"{self._seed}: id: expected an id of its own, got {domain.id!r}, which {taken[domain.id]} has. Change one of them.",))
        taken[domain.id] = str(self._seed)
        yield "rows and code"
        target = self._out / domain.id
        staged = stage_package(domain, target, self._scale)
        working = staged.folder
        try:
            _refuse_worlds_of_tasks(domain)
            disk.add_files({QUALITY: quality_file(staged, self._scale)}, working)
            yield "real engine"
            self._engine.check(working, domain.id)
            environment = open_folder(working)
            yield "gate"
            disk.add_files({QUALITY: quality_file(staged, self._scale, self._proved(domain, environment, staged))}, working)
        except (PackageError, GateError, WorldError):
            disk.remove_folder(working)
            raise
        digest = environment.digest
        disk.place(working, target)
        disk.remove_folder(self._quarantine / domain.id)
        self._built = replace(self._of(target, digest, "built"), domain=domain)

    @staticmethod
    def _proved(domain: Domain, environment: Environment, staged: Staged) -> dict[str, Any]:
        """What the gate counted, in the world of the seed's own size: in a smaller one not everything can happen."""
        with collected_later():
            proof = prove(domain, environment, make_world(domain, 0).rows if staged.world is None else staged.world)
        if not proof.passed:
            raise GateError(proof.problems)
        return proof.quality

    def _unchanged(self, sha256: str) -> Built | None:
        """The package made before from these bytes by this version at this scale, if every file of it is whole."""
        for folder in disk.packages(self._out):
            try:
                manifest, digest = read_manifest(folder)
                if manifest.seed_sha256 != sha256 or manifest.generator != GENERATOR or folder.name != manifest.id:
                    continue
                if recorded_scale(disk.read_file(folder / QUALITY)) == self._scale:
                    open_folder(folder)
                    return self._of(folder, digest, "unchanged")
            except PackageError:
                continue
        return None

    def _of(self, folder: Path, digest: str, status: Status) -> Built:
        tools = open_folder(folder).tools
        rows = disk.count_lines(folder / WORLD)
        return Built(seed=str(self._seed), id=folder.name, status=status, folder=folder, digest=digest, tools=len(tools), rows=rows)

    def _refuse(self, content: bytes, error: Exception) -> None:
        name = self._seed.name.removesuffix(".yaml").removesuffix(".yml") or "seed"
        reasons = tuple(str(error).splitlines())
        folder = self._quarantine / name
        disk.write_folder({disk.REASON: (str(error) + "\n").encode(), "seed.yaml": content}, folder)
        self._built = Built(seed=str(self._seed), id=name, status="refused", folder=folder, reasons=reasons)
