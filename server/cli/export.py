"""`envfarm export`: the runs of an evaluation in the formats of training and analysis tools."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from server.cli.answer import JsonFlag, note, show

if TYPE_CHECKING:
    from evals.exports.conversations import Offer
    from evals.metrics.records import Manifest

Format = Literal["openai", "sharegpt", "atif", "parquet"]


def export(
    folder: Path = typer.Argument(help="Folder of an evaluation, as envfarm eval wrote it."),
    format: Format = typer.Option(..., "--format", help="openai: messages; parquet: calls and rewards."),
    out: Path | None = typer.Option(None, "--out", help="Folder to write into; `exports` in the evaluation's folder by default."),
    passed: bool = typer.Option(False, "--passed", help="Only runs that passed."),
    json: bool = JsonFlag,
) -> None:
    """Write the runs of an evaluation for training or analysis, with their rewards.

    Lines of openai and sharegpt carry instructions, with the policy, and tools of environments that are built here and have not changed since.

    Example: envfarm export runs/today --format openai --passed
    """
    from evals.exports.writing import export as write
    from evals.metrics.folder import read_evaluation

    evaluation = read_evaluation(folder)
    offers = _offers(evaluation.manifest) if format in ("openai", "sharegpt") else {}
    written = write(evaluation, format, folder / "exports" if out is None else out, offers, passed_only=passed)
    shown = [str(path) for path in written]
    show({"written": shown}, json=json, text="\n".join(shown) or "no run to export")


def _offers(manifest: "Manifest") -> "dict[str, Offer]":
    """What the environments that are built here with the digest that was evaluated tell their agents."""
    from evals.exports.conversations import Offer
    from registry.catalogue import Catalogue
    from registry.dispatch.harness import harness_tools
    from registry.home import find_home
    from server.config import read_settings

    found: dict[str, Offer] = {}
    catalogue = Catalogue(find_home(read_settings().home).environments)
    for name, digest in sorted(manifest.environments.items()):
        if name not in catalogue.ids():
            note(f"{name}: not built here, so that its lines have neither instructions nor tools")
            continue
        environment = catalogue.load(name)
        if environment.digest != digest:
            note(f"{name}: was built anew since, so that its lines have neither instructions nor tools")
            continue
        found[name] = Offer(instructions=environment.instructions, tools=[*environment.tools, *harness_tools(multi_turn=True)])
    return found
