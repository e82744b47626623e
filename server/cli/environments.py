"""Commands on the built environments of a home: list, show."""

from typing import Any

import typer

from registry.catalogue import Catalogue
from registry.environment import Environment
from registry.home import Home, find_home
from registry.package.errors import PackageError
from server.building import absent
from server.cli.answer import JsonFlag, show, table
from server.config import read_settings


def open_catalogue() -> Catalogue:
    """The catalogue of the home."""
    return Catalogue(_home().environments)


def _home() -> Home:
    return find_home(read_settings().home)


def list_environments(json: bool = JsonFlag) -> None:
    """Every built environment.

    Example: envfarm list --json
    """
    catalogue = open_catalogue()
    found = [_summary(catalogue, one) for one in catalogue.ids()]
    rows = [(one["id"], one["title"], one["tools"], one["tables"], one["digest"][:12], one["problem"]) for one in found]
    home = _home()
    none = absent("environments", home.environments, home)
    text = table(("environment", "title", "tools", "tables", "digest", ""), rows) if rows else none
    show({"environments": found}, json=json, text=text)
    if any(one["problem"] for one in found):
        raise typer.Exit(1)


def show_environment(
    env: str = typer.Argument(help="Id of a built environment; see `envfarm list`."),
    server_json: bool = typer.Option(False, "--server-json", help="Print its server.json, for a registry of MCP servers, with the farm's addresses."),
    json: bool = JsonFlag,
) -> None:
    """One environment: its tools, tables and policy.

    Example: envfarm show vet_clinic
    """
    loaded = open_catalogue().load(env)
    if server_json:
        show(_server_json(loaded), json=True, text="")
        return
    from server.agent.table_text import table_text

    tools = [(one["name"], _first_sentence(one.get("description", ""))) for one in loaded.tools]
    answer = {
        "id": loaded.id,
        "title": loaded.title,
        "digest": loaded.digest,
        "worlds": sorted(loaded.manifest.worlds),
        "instructions": loaded.instructions,
        "tools": list(loaded.tools),
        "tables": [one.model_dump(mode="json") for one in loaded.meta.tables],
        "policy": loaded.policy,
    }
    parts = [f"{loaded.title} ({loaded.id}, {loaded.digest[:12]})", "", table(("tool", "what it does"), tools)]
    show(answer, json=json, text="\n".join([*parts, "", table_text(loaded.title, loaded.meta), loaded.policy]))


def _server_json(environment: Environment) -> dict[str, Any]:
    from server.agent.server_json import server_json, version
    from server.running import find_running, free_to_open

    settings = read_settings()
    farm = find_running(find_home(settings.home), settings)
    free_to_open(farm, environment.id, "Start it with --free-play to list it in a registry.")
    number = version(environment.manifest.generator, environment.digest)
    return server_json(settings.namespace, environment.id, environment.title, number, farm.agent_url)


def _summary(catalogue: Catalogue, environment: str) -> dict[str, Any]:
    found: dict[str, Any] = {"id": environment, "title": "", "tools": 0, "tables": 0, "digest": "", "problem": ""}
    try:
        loaded = catalogue.load(environment)
    except PackageError as error:
        return {**found, "problem": str(error)}
    tables = sum(not one.link for one in loaded.meta.tables)
    return {**found, "title": loaded.title, "tools": len(loaded.tools), "tables": tables, "digest": loaded.digest}


def _first_sentence(text: str) -> str:
    first, stop, _ = text.partition(". ")
    return f"{first}." if stop else first
