"""`envfarm backup` and `envfarm restore`: all records of a home in one file."""

from pathlib import Path

import typer

from registry.home import Home, find_home
from server.cli.answer import JsonFlag, show


def backup(
    file: Path = typer.Argument(help="The file to write, such as envfarm.tar.gz; must not exist."),
    packages: bool = typer.Option(True, "--packages/--no-packages", help="Whether environments and task packs are kept too."),
    json: bool = JsonFlag,
) -> None:
    """Copy records of farm and sidecar (ENVFARM_STORE's too), environments and task packs into one file, while they serve. Tokens are left out.

    Example: envfarm backup envfarm.tar.gz
    """
    from server.archive import write_archive

    home, elsewhere = _home()
    told = write_archive(home, file, packages=packages, elsewhere=elsewhere)
    show(told, json=json, text=f"{file}: {told['episodes']} episodes, {told['runs']} runs, {told['files']} files, {told['bytes']} bytes")


def restore(
    file: Path = typer.Argument(help="A file that `envfarm backup` wrote."),
    force: bool = typer.Option(False, "--force", help="Replace the records that the home has."),
    json: bool = JsonFlag,
) -> None:
    """Put the records of a backup into a home, whose farm does not run meanwhile. Every file is compared with its hash first.

    Example: envfarm restore envfarm.tar.gz
    """
    from server.archive import read_archive

    home, elsewhere = _home()
    told = read_archive(home, file, force=force, elsewhere=elsewhere)
    show(told, json=json, text=f"{home.root}: {told['episodes']} episodes, {told['runs']} runs, {told['files']} files")


def _home() -> tuple[Home, str]:
    from registry.store.choose import url_of
    from server.config import read_engine_settings, read_settings

    return find_home(read_settings().home), url_of(read_engine_settings())
