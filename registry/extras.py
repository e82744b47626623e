"""How what an installation lacks is installed into it."""

import shlex
import shutil
import sys
from pathlib import Path

from registry.home import CODE, is_checkout


def to_install(extra: str, code: Path = CODE, programs: Path | None = None) -> str:
    """The command that adds an extra of envfarm to this installation, as it is typed from here: in a checkout, of that checkout.

    Args:
        extra: As pyproject.toml names it.
        code: Folder that holds our packages.
        programs: Folder of the programs that belong to this Python.
    """
    here = Path.cwd()
    pip = (programs or Path(sys.executable).parent) / "pip"
    found = shutil.which("pip")
    said = "pip" if found and Path(found).absolute() == pip.absolute() else shlex.quote(str(_near(pip, here)))
    if not is_checkout(code):
        return f"{said} install 'envfarm[{extra}]'"
    return f"{said} install -e '{_near(code, here)}[{extra}]'"


def _near(path: Path, here: Path) -> Path:
    """From here, where it lies below and that is shorter."""
    return path.relative_to(here) if path.is_relative_to(here) and here != Path(here.anchor) else path
