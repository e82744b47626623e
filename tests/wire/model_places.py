"""Python environments for libraries of others that run models: made once by uv below .pytest_cache, kept for the next time."""

import fcntl
import hashlib
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLACES = ROOT / ".pytest_cache" / "model_places"
NOT_GIVEN = ("failed to fetch", "error sending request", "could not connect", "dns error", "timed out", "not found in the package registry")


class Unreachable(Exception):
    """The package registry gives nothing."""


def made(name: str, *wanted: str, follows: str = "") -> Path:
    """The interpreter of an environment with those packages.

    Args:
        name: Of the environment.
        wanted: Words for `uv pip install`.
        follows: What else it depends on; another text makes another environment.

    Raises:
        Unreachable: the registry cannot be reached.
    """
    digest = hashlib.sha256("\n".join((sys.version, *wanted, follows)).encode()).hexdigest()[:12]
    folder = PLACES / f"{name}-{digest}"
    PLACES.mkdir(parents=True, exist_ok=True)
    with (PLACES / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "done").is_file():
            _make(name, folder, wanted)
    return folder / "bin" / "python"


def _make(name: str, folder: Path, wanted: tuple[str, ...]) -> None:
    uv = [sys.executable, "-m", "uv"]
    subprocess.run([*uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(folder)], check=True, capture_output=True)
    command = [*uv, "pip", "install", "--quiet", "--python", str(folder / "bin" / "python"), *wanted]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if done.returncode != 0:
        said = done.stderr.strip()
        if any(word in said.lower() for word in NOT_GIVEN):
            raise Unreachable(f"the package registry does not give {name}: {said.splitlines()[-1].strip()[:200]}")
        raise AssertionError(said)
    (folder / "done").touch()
