"""The MCP server of one episode in this process."""

from typing import Any

from mcp.server import Server

from registry.catalogue import Catalogue
from registry.episode.local import LocalEpisode
from registry.home import find_home
from server.agent.mcp_server import Plane, make_server
from server.agent.menu import Menus
from server.agent.solo import Solo
from server.config import read_settings


def solo_server(environment: str, name: str) -> Server[Any]:
    """A server whose one seat is a free-play episode of `environment`."""
    catalogue = Catalogue(find_home(read_settings().home).environments)
    loaded = catalogue.load(environment)
    solo = Solo(LocalEpisode(loaded, call_limit=0, free_play=True), loaded, name or "stdio")
    return make_server(Plane(engine=solo, menus=Menus(), fixed=solo.seat))
