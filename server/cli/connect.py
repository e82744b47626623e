"""`envfarm connect`: the configuration that makes an MCP client use an environment, printed or written."""

import socket
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import typer

from registry.home import find_home
from server.cli.answer import note, show
from server.cli.client_config import client_config, server_name
from server.cli.client_files import client_file, places_here
from server.cli.client_names import PRINTED, ClientName, as_read
from server.cli.client_write import ClientFile, Edited
from server.cli.environments import open_catalogue
from server.config import codex_folder, read_settings
from server.errors import WrongUsage
from server.running import Running, find_running, free_to_open

LOOK_SECONDS = 1.0

WRITTEN = {
    ClientName.DESKTOP: "Quit Claude Desktop fully and start it again.",
    ClientName.CODE: "Start Claude Code in this folder and approve the server; `claude mcp list` shows whether it connects.",
    ClientName.CURSOR: "Cursor shows it under Settings, MCP.",
    ClientName.VSCODE: "VS Code shows it under MCP: List Servers.",
    ClientName.CODEX: "`codex mcp list` shows it.",
}


def connect(
    env: str = typer.Argument(help="Id of a built environment; see `envfarm list`."),
    client: ClientName = typer.Option(..., "--client", help="Which program is to use it."),
    url: str = typer.Option("", "--url", help="MCP URL of an episode; the shared episode of the running farm when left out."),
    stdio: bool = typer.Option(False, "--stdio", help="Let the client start a process of its own; no farm needs to run."),
    episode: str = typer.Option("", "--episode", help="With --stdio: name of the episode, resumed at each start."),
    write: bool = typer.Option(False, "--write", help="Put it into the client's own file, beside what is there; a copy of the file is kept."),
    undo: bool = typer.Option(False, "--undo", help="Take out what --write put in; the file is again what it was."),
    file: Path | None = typer.Option(None, "--file", help="With --write or --undo: the client's file, if it is not the usual one."),
    json: bool = typer.Option(False, "--json", help="Print JSON only (Codex gets TOML otherwise), without the hint on stderr."),
) -> None:
    """Print the configuration that makes an MCP client use an environment, or write it.

    Claude Code and VS Code are configured for the working folder, the others for the user.

    Example: envfarm connect vet_clinic --client claude-desktop --write
    """
    if (write and undo) or (file is not None and not (write or undo)):
        raise WrongUsage("--write, --undo, --file: expected one of --write and --undo, --file only with it. See `envfarm connect --help`.")
    if undo:
        _show(_edited(client, file, server_name(env)).undo(), client, json=json, how="taken out")
        return
    loaded = open_catalogue().load(env)
    settings = read_settings()
    home = find_home(settings.home)
    address = None if stdio else url or _shared(find_running(home, settings), loaded.id)
    answer = client_config(client.value, loaded.id, url=address, home=home.root, episode=episode)
    if write:
        ((name, entry),) = next(iter(answer.values())).items()
        _show(_edited(client, file, name).write(entry), client, json=json, how="written")
        return
    if not json:
        note(PRINTED[client])
    show(answer, json=json, text=as_read(client, answer))


def _shared(farm: Running, environment: str) -> str:
    """The URL of the episode that everybody shares; says so if nobody answers there now.

    Raises:
        UserError: The farm has none.
    """
    free_to_open(farm, environment, "Give --url with an episode's URL, as `envfarm start TASK` prints it, or --stdio for a process of its own.")
    parts = urlsplit(farm.agent_url)
    try:
        with socket.create_connection((parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)), timeout=LOOK_SECONDS):
            pass
    except OSError:
        note(f"envfarm: nobody answers at {farm.agent_url} now: start the farm with `envfarm up`, or give --stdio, which needs none")
    return f"{farm.agent_url}/env/{environment}/mcp"


def _edited(client: ClientName, file: Path | None, name: str) -> ClientFile:
    return ClientFile(client.value, file or client_file(client.value, places_here(codex_folder())), name)


def _show(done: Edited, client: ClientName, *, json: bool, how: Literal["written", "taken out"]) -> None:
    backup = f" What was there before is kept in {done.backup}." if done.backup else ""
    said = {"file": str(done.file), "changed": done.changed, "backup": str(done.backup) if done.backup else None}
    show(said, json=json, text=f"{done.file}: {how if done.changed else 'nothing to do'}.{backup}")
    if done.changed and not json and (how == "written" or client is ClientName.DESKTOP):  # the others see by themselves what is gone
        note(WRITTEN[client])
