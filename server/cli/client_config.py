"""Configuration of MCP clients, as they expect it in their files."""

import sys
from pathlib import Path
from typing import Any, Literal

Client = Literal["claude-desktop", "claude-code"]

NAME_LENGTH = 17
"""Clients join `mcp__`, this name, `__` and a tool's name of up to 40 characters, and 64 is the most that models take."""


def server_name(environment: str) -> str:
    """A name for the server that leaves room for the names of its tools."""
    return environment[:NAME_LENGTH].rstrip("_")


def client_config(client: Client, environment: str, *, url: str | None, home: Path, episode: str = "") -> dict[str, Any]:
    """The `mcpServers` entry for one environment.

    Args:
        client: Claude Desktop starts commands only, so a URL reaches it over `envfarm bridge`; Claude Code takes URLs.
        environment: Id.
        url: The MCP URL at a running farm; None for a process of its own (`envfarm stdio`).
        home: The home of the packages, for a process of its own: clients start it in another folder.
        episode: Name of the episode of such a process; it is resumed at the next start.
    """
    if url is not None and client == "claude-code":
        entry: dict[str, Any] = {"type": "http", "url": url}
    else:
        words = ["bridge", url] if url is not None else ["stdio", environment, *(["--episode", episode] if episode else [])]
        command, variables = launcher()
        if url is None:
            variables["ENVFARM_HOME"] = str(home)
        entry = {"command": command[0], "args": [*command[1:], *words], "env": variables}
        if client == "claude-code":
            entry = {"type": "stdio", **entry}
    return {"mcpServers": {server_name(environment): entry}}


def launcher() -> tuple[list[str], dict[str, str]]:
    """How another program starts `envfarm`, whatever its folder and its PATH: absolute words, and variables."""
    script = Path(sys.executable).with_name("envfarm.exe" if sys.platform == "win32" else "envfarm")
    if script.is_file():
        return [str(script)], {}
    root = Path(__file__).resolve().parents[2]
    return [sys.executable, "-m", "server.cli.main"], {"PYTHONPATH": str(root)}
