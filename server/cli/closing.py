"""What programs that play as agents must not read, and closing it to other users, before programs run as such users."""

import contextlib
import importlib.util
import os
import stat
from collections.abc import Iterable
from pathlib import Path

from server.errors import UserError


def close_to_others(paths: Iterable[Path]) -> None:
    """Takes every right of other users to these files and folders away.

    Raises:
        UserError: One stays open.
    """
    for path in sorted({one.resolve() for one in paths}):
        if not path.exists():
            continue
        mode = path.stat().st_mode
        if mode & stat.S_IRWXO:
            with contextlib.suppress(OSError):
                os.chmod(path, stat.S_IMODE(mode) & ~stat.S_IRWXO)
        if path.stat().st_mode & stat.S_IRWXO:
            raise UserError(f"{path}: expected a place closed to other users, got mode {stat.S_IMODE(mode):o}. Run `chmod o-rwx {path}`.")


OURS = ("envfarm", "evals", "registry", "seeds", "server", "synth")


def installation() -> tuple[Path, ...]:
    """Folders of envfarm's code and seeds, from which packs can be made again; of a checkout also what they could be restored from."""
    specs = [importlib.util.find_spec(name) for name in OURS]
    folders = [Path(place) for spec in specs if spec is not None for place in spec.submodule_search_locations or ()]
    root = Path(__file__).resolve().parents[2]
    if (root / "pyproject.toml").is_file():
        folders += [*(root / name for name in ("build", "dist")), *_history(root / ".git")]
    return tuple(folders)


def _history(place: Path) -> list[Path]:
    """Git's folders of a checkout, of one that shares those of another too."""
    if not place.is_file():
        return [place]
    own = Path(place.read_text(encoding="utf-8").removeprefix("gitdir:").strip())
    shared = own / "commondir"
    return [place, own, *([own / shared.read_text(encoding="utf-8").strip()] if shared.is_file() else [])]
