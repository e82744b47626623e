"""Closing what graders read to other users, before programs run as such users."""

import contextlib
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
