"""Checks a package from anywhere: compiles the seed inside it again and compares every byte, before anything of it is run."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from registry.environment import read_manifest
from registry.package.errors import PackageError
from synth import disk
from synth.errors import SynthError
from synth.lang.problems import SeedError
from synth.package import QUALITY, recorded_scale, stage_package
from synth.proved import Proved, prove_in_child
from synth.real_engine import check_in_child
from synth.seed.read import parse_seed
from synth.version import GENERATOR

SEED = "seed.yaml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What a check found.

    Attributes:
        same: Whether every file is the one that the seed compiles to.
        problems: One sentence each.
        proved: What the gate found; None for a package that did not come so far.
    """

    id: str
    folder: Path
    same: bool
    problems: tuple[str, ...]
    proved: Proved | None = None

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong, or only that bytes differ and that was accepted."""
        return not self.problems


def check_package(folder: Path, *, trust: bool = False, gate: bool = True, deep: bool = False, faulty: Sequence[str] = ()) -> Checked:
    """Compares a package with what its seed compiles to, has the real engine take its rows, then puts it through the gate.

    Args:
        trust: Go on with a package that differs. Its own code runs in child processes in any case.
        gate: Whether to go as far as the gate.
        deep: Let the gate prove that it sees faults, too.
        faulty: Faults are put into these functions only; into all if there are none.
    """
    try:
        manifest, _ = read_manifest(folder)
        differences = _differences(folder)
    except (PackageError, SeedError, SynthError) as error:
        return Checked(id=folder.name, folder=folder, same=False, problems=tuple(str(error).splitlines()))
    if differences and not trust:
        version = "" if manifest.generator == GENERATOR else f" It was made by version {manifest.generator}, this is {GENERATOR}."
        advice = (
            f"{folder}: expected the bytes that its seed compiles to, got others.{version} Build it again, or pass --trust to run it all the same."
        )
        return Checked(id=manifest.id, folder=folder, same=False, problems=(*differences, advice))
    try:
        check_in_child(folder, manifest.id)
        proved = prove_in_child(folder, manifest.id, deep=deep, faulty=faulty) if gate else None
    except PackageError as error:
        return Checked(id=manifest.id, folder=folder, same=not differences, problems=(str(error),))
    return Checked(id=manifest.id, folder=folder, same=not differences, problems=proved.problems if proved else (), proved=proved)


def _differences(folder: Path) -> tuple[str, ...]:
    """A sentence for each file that differs, is missing, or is none of the package's."""
    seed = disk.read_file(folder / SEED)
    if seed is None:
        return (f"{folder / SEED}: expected the seed of the package, got no such file. Build it from a seed.",)
    domain = parse_seed(seed, f"{folder.name}/{SEED}")
    with tempfile.TemporaryDirectory() as scratch:
        staged = stage_package(domain, Path(scratch) / "package", recorded_scale(disk.read_file(folder / QUALITY)))
        return _compared(folder, staged.folder)


def _compared(folder: Path, compiled: Path) -> tuple[str, ...]:
    found, expected = set(disk.file_names(folder)), set(disk.file_names(compiled))
    sentences = []
    for name in sorted((expected | found) - {QUALITY}):
        if name not in found:
            sentences.append(f"{folder / name}: expected this file, got none. Build the package again.")
        elif name not in expected:
            sentences.append(f"{folder / name}: expected only files of the package, got one more. Remove it.")
        elif (line := disk.first_difference(folder / name, compiled / name)) is not None:
            sentences.append(f"{folder / name}: expected what the seed compiles to, got other bytes at line {line}. Build the package again.")
    return tuple(sentences)
