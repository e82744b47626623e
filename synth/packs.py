"""Builds the task packs of built environments, and keeps those that still fit."""

import time
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from registry.catalogue import open_folder
from registry.environment import read_manifest
from registry.package.pack import TaskKind
from synth import disk
from synth.audit.gate import gate_of
from synth.contamination import shared
from synth.errors import SynthError
from synth.lang.domain import Domain
from synth.seed.read import read_seed
from synth.tasks.aim import LEVELS
from synth.tasks.level import LEAST, level
from synth.tasks.make import MIX
from synth.tasks.pack import Split
from synth.tasks.supply import DEFAULT_COUNT, supply
from synth.version import GENERATOR

if TYPE_CHECKING:  # what talks to models is loaded with the first one that is asked
    from synth.model import Model

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A pack made to order; `contamination` as `synth.contamination.shared` counts it, `seconds` of processor time.

    Attributes:
        twins_beside: Twins of a kind or level that was not asked for: a twin has whatever it measures.
        none_of: Kinds and levels asked for of which the pack has no task, and why.
    """

    id: str
    environment: str
    folder: Path
    tasks: int
    by_kind: dict[str, int]
    by_level: dict[str, int]
    twins_beside: dict[str, int]
    none_of: dict[str, str]
    discarded: dict[str, int]
    unused_tools: dict[str, str]
    contamination: dict[str, int]
    seconds: float
    tasks_per_cpu_second: dict[str, float]


def build_packs(
    environments: Path,
    packs: Path,
    *,
    only: frozenset[str] | None = None,
    count: int = DEFAULT_COUNT,
    force: bool = False,
    domains: Mapping[str, Domain] = MappingProxyType({}),
    report: Callable[[Packed], None] = lambda packed: None,
) -> tuple[Packed, ...]:
    """The default pack (split `test`) of every built environment; one made for the same environment by this version is kept.

    Args:
        environments: Folder of packages.
        packs: Folder of packs.
        only: Ids of the environments to look at; None for all.
        count: Tasks in a pack.
        domains: Seeds that were read already, by id of the environment.
    """
    done = []
    for folder in disk.packages(environments):
        if only is None or folder.name in only:
            packed = build_pack(folder, packs, count=count, force=force, domain=domains.get(folder.name))
            report(packed)
            done.append(packed)
    return tuple(done)


def build_pack(
    folder: Path,
    packs: Path,
    *,
    count: int = DEFAULT_COUNT,
    seed: int = 0,
    split: Split = "test",
    force: bool = False,
    domain: Domain | None = None,
    waits: disk.Waits = disk.unsaid,
) -> Packed:
    """The plain pack of the environment in `folder`, unless the one on disk is it; where another process makes it, waits and finds it made.

    Args:
        folder: Of the package.
        packs: Folder of packs.
        domain: Its seed, if that was read already.
        waits: Told who is waited for.
    """
    manifest, digest = read_manifest(folder)
    target = packs / f"{manifest.id}-{split}-{seed}"
    with disk.alone_at(target, waits):
        kept = None if force else _kept(target, digest, count)
        if kept is not None:
            return Packed(id=target.name, environment=manifest.id, folder=target, tasks=kept, made=False)
        if domain is None or domain.sha256 != manifest.seed_sha256:
            domain = _domain(folder)
        made = supply(domain, digest, count, seed, split, gate_of(open_folder(folder, template_bytes=TEMPLATE_BYTES)))
        disk.write_folder(made.files, target)
    return Packed(id=made.id, environment=manifest.id, folder=target, tasks=len(made.drafts), made=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is asked of `make_pack`; `kinds` and `levels` None for all, `model` None where nobody is to put messages into other words."""

    count: int
    seed: int = 0
    split: Split = "test"
    kinds: tuple[TaskKind, ...] | None = None
    levels: frozenset[int] | None = None
    model: "Model | None" = None


