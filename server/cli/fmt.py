"""`envfarm fmt`: seeds laid out in the one way."""

from pathlib import Path

import typer

from server.cli.answer import JsonFlag, show
from server.cli.lint import seed_files


def fmt(
    seeds: list[Path] = typer.Argument(None, help="Seed files, or folders of them.", show_default="seeds"),
    check: bool = typer.Option(False, "--check", help="Write nothing; exit code 1 when a file would change."),
    json: bool = JsonFlag,
) -> None:
    """Lay out seeds in the one way.

    Spaces, blank lines and the indent of literal blocks are put in order; words, comments and the order of keys stay as they are.
    """
    from synth.seed.layout import format_file

    changed = [str(path) for path in seed_files(seeds or [Path("seeds")]) if format_file(path, write=not check)]
    verb = "would change" if check else "changed"
    show({"changed": changed}, json=json, text="\n".join(f"{verb} {one}" for one in changed) or "nothing to change")
    if check and changed:
        raise typer.Exit(1)
