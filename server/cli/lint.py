"""`envfarm lint`: problems of seeds, without building anything."""

from pathlib import Path
from typing import Any

import typer

from server.cli.answer import JsonFlag, note, show

LEVELS = ("error", "warning", "advice")


def lint(
    seeds: list[Path] = typer.Argument(None, help="Seed files, or folders of them.", show_default="seeds"),
    strict: bool = typer.Option(False, "--strict", help="Exit code 1 for warnings and advice too."),
    json: bool = JsonFlag,
) -> None:
    """Check seeds; every problem with its place and what to do.

    Nothing is built and nothing is run. An error means that the seed cannot be used, a warning that something is most likely a mistake; advice
    would make a better environment, and tasks. Exit code 0 when no seed has an error, 1 when one has.
    """
    from synth.lint.lint import lint_seed

    rows: list[dict[str, Any]] = []
    files = seed_files(seeds or [Path("seeds")])
    good = 0
    for path in files:
        linted = lint_seed(read_bytes(path), str(path))
        good += linted.domain is not None
        rows += [_row(one) for one in linted.problems]
        if linted.domain is not None and not json:
            note(f"{path}: {len(linted.domain.entities)} entities, {len(linted.domain.tools)} tools, no errors")
    counts = {level: sum(one["level"] == level for one in rows) for level in LEVELS}
    text = "\n".join(_line(one) for one in rows) or f"{good} of {len(files)} seeds have no errors"
    show({"seeds": len(files), "good": good, "counts": counts, "problems": rows}, json=json, text=text)
    if good < len(files) or (strict and rows):
        raise typer.Exit(1)


def _line(row: dict[str, Any]) -> str:
    """One problem for people; an error stands alone, as everywhere else."""
    return str(row["sentence"]) if row["level"] == "error" else f"{row['sentence']} ({row['level']})"


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