def make_pack(folder: Path, packs: Path, order: Order, report: Callable[[str], None]) -> Made:
    """A pack made to order for the environment in `folder`, written to `packs`, and how its making went.

    Raises:
        SynthError: No task can be of what is asked for, or none came of it; nothing is written.
        OSError: Nothing may be written to `packs`.
    """
    began = time.process_time()
    manifest, digest = read_manifest(folder)
    domain = _domain(folder)
    cannot = impossible(domain, order)
    if cannot and cannot.keys() >= set(order.kinds or ()):
        raise SynthError(f"{manifest.id}: expected an order that tasks can be made for, got none: {_told(cannot)}. Ask for other kinds or levels.")
    disk.check_rights(packs)
    spent: dict[int, float] = {}
    gate = gate_of(open_folder(folder, template_bytes=TEMPLATE_BYTES), spent)
    made = supply(
        domain,
        digest,
        order.count,
        order.seed,
        order.split,
        gate,
        kinds=order.kinds or MIX,
        levels=order.levels or LEVELS,
        rewriter=None if order.model is None else order.model.reword,
        reworded_by="" if order.model is None else order.model.name,
        report=report,
    )
    if not made.drafts:
        tries = ", ".join(f"{reason} {number}" for reason, number in made.discarded.items()) or "none"
        raise SynthError(
            f"{manifest.id}: expected a pack with tasks, got none; tries came to: {tries}. Ask for other kinds or levels, or another --seed."
        )
    with disk.alone_at(packs / made.id):
        disk.write_folder(made.files, packs / made.id)
    kinds = Counter(draft.kind for draft in made.drafts)
    levels = Counter(level(domain, draft) for draft in made.drafts)
    return Made(
        id=made.id,
        environment=manifest.id,
        folder=packs / made.id,
        tasks=len(made.drafts),
        by_kind=dict(sorted(kinds.items())),
        by_level={str(one): number for one, number in sorted(levels.items())},
        twins_beside=_beside(order, kinds, levels),
        none_of=_none_of(order, kinds, levels, cannot),
        discarded=made.discarded,
        unused_tools=made.unused,
        contamination=shared(made.files, packs, made.id),
        seconds=time.process_time() - began,
        tasks_per_cpu_second=per_second(levels, made.spent, spent),
    )


def impossible(domain: Domain, order: Order) -> dict[TaskKind, str]:
    """Kinds asked for of which no task can be, and why."""
    most, found = max(order.levels or LEVELS), dict[TaskKind, str]()
    for kind in order.kinds or ():
        if kind == "bulk" and not any(tool.bulk for tool in domain.tools):
            found[kind] = "no tool of the environment has words for several rows"
        elif LEAST.get(kind, 1) > most:
            found[kind] = f"its least level is {LEAST[kind]}"
    return found


def _told(reasons: Mapping[TaskKind, str]) -> str:
    return "; ".join(f"{kind}: {reason}" for kind, reason in reasons.items())


def _asked_levels(order: Order) -> frozenset[int]:
    """Empty where all are as good as any."""
    return order.levels if order.levels is not None and order.levels != LEVELS else frozenset()


def _beside(order: Order, kinds: Mapping[TaskKind, int], levels: Mapping[int, int]) -> dict[str, int]:
    """What is of no kind and level asked for: none but twins."""
    asked = _asked_levels(order)
    of_kinds = {f"kind {one}": number for one, number in sorted(kinds.items()) if order.kinds and one not in order.kinds}
    return of_kinds | {f"level {one}": number for one, number in sorted(levels.items()) if asked and one not in asked}


def _none_of(order: Order, kinds: Mapping[TaskKind, int], levels: Mapping[int, int], cannot: Mapping[TaskKind, str]) -> dict[str, str]:
    """What was asked for in vain."""
    few = "no try came to one" if sum(kinds.values()) < order.count // 2 * 2 else "its turns brought none; ask for more tasks, or for it alone"
    of_kinds = {f"kind {one}": cannot.get(one, few) for one in order.kinds or () if not kinds.get(one)}
    return of_kinds | {f"level {one}": few for one in sorted(_asked_levels(order)) if not levels.get(one)}


def per_second(tasks: Mapping[int, int], *spent: Mapping[int, float]) -> dict[str, float]:
    """Tasks that ship per second of processor time, by level; what was discarded on the way is in the time."""
    return {str(one): round(number / max(0.001, sum(each.get(one, 0.0) for each in spent)), 1) for one, number in sorted(tasks.items())}


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
