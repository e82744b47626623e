"""`envfarm check`: whether packages are what their seeds compile to, and do what their seeds say."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from server.cli.answer import JsonFlag, note, show

if TYPE_CHECKING:
    from registry.home import Home
    from synth.check import Checked

PARALLEL = 2
"""Packages that are proved at once, each in a process of its own; never more than there are processors."""


def check(
    package: str = typer.Argument(None, help="Id of a built environment, or the folder of a package.", show_default=False),
    every: bool = typer.Option(False, "--all", help="Check every built environment; the answer is a list."),
    deep: bool = typer.Option(False, "--deep", help="Put faults into the tools too: the gate must show each of them."),
    tool: list[str] = typer.Option([], "--tool", help="With --deep: put faults into this tool or function only. Name more by repeating it."),
    trust: bool = typer.Option(False, "--trust", help="Run the code of a package that differs from what its seed compiles to."),
    json: bool = JsonFlag,
) -> None:
    """Compile the seed inside a package again, compare every byte, then put it through the gate again.

    Example: envfarm check vet_clinic --deep
    """
    from registry.home import find_home
    from server.building import absent
    from server.config import read_settings

    if (package is None) == (not every):
        raise typer.BadParameter("expected a package or --all, got neither or both. Name one package, or pass --all.")
    if tool and (every or not deep):
        raise typer.BadParameter("expected --tool with --deep and one package, got it without. Name a package, and pass --deep.")
    home = find_home(read_settings().home)
    folders, found = _built(home) if every else ([_folder(home, package)], [])
    for one in found:
        _complain(one)
    for one in _checked(folders, trust=trust, deep=deep, faulty=tool):
        found.append(one)
        _complain(one)
    records = [_record(one) for one in found]
    text = "\n".join(map(_line, found)) or absent("packages", home.environments, home)
    show(records if every else records[0], json=json, text=text)
    if not all(one.passed for one in found):
        raise typer.Exit(1)


def _checked(folders: list[Path], *, trust: bool, deep: bool, faulty: list[str]) -> "Iterator[Checked]":
    """What each check found, in order; some run at once."""
    from synth.check import check_package

    with ThreadPoolExecutor(max_workers=max(1, min(PARALLEL, os.cpu_count() or 1))) as pool:
        yield from pool.map(lambda folder: check_package(folder, trust=trust, deep=deep, faulty=faulty), folders)


def _complain(found: "Checked") -> None:
    for problem in found.problems:
        note(problem)


def _built(home: "Home") -> "tuple[list[Path], list[Checked]]":
    """Every built package of the home, after what is missing or stale was built; and what was refused then."""
    from server.cli.build import build_stale
    from synth import disk
    from synth.check import Checked

    refused = [one for one in build_stale(home) if one.status == "refused"]
    return list(disk.packages(home.environments)), [Checked(id=one.id, folder=one.folder, same=False, problems=one.reasons) for one in refused]


def _folder(home: "Home", package: str) -> Path:
    from registry.catalogue import Catalogue

    path = Path(package)
    return path if path.is_dir() else Catalogue(home.environments).summary(package).folder


def _record(found: "Checked") -> dict[str, Any]:
    proved = found.proved
    quality = proved.quality if proved is not None else {}
    return {
        "environment": found.id,
        "passed": found.passed,
        "tools": proved.tools if proved is not None else 0,
        **{name: quality.get(name) for name in ("rounds", "unexpected", "coverage", "pass_rate")},
        "mutants": proved.mutants if proved is not None else None,
    }


def _line(found: "Checked") -> str:
    if not found.passed:
        return f"{found.id}: not ok"
    differs = "" if found.same else " (differs from what its seed compiles to)"
    proved = found.proved
    if proved is None:
        return f"{found.id}: ok{differs}"
    counts = proved.quality
    told = f"{proved.tools} tools, coverage {counts['coverage']:.0%}, {counts['rounds']} rounds, {counts['unexpected']} unexpected"
    if proved.mutants is not None:
        told += ", mutants: " + ", ".join(f"{count} {name}" for name, count in proved.mutants.items())
        told += f" ({proved.closer} by a closer look)" if proved.closer else ""
    return f"{found.id}: ok{differs}, {told}"
