"""`envfarm connect`: the configuration that makes an MCP client use an environment."""

from enum import StrEnum

import typer

from registry.home import find_home
from server.cli.answer import note, show
from server.cli.client_config import as_toml, client_config
from server.cli.environments import open_catalogue
from server.config import read_settings
from server.running import find_running


class ClientName(StrEnum):
    """Clients whose configuration is known."""

    DESKTOP = "claude-desktop"
    CODE = "claude-code"
    CURSOR = "cursor"
    VSCODE = "vscode"
    CODEX = "codex"


HINTS = {
    ClientName.DESKTOP: "Merge this into claude_desktop_config.json (Settings, Developer, Edit Config), then quit Claude Desktop fully and start it.",
    ClientName.CODE: "Merge this into .mcp.json of your project; `claude mcp list` then shows whether it connects.",
    ClientName.CURSOR: "Merge this into .cursor/mcp.json of your project, or ~/.cursor/mcp.json.",
    ClientName.VSCODE: "Merge this into .vscode/mcp.json of your project.",
    ClientName.CODEX: "Append this to ~/.codex/config.toml; `codex mcp list` then shows it.",
}


def connect(
    env: str = typer.Argument(help="Id of a built environment; see `envfarm list`."),
    client: ClientName = typer.Option(..., "--client", help="Which program is to use it."),
    url: str = typer.Option("", "--url", help="MCP URL of an episode; the shared episode of the running farm when left out."),
    stdio: bool = typer.Option(False, "--stdio", help="Let the client start a process of its own; no farm needs to run."),
    episode: str = typer.Option("", "--episode", help="With --stdio: name of the episode, resumed at each start."),
    json: bool = typer.Option(False, "--json", help="Print JSON only (Codex gets TOML otherwise), without the hint on stderr."),
) -> None:
    """Print the configuration that makes an MCP client use an environment.

    Example: envfarm connect vet_clinic --client claude-desktop
    """
    loaded = open_catalogue().load(env)
    settings = read_settings()
    home = find_home(settings.home)
    address = None if stdio else url or f"{find_running(home, settings).agent_url}/env/{loaded.id}/mcp"
    answer = client_config(client.value, loaded.id, url=address, home=home.root, episode=episode)
    if not json:
        note(HINTS[client])
    show(answer, json=json or client is not ClientName.CODEX, text=as_toml(answer))
