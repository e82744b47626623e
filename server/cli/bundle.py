"""`envfarm bundle`: one environment as a file that Claude Desktop installs."""

import io
import zipfile
from pathlib import Path

import typer

from server.cli.answer import JsonFlag, show
from server.cli.environments import open_catalogue
from server.errors import UserError, WrongUsage

FIRST_DAY = (1980, 1, 1, 0, 0, 0)
"""The time of every file: the bundle is a function of its content."""


def bundle(
    env: str = typer.Argument(help="Id of a built environment; see `envfarm list`."),
    out: Path = typer.Option(Path(), "--out", help="File or folder to write to; the working folder when left out."),
    episode: str = typer.Option("", "--episode", help="Name of the episode that is resumed at each start; without it each start is fresh."),
    json: bool = JsonFlag,
) -> None:
    """Write an environment as an .mcpb bundle, which Claude Desktop installs by a double click.

    It holds the environment and the code that serves it, for macOS, Windows and Linux; Claude Desktop's own uv brings Python and libraries.

    Example: envfarm bundle vet_clinic --out ~/Desktop
    """
    from server.cli.bundle_files import bundle_files
    from server.cli.solo_server import NAME

    if episode and not NAME.fullmatch(episode):
        raise WrongUsage(f"--episode: expected 1 to 64 of the characters A-Z a-z 0-9 _ -, got {episode!r}. Choose another name.")
    catalogue = open_catalogue()
    loaded = catalogue.load(env)
    content = _zip(bundle_files(loaded, catalogue.summary(env).folder, episode=episode))
    file = out / f"{env}.mcpb" if out.is_dir() else out
    try:
        file.write_bytes(content)
    except OSError as error:
        raise UserError(f"--out: expected a place to write to, got {file} ({error.strerror}). Give another.") from error
    show({"file": str(file), "bytes": len(content)}, json=json, text=f"{file}: {len(content):,} bytes. Open it with Claude Desktop.")


def _zip(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            place = zipfile.ZipInfo(name, FIRST_DAY)
            place.compress_type = zipfile.ZIP_DEFLATED
            place.create_system, place.external_attr = 3, 0o100644 << 16
            archive.writestr(place, content)
    return out.getvalue()
