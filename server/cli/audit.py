"""`envfarm audit`: whether tasks are what their packs claim."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from server.cli.answer import JsonFlag, note, show, table

if TYPE_CHECKING:
    from registry.home import Home
    from synth.audit import Audited


def audit(
    pack: str = typer.Argument(None, help="Id of an environment or of a pack, or the folder of a pack.", show_default=False),
    every: bool = typer.Option(False, "--all", help="Audit every pack."),
    json: bool = JsonFlag,
) -> None:
    """Try out every claim of a task pack: gold passes, doing nothing, guessing and near misses do not.

    Example: envfarm audit vet_clinic
    """
    from registry.home import find_home
    from server.config import read_settings
    from synth.audit import summary

    if (pack is None) == (not every):
        raise typer.BadParameter("expected a pack or --all, got neither or both. Name one environment or pack, or pass --all.")
    home = find_home(read_settings().home)
    done = [_audited(home, folder) for folder in _folders(home, pack)]
    rows = [
        (
            one.pack,
            one.tasks,
            one.counts.get("gold_passes", 0),
            f"{one.tools - len(one.unused)}/{one.tools}",
            len(one.findings),
            f"{one.tasks / max(one.seconds, 0.001):.1f}",
        )
        for one in done
    ]
    show(summary(done), json=json, text=table(("pack", "tasks", "gold passes", "tools used", "findings", "tasks per CPU second"), rows))
    for one in done:
        for finding in one.findings:
            note(f"{finding.task}: {finding.reason}: {finding.detail}")
    if not all(one.clean for one in done):
        raise typer.Exit(1)


def _audited(home: "Home", folder: Path) -> "Audited":
    from registry.catalogue import Catalogue
    from registry.packs.reading import read_pack
    from synth.audit import audit_pack
    from synth.packs import TEMPLATE_BYTES

    read = read_pack(folder)
    return audit_pack(Catalogue(home.environments, template_bytes=TEMPLATE_BYTES).load(read.manifest.environment), read)


def _folders(home: "Home", pack: str | None) -> list[Path]:
    """Folders of the packs that are meant, in order."""
    from registry.package.errors import PackageError
    from registry.packs.reading import pack_manifest
    from server.building import advice

    if pack is None:
        _build_stale(home)
    elif (Path(pack) / "pack.toml").is_file():
        return [Path(pack)]
    built = sorted(path.parent for path in home.packs.glob("[!.]*/pack.toml"))
    found = [folder for folder in built if pack is None or folder.name == pack or pack_manifest(folder).environment == pack]
    if not found:
        wanted = f"the id of an environment with packs in {home.packs}, or of a pack"
        raise PackageError(f"pack: expected {wanted}, got {str(pack)[:80]!r}. {advice(home)}")
    return found


def _build_stale(home: "Home") -> None:
    """Environments and packs that come with envfarm, where they are missing or stale."""
    from server.building import building
    from server.cli.build import build_stale
    from synth.packs import build_packs

    only = frozenset(one.id for one in build_stale(home) if one.status != "refused")
    with building(home):
        build_packs(home.environments, home.packs, only=only)
