"""Which file each client reads its servers from."""

import sys
from dataclasses import dataclass
from pathlib import Path

from server.cli.client_config import Client
from server.errors import UserError

DESKTOP_FILE = "claude_desktop_config.json"
PACKAGED = "Packages/Claude_*/LocalCache/Roaming/Claude"
"""Where Windows keeps the files of a Claude Desktop that came as a package (the usual installer since 2026): it never sees %APPDATA%."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """The folders of one user.

    Args:
        system: As `sys.platform` says it.
        user: The user's own folder.
        config: Where programs keep their settings: ~/.config, ~/Library/Application Support, %APPDATA%.
        local: %LOCALAPPDATA% on Windows, else as `config`.
        codex: Codex's own folder.
        project: The working folder.
    """

    system: str
    user: Path
    config: Path
    local: Path
    codex: Path
    project: Path


def client_file(client: Client, places: Places) -> Path:
    """The file in which `client` looks for its servers.

    Raises:
        UserError: there are several, and none can be told to be the right one.
    """
    if client == "claude-desktop":
        return _desktop(places)
    if client == "cursor":
        return places.user / ".cursor" / "mcp.json"
    if client == "codex":
        return places.codex / "config.toml"
    return places.project / (".mcp.json" if client == "claude-code" else ".vscode/mcp.json")


def _desktop(places: Places) -> Path:
    usual = places.config / "Claude" / DESKTOP_FILE
    if places.system != "win32":
        return usual
    packaged = sorted(places.local.glob(PACKAGED))
    used = [folder for folder in packaged if (folder / DESKTOP_FILE).is_file()] or packaged
    if len(used) > 1:
        raise UserError(f"--client: expected one Claude Desktop, got {len(used)} in {places.local / 'Packages'}. Name the file with --file.")
    return used[0] / DESKTOP_FILE if used else usual


def places_here(codex: Path | None) -> Places:
    """The folders of the user of this process; `codex` is the folder that the user has chosen for Codex, if any."""
    import platformdirs

    config = platformdirs.user_data_path("Claude", appauthor=False, roaming=True).parent
    if sys.platform not in ("win32", "darwin"):
        config = platformdirs.user_config_path("Claude", appauthor=False).parent
    local = platformdirs.user_data_path("Claude", appauthor=False).parent
    return Places(system=sys.platform, user=Path.home(), config=config, local=local, codex=codex or Path.home() / ".codex", project=Path.cwd())
