"""All files of a package from a resolved seed."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from registry.package.pack import WorldRow
from synth import disk
from synth.compile.package import WORLD, compile_package, package_texts
from synth.compile.world_file import write_world
from synth.data.world import make_world, world_rows
from synth.errors import SynthError
from synth.graph.document import document
from synth.graph.edges import graph
from synth.lang.domain import Domain

QUALITY = "quality.json"


def package_files(domain: Domain, scale: int | None = None) -> dict[str, bytes]:
    """The files of the package but quality.json; a function of the seed's bytes, the generator's version and the scale alone.

    Raises:
        WorldError: The data of the seed make no world.
    """
    return compile_package(domain, make_world(domain, 0, scale).rows, document(graph(domain)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Staged:
    """A package on disk that is not in its place yet.

    Attributes:
        folder: Holds every file but quality.json.
        tools: How many it has.
        rows: Of world 0.
        world: Its rows, if they are as many as the seed says: the gate needs them too.
    """

    folder: Path
    tools: int
    rows: int
    world: tuple[WorldRow, ...] | None = None


def stage_package(domain: Domain, target: Path, scale: int | None = None) -> Staged:
    """Writes the files of `package_files` into a folder beside `target`, the world row by row if `scale` says how large it is.

    Raises:
        WorldError: The data of the seed make no world.
    """
    working = disk.stage({}, target)
    try:
        rows = world_rows(domain, 0, scale)
        world = tuple(rows) if scale is None else None
        with disk.new_file(working / WORLD) as file:
            notes = write_world(file, rows if world is None else world)
        disk.add_files(package_texts(domain, notes, document(graph(domain))), working)
    except SynthError:
        disk.remove_folder(working)
        raise
    return Staged(folder=working, tools=len(domain.tools), rows=notes.rows, world=world)


def quality_file(staged: Staged, scale: int | None, proved: Mapping[str, Any] | None = None) -> bytes:
    """quality.json: counts of what was made and checked, and the scale at which it was.

    Args:
        proved: What the gate counted.
    """
    found = {"scale": scale, "tools": staged.tools, "rows": staged.rows, **(proved or {})}
    return (json.dumps(found, sort_keys=True, indent=2) + "\n").encode()


def recorded_scale(quality: bytes | None) -> int | None:
    """The scale that quality.json records."""
    try:
        found = json.loads(quality or b"{}")
    except ValueError:
        return None
    scale = found.get("scale") if isinstance(found, dict) else None
    return scale if isinstance(scale, int) else None
