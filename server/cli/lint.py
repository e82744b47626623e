"""`envfarm lint`: problems of seeds, without building anything."""

from pathlib import Path
from typing import Any

import typer

from server.cli.answer import JsonFlag, note, show


def lint(
    seeds: list[Path] = typer.Argument(None, help="Seed files, or folders of them.", show_default="seeds"),
    json: bool = JsonFlag,
) -> None:
    """Check seeds; every problem with its place and what to do.

    Nothing is built and nothing is run. Exit code 1 when a seed has an error.
    """
    from synth.seed.read import check_seed

    rows: list[dict[str, Any]] = []
    good = 0
    files = seed_files(seeds or [Path("seeds")])
    for path in files:
        domain, problems = check_seed(read_bytes(path), str(path))
        good += domain is not None
        rows += [_row(one) for one in problems]
        if domain is not None and not json:
            note(f"{path}: {len(domain.entities)} entities, {len(domain.tools)} tools, no errors")
    text = "\n".join(str(one["sentence"]) for one in rows) or f"{good} of {len(files)} seeds have no errors"
    show({"seeds": len(files), "good": good, "problems": rows}, json=json, text=text)
    if good < len(files):
        raise typer.Exit(1)


def seed_files(paths: list[Path]) -> list[Path]:
    """The files, and for each folder the seeds in it, in order of name."""
    found: list[Path] = []
    for one in paths:
        found += sorted(one.glob("*.yaml")) if one.is_dir() else [one]
    return found


def read_bytes(path: Path) -> bytes:
    """The content of a seed file, no more than a seed may have.

    Raises:
        SeedError: If it cannot be read.
    """
    from synth.seed.read import read_content

    return read_content(path)


def _row(problem: Any) -> dict[str, Any]:
    return {
        "file": problem.where.file,
        "line": problem.where.line,
        "column": problem.where.column,
        "field": problem.field,
        "level": problem.level,
        "code": problem.code,
        "expected": problem.expected,
        "got": problem.got,
        "fix": problem.fix,
        "sentence": str(problem),
    }
