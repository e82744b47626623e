"""Builds the task packs of built environments, and keeps those that still fit."""

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from registry.catalogue import open_folder
from registry.environment import read_manifest
from synth import disk
from synth.audit.gate import gate_of
from synth.lang.domain import Domain
from synth.seed.read import read_seed
from synth.tasks.pack import Split
from synth.tasks.supply import DEFAULT_COUNT, supply
from synth.version import GENERATOR

PACK = "pack.toml"
TEMPLATE_BYTES = 400_000_000
"""Memory for the start states of a pack while it is gated: every twin has one of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    """What became of one pack; `made` is false for one that was kept."""

    id: str
    environment: str
    folder: Path
    tasks: int
    made: bool


def build_packs(
    environments: Path,
    packs: Path,
    *,
    only: frozenset[str] | None = None,
    count: int = DEFAULT_COUNT,
    force: bool = False,
    report: Callable[[Packed], None] = lambda packed: None,
) -> tuple[Packed, ...]:
    """The default pack (split `test`) of every built environment; one made for the same environment by this version is kept.

    Args:
        environments: Folder of packages.
        packs: Folder of packs.
        only: Ids of the environments to look at; None for all.
        count: Tasks in a pack.
    """
    done = []
    for folder in disk.packages(environments):
        if only is None or folder.name in only:
            packed = build_pack(folder, packs, count=count, force=force)
            report(packed)
            done.append(packed)
    return tuple(done)


def build_pack(folder: Path, packs: Path, *, count: int = DEFAULT_COUNT, seed: int = 0, split: Split = "test", force: bool = False) -> Packed:
    """One pack of the environment in `folder`."""
    manifest, digest = read_manifest(folder)
    target = packs / f"{manifest.id}-{split}-{seed}"
    kept = None if force else _kept(target, digest, count)
    if kept is not None:
        return Packed(id=target.name, environment=manifest.id, folder=target, tasks=kept, made=False)
    made = supply(_domain(folder), digest, count, seed, split, gate_of(open_folder(folder, template_bytes=TEMPLATE_BYTES)))
    disk.write_folder(made.files, target)
    return Packed(id=made.id, environment=manifest.id, folder=target, tasks=len(made.made.drafts), made=True)


def _domain(folder: Path) -> Domain:
    return read_seed(folder / "seed.yaml")


def _kept(target: Path, digest: str, count: int) -> int | None:
    """How many tasks the pack on disk has, if it was made for this environment, by this version, of this size."""
    content = disk.read_file(target / PACK)
    if content is None:
        return None
    try:
        found = tomllib.loads(content.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        return None
    fits = found.get("environment_digest") == digest and found.get("generator") == GENERATOR and found.get("asked") == count
    return found["tasks"] if fits else None
