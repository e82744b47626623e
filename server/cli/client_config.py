"""Configuration of MCP clients, as they expect it in their files."""

import json
import sys
from pathlib import Path
from typing import Any, Literal

Client = Literal["claude-desktop", "claude-code", "cursor", "vscode", "codex"]

TABLES: dict[Client, str] = {"vscode": "servers", "codex": "mcp_servers"}
"""Where a client keeps its servers, when not under `mcpServers`."""
TYPED = ("claude-code", "vscode")
"""Clients whose entries say which transport they mean."""

NAME_LENGTH = 17
"""Clients join `mcp__`, this name, `__` and a tool's name of up to 40 characters, and 64 is the most that models take."""


def server_name(environment: str) -> str:
    """A name for the server that leaves room for the names of its tools."""
    return environment[:NAME_LENGTH].rstrip("_")


def client_config(client: Client, environment: str, *, url: str | None, home: Path, episode: str = "") -> dict[str, Any]:
    """The entry for one environment, in the table where the client looks for it.

    Args:
        client: Claude Desktop starts commands only, so a URL reaches it over `envfarm bridge`; the others take URLs.
        environment: Id.
        url: The MCP URL at a running farm; None for a process of its own (`envfarm stdio`).
        home: The home of the packages, for a process of its own: clients start it in another folder.
        episode: Name of the episode of such a process; it is resumed at the next start.
    """
    if url is not None and client != "claude-desktop":
        entry: dict[str, Any] = {"type": "http", "url": url} if client in TYPED else {"url": url}
    else:
        words = ["bridge", url] if url is not None else ["stdio", environment, *(["--episode", episode] if episode else [])]
        command, variables = launcher()
        if url is None:
            variables["ENVFARM_HOME"] = str(home)
        entry = {"command": command[0], "args": [*command[1:], *words], **({"env": variables} if variables else {})}
        if client in TYPED:
            entry = {"type": "stdio", **entry}
    return {TABLES.get(client, "mcpServers"): {server_name(environment): entry}}


def as_toml(config: dict[str, Any]) -> str:
    """The same as Codex reads it; words of JSON are words of TOML."""
    lines: list[str] = []
    for table, servers in config.items():
        for name, entry in servers.items():
            lines += ["", f"[{table}.{name}]"]
            lines += [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in entry.items() if key != "env"]
            if entry.get("env"):
                lines += ["", f"[{table}.{name}.env]"]
                lines += [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in entry["env"].items()]
    return "\n".join(lines[1:])


def launcher() -> tuple[list[str], dict[str, str]]:
    """How another program starts `envfarm`, whatever its folder and its PATH: absolute words, and variables."""
    script = Path(sys.executable).with_name("envfarm.exe" if sys.platform == "win32" else "envfarm")
    if script.is_file():
        return [str(script)], {}
    root = Path(__file__).resolve().parents[2]
    return [sys.executable, "-m", "server.cli.main"], {"PYTHONPATH": str(root)}
