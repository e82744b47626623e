"""What a pack shares with other packs on disk: worlds, rows, words."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from synth import disk
from synth.audit.words import bag

TELLING = 3
"""A row tells something of its world where it has so many texts, ids and references aside."""


def shared(files: Mapping[str, bytes], packs: Path, own: str) -> dict[str, Any]:
    """Counts over the packs of the same environment: `packs` looked at, `worlds`, `rows` and `instructions` that they have in common with this one.

    Args:
        files: Of the pack, by path.
        packs: Folder of packs.
        own: Id of the pack, which is not compared with itself.
    """
    environment = _environment(files["pack.toml"])
    worlds, rows, words = _content(files.items())
    found: dict[str, Any] = {"packs": 0, "worlds": 0, "rows": 0, "instructions": 0}
    for folder in sorted(path.parent for path in packs.glob("[!.]*/pack.toml")):
        manifest = disk.read_file(folder / "pack.toml")
        if folder.name == own or manifest is None or _environment(manifest) != environment or _split(manifest) == _split(files["pack.toml"]):
            continue
        there = _content((str(path.relative_to(folder)), disk.read_file(path) or b"") for path in sorted(folder.glob("public/**/*.json*")))
        found["packs"] += 1
        for name, mine, theirs in (("worlds", worlds, there[0]), ("rows", rows, there[1]), ("instructions", words, there[2])):
            found[name] += len(mine & theirs)
    return found


def _environment(manifest: bytes) -> str:
    return _value(manifest, "environment")


def _split(manifest: bytes) -> str:
    return _value(manifest, "split")


def _value(manifest: bytes, name: str) -> str:
    return next((line.partition(" = ")[2].strip('"') for line in manifest.decode().splitlines() if line.startswith(f"{name} = ")), "")


def _content(files: Iterable[tuple[str, bytes]]) -> tuple[set[str], set[str], set[str]]:
    worlds: set[str] = set()
    rows: set[str] = set()
    words: set[str] = set()
    for path, data in files:
        if path.startswith("public/worlds/"):
            worlds.add(path)
            rows |= {line for line in data.decode().splitlines() if _telling(line)}
        elif path.startswith("public/"):
            words.add(" ".join(bag(json.loads(data)["instruction"])))
    return worlds, rows, words


def _telling(line: str) -> bool:
    """Whether a row says more than a join of others: enough values that are texts of people or things."""
    _, row = json.loads(line)
    texts = [value for name, value in row.items() if isinstance(value, str) and name != "id" and not name.endswith("_id")]
    return len(texts) >= TELLING
