"""`envfarm catalog`: how rich environments are, and how alike."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from server.cli.answer import JsonFlag, show, table

if TYPE_CHECKING:
    from synth.lang.domain import Domain
    from synth.overlap.catalog import Entry, Pairs
    from synth.overlap.within import Within


def catalog(
    seeds: list[Path] = typer.Argument(None, help="Seed files, or folders of them, instead of what is built.", show_default=False),
    json: bool = JsonFlag,
) -> None:
    """How rich each environment is, what makes it hard, and which one is most like it in shape.

    Shapes are compared without any names, from 0 (nothing in common) to 1 (the same but for nouns). Exit code 1 when two environments are more
    alike than those that ship may be.
    """
    from synth.overlap.alike import MOST_ALIKE
    from synth.overlap.catalog import catalog as entries_of
    from synth.overlap.catalog import pairs

    domains, rows = _from_seeds(seeds) if seeds else _built()
    alike = pairs(domains)
    entries, tasks = entries_of(domains, rows, alike), {} if seeds else _tasks()
    too_near = [pair for pair, both in alike.items() if both.whole > MOST_ALIKE]
    value = {"threshold": MOST_ALIKE, "environments": [_line(one, tasks) for one in entries], "pairs": _pairs(alike)}
    show(value, json=json, text=_text(entries, tasks))
    if too_near:
        raise typer.Exit(1)


def _from_seeds(paths: list[Path]) -> "tuple[list[Domain], dict[str, int]]":
    """Domains of seed files, with the rows that their worlds have."""
    from server.cli.lint import seed_files
    from synth.data.world import make_world
    from synth.seed.read import read_seed

    domains = [read_seed(path) for path in seed_files(paths)]
    return domains, {one.id: len(make_world(one).rows) for one in domains}


def _built() -> "tuple[list[Domain], dict[str, int]]":
    """Domains of the packages in the home, with the rows on disk."""
    from registry.home import find_home
    from server.config import read_settings
    from synth import disk
    from synth.seed.read import read_seed

    folders = disk.packages(find_home(read_settings().home).environments)
    rows = {one.name: (disk.read_file(one / "worlds" / "0.jsonl") or b"").count(b"\n") for one in folders}
    return [read_seed(one / "seed.yaml") for one in folders], rows


def _tasks() -> "dict[str, Within]":
    """How alike the tasks of each environment are, where there are packs."""
    from registry.home import find_home
    from server.config import read_settings
    from server.sidecar.packs import Packs
    from synth.overlap.within import within

    every = Packs(find_home(read_settings().home).packs).tasks()
    return {name: within(one for one in every if one.public.environment == name) for name in sorted({one.public.environment for one in every})}


def _line(entry: "Entry", tasks: "dict[str, Within]") -> dict[str, Any]:
    line = {**asdict(entry), "density": round(entry.density, 4), "alike": round(entry.alike, 4), "hard": list(entry.hard)}
    found = tasks.get(entry.id)
    return line if found is None else {**line, "tasks": {**asdict(found), "repeated": round(found.repeated, 4)}}


def _pairs(alike: "Pairs") -> list[dict[str, Any]]:
    lines = [
        {"one": one, "other": other, "overlap": round(both.whole, 4), **{name: round(value, 4) for name, value in asdict(both).items()}}
        for (one, other), both in alike.items()
    ]
    return sorted(lines, key=lambda line: (-float(line["overlap"]), line["one"], line["other"]))


def _text(entries: "tuple[Entry, ...]", tasks: "dict[str, Within]") -> str:
    if not entries:
        from registry.home import find_home
        from server.building import absent
        from server.config import read_settings

        home = find_home(read_settings().home)
        return absent("environments", home.environments, home)
    head = ("environment", "tools", "tables", "rules", "rows", "density", "nearest", "alike", "tasks")
    rows = [
        (
            one.id,
            one.tools,
            one.tables,
            one.requires + one.policies,
            one.rows,
            f"{one.density:.2f}",
            one.nearest or "none",
            f"{one.alike:.2f}",
            tasks[one.id].tasks if one.id in tasks else 0,
        )
        for one in entries
    ]
    return table(head, rows)
