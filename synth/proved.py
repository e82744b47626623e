"""The gate on a package on disk, in a process of its own."""

import json
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files as resources
from pathlib import Path
from typing import Any

from registry.catalogue import open_folder
from registry.environment import MANIFEST, read_manifest
from registry.package.digest import file_digest
from registry.package.errors import PackageError
from synth import disk
from synth.data.world import make_world
from synth.errors import SynthError
from synth.gate.mutants import Deep, Mutated
from synth.gate.prove import prove
from synth.lang.problems import SeedError
from synth.real_engine import LONGEST, run_module
from synth.seed.read import read_seed

SEED, TOOLS, ROWS = "seed.yaml", "tools.py", "rows.py"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proved:
    """What the gate found.

    Attributes:
        problems: Why the package does not pass, one sentence each.
        tools: How many it has.
        quality: The counts of quality.json.
        mutants: Counts of faulty tools by what became of them, if they were asked for; `equivalent` also lists those, each with the reason.
        equivalent: One line for each equivalent mutant.
        closer: How many mutants only calls near those of the gate have shown.
    """

    problems: tuple[str, ...]
    tools: int
    quality: dict[str, Any]
    mutants: dict[str, int] | None = None
    equivalent: tuple[str, ...] = ()
    closer: int = 0


def prove_in_child(folder: Path, name: str, *, deep: bool = False, faulty: Sequence[str] = ()) -> Proved:
    """Runs the gate on the package, whose code may not be ours, in another process.

    Args:
        name: Of the environment, for messages.
        deep: Put faults into its tools too.
        faulty: Only into these functions; into all if there are none.

    Raises:
        PackageError: It came to no result.
    """
    try:
        done = run_module("synth.proved", str(folder.absolute()), *(["--deep", *faulty] if deep else []))
    except subprocess.TimeoutExpired as error:
        raise PackageError(f"{name}: expected the gate to end within {LONGEST} seconds, got no result. Make it smaller.") from error
    lines = done.stdout.splitlines()
    if done.returncode or not lines:
        raise PackageError(f"{name}: expected a result of the gate, got {(done.stderr.strip().splitlines() or ['none'])[-1]}. Build it again.")
    found = json.loads(lines[-1])
    told = {name: tuple(found[name]) for name in ("problems", "equivalent")}
    return Proved(tools=found["tools"], quality=found["quality"], mutants=found["mutants"], closer=found["closer"], **told)


def exceptions_for(environment: str) -> dict[str, str]:
    """Mutants of a shipped environment that a person has found equivalent, with the reason."""
    content = disk.read_file(Path(str(resources("seeds"))) / f"{environment}.equivalent.toml")
    return {} if content is None else {one["mutant"]: one["reason"] for one in tomllib.loads(content.decode())["equivalent"]}


def _proved(folder: Path, words: Sequence[str]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as scratch:
        return _proved_there(_as_it_is(folder, Path(scratch)), deep="--deep" in words, faulty=tuple(one for one in words if one != "--deep"))


def _as_it_is(folder: Path, scratch: Path) -> Path:
    """A copy whose manifest names the files as they are: one that differs is proved too, once somebody trusts it."""
    manifest, _ = read_manifest(folder)
    files = disk.read_folder(folder)
    said = files[MANIFEST].decode()
    for name, digest in manifest.files.items():
        said = said.replace(digest, file_digest(files.get(name, b"")))
    copy = scratch / manifest.id
    disk.write_folder({**files, MANIFEST: said.encode()}, copy)
    return copy


def _proved_there(folder: Path, *, deep: bool, faulty: tuple[str, ...]) -> dict[str, Any]:
    domain, environment = read_seed(folder / SEED), open_folder(folder)
    source, rows = ((disk.read_file(folder / name) or b"").decode() for name in (TOOLS, ROWS))
    asked = Deep(source=source, rows=rows, exceptions=exceptions_for(domain.id), functions=faulty) if deep else None
    proof = prove(domain, environment, make_world(domain, 0).rows, deep=asked)
    return {
        "problems": proof.problems,
        "tools": len(environment.tools),
        "quality": proof.quality,
        "mutants": None if proof.mutants is None else _counts(proof.mutants),
        "equivalent": () if proof.mutants is None else proof.mutants.equivalent,
        "closer": 0 if proof.mutants is None else proof.mutants.closer,
    }


def _counts(found: Mutated) -> dict[str, int]:
    return {"made": found.made, "killed": found.killed, "equivalent": len(found.equivalent), "survived": len(found.survived)}


def main(words: list[str]) -> int:
    """Proves the package in the folder of the first word; the result is the last line on stdout."""
    try:
        found = _proved(Path(words[0]), words[1:])
    except (PackageError, SeedError, SynthError) as error:
        found = {"problems": str(error).splitlines(), "tools": 0, "quality": {}, "mutants": None, "equivalent": (), "closer": 0}
    sys.stdout.write("\n" + json.dumps(found) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
