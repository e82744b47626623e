"""All files of a package from a resolved seed."""

import json
from collections.abc import Mapping
from typing import Any

from synth.compile.package import compile_package
from synth.data.world import make_world
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


def quality_file(files: dict[str, bytes], scale: int | None, proved: Mapping[str, Any] | None = None) -> bytes:
    """quality.json: counts of what was made and checked, and the scale at which it was.

    Args:
        proved: What the gate counted.
    """
    tools = json.loads(files["tools.json"])
    rows = files["worlds/0.jsonl"].count(b"\n")
    found = {"scale": scale, "tools": len(tools), "rows": rows, **(proved or {})}
    return (json.dumps(found, sort_keys=True, indent=2) + "\n").encode()


def recorded_scale(quality: bytes | None) -> int | None:
    """The scale that quality.json records."""
    try:
        found = json.loads(quality or b"{}")
    except ValueError:
        return None
    scale = found.get("scale") if isinstance(found, dict) else None
    return scale if isinstance(scale, int) else None
