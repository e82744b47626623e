"""The content of an `.mcpb` bundle: one environment, the code that serves it, and the manifest that Claude Desktop reads."""

import json
import tomllib
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path
from typing import Any

from registry.environment import MANIFEST, Environment
from server.agent.server_json import description, version

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("registry", "server")
GRADERS = ("registry/packs", "registry/score", "server/control", "server/sidecar")
"""What only scoring and farms need."""
PYTHON = ">=3.11"
AUTHOR = "envfarm"


def bundle_files(environment: Environment, folder: Path, *, episode: str) -> dict[str, bytes]:
    """Every file of the bundle by its path, sorted.

    Args:
        environment: Loaded, so that its files are what its manifest says.
        folder: Where its package lies.
        episode: Name of the episode that is resumed at each start; empty: each start is fresh.
    """
    files = {"manifest.json": _json(manifest(environment, episode=episode)), "pyproject.toml": _project(environment).encode()}
    for name in (MANIFEST, *environment.manifest.files):
        files[f"home/environments/{environment.id}/{name}"] = (folder / name).read_bytes()
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            place = path.relative_to(ROOT).as_posix()
            if not place.startswith(GRADERS):
                files[place] = path.read_bytes()
    return dict(sorted(files.items()))


def manifest(environment: Environment, *, episode: str = "") -> dict[str, Any]:
    """`manifest.json`: how Claude Desktop starts the server; its uv brings Python and what the code depends on.

    Source: https://github.com/modelcontextprotocol/mcpb/blob/main/MANIFEST.md
    """
    words = ["stdio", environment.id, *(["--episode", episode] if episode else [])]
    run = ["run", "--directory", "${__dirname}", "python", "-m", "server.cli.main", *words]
    return {
        "manifest_version": "0.4",
        "name": f"envfarm-{environment.id.replace('_', '-')}",
        "display_name": environment.title,
        "version": version(environment.manifest.generator, environment.digest),
        "description": description(environment.title),
        "long_description": environment.instructions,
        "author": {"name": AUTHOR},
        "license": "MIT",
        "server": {
            "type": "uv",
            "entry_point": "server/cli/main.py",
            "mcp_config": {"command": "uv", "args": run, "env": {"ENVFARM_HOME": "${__dirname}/home"}},
        },
        "tools": [{"name": one["name"], "description": one["description"]} for one in environment.tools],
        "compatibility": {"platforms": ["darwin", "linux", "win32"], "runtimes": {"python": PYTHON}},
    }


def _project(environment: Environment) -> str:
    """`pyproject.toml`: what uv installs beside the code."""
    lines = [
        "[project]",
        f'name = "envfarm-{environment.id.replace("_", "-")}"',
        'version = "0"',
        f'requires-python = "{PYTHON}"',
        "dependencies = [",
    ]
    lines += [f"    {json.dumps(one)}," for one in dependencies()]
    return "\n".join([*lines, "]", "", "[tool.uv]", "package = false", ""])


def dependencies() -> tuple[str, ...]:
    """What envfarm needs at run time, with the markers of platforms; from its own metadata, or from the checkout that it runs in."""
    try:
        found = requires("envfarm") or []
    except PackageNotFoundError:
        found = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    return tuple(sorted(one for one in found if "extra ==" not in one))


def _json(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()
