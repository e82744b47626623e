"""`envfarm check`: whether packages are what their seeds compile to."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from server.cli.answer import JsonFlag, show

if TYPE_CHECKING:
    from synth.check import Checked


def check(
    package: str = typer.Argument(None, help="Id of a built environment, or the folder of a package.", show_default=False),
    every: bool = typer.Option(False, "--all", help="Check every built environment."),
    trust: bool = typer.Option(False, "--trust", help="Run the code of a package that differs from what its seed compiles to."),
    json: bool = JsonFlag,
) -> None:
    """Compile the seed inside a package again and compare every byte, before any of its code is run.

    Example: envfarm check vet_clinic
    """
    from synth.check import check_package

    if (package is None) == (not every):
        raise typer.BadParameter("expected a package or --all, got neither or both. Name one package, or pass --all.")
    found = [check_package(folder, trust=trust) for folder in (_built() if every else [_folder(package)])]
    show({"packages": [_record(one) for one in found]}, json=json, text="\n".join(map(_line, found)) or "None is built yet. Run `envfarm build`.")
    if not all(one.passed for one in found):
        raise typer.Exit(1)


def _built() -> list[Path]:
    """Every built package of the home, after what is missing or stale was built."""
    from registry.home import find_home
    from server.cli.build import build_stale
    from server.config import read_settings
    from synth import disk

    home = find_home(read_settings().home)
    build_stale(home)
    return list(disk.packages(home.environments))


def _folder(package: str) -> Path:
    from registry.catalogue import Catalogue
    from registry.home import find_home
    from server.config import read_settings

    path = Path(package)
    return path if path.is_dir() else Catalogue(find_home(read_settings().home).environments).summary(package).folder


def _record(found: "Checked") -> dict[str, Any]:
    return {"id": found.id, "folder": str(found.folder), "passed": found.passed, "same": found.same, "problems": list(found.problems)}


def _line(found: "Checked") -> str:
    if found.passed:
        return f"{found.id}: ok" + ("" if found.same else " (differs from what its seed compiles to)")
    return "\n".join((f"{found.id}: not ok", *(f"  {problem}" for problem in found.problems)))
