"""`envfarm graph`: the dependency graph of an environment's tools."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Any

import typer


class Format(StrEnum):
    """What the graph is printed as."""

    SVG = "svg"
    MERMAID = "mermaid"
    JSON = "json"


def graph(
    env: str = typer.Argument(help="Id of an environment, or the path of a seed or a package."),
    format: Format = typer.Option(Format.JSON, help="svg, mermaid or json."),
) -> None:
    """The dependency graph of an environment's tools, with the reason of each edge."""
    import json

    from synth.graph.draw import mermaid, svg

    content = _content(env)
    text = {Format.SVG: svg, Format.MERMAID: mermaid}.get(format, lambda one: json.dumps(one, ensure_ascii=False, indent=1, sort_keys=True) + "\n")
    sys.stdout.write(text(content))


def _content(env: str) -> dict[str, Any]:
    """The content of graph.json: of a package on disk, or made from a seed."""
    import json

    from registry.home import find_home
    from server.config import read_settings
    from server.errors import UserError
    from synth.graph.document import document
    from synth.graph.edges import graph as make
    from synth.seed.read import read_seed

    path = Path(env)
    if path.suffix in (".yaml", ".yml"):
        return document(make(read_seed(path)))
    folder = path if path.is_dir() else find_home(read_settings().home).environments / env
    try:
        found: dict[str, Any] = json.loads((folder / "graph.json").read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"{env}: expected an environment, a package or a seed, got none ({folder} has no graph.json). Build it first.") from error
    return found
