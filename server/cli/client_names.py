"""Clients that can be configured, and how what they are to be given is printed."""

import json
from enum import StrEnum
from typing import Any

from server.cli.client_config import as_toml


class ClientName(StrEnum):
    """Clients whose configuration is known."""

    DESKTOP = "claude-desktop"
    CODE = "claude-code"
    CURSOR = "cursor"
    VSCODE = "vscode"
    CODEX = "codex"


PRINTED = {
    ClientName.DESKTOP: "Merge this into claude_desktop_config.json (Settings, Developer, Edit Config), then quit Claude Desktop fully and start it.",
    ClientName.CODE: "Merge this into .mcp.json of your project; `claude mcp list` then shows whether it connects.",
    ClientName.CURSOR: "Merge this into .cursor/mcp.json of your project, or ~/.cursor/mcp.json.",
    ClientName.VSCODE: "Merge this into .vscode/mcp.json of your project.",
    ClientName.CODEX: "Append this to ~/.codex/config.toml; `codex mcp list` then shows it.",
}
"""Where a printed configuration goes."""


def as_read(client: ClientName, configuration: dict[str, Any]) -> str:
    """The configuration in the language that the client reads."""
    return as_toml(configuration) if client is ClientName.CODEX else json.dumps(configuration, ensure_ascii=False, indent=2)
