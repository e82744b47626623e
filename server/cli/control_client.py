"""The control plane as commands use it."""

import re
from typing import Any
from urllib.parse import quote, urlsplit

from registry.home import find_home
from server.agent.seat import SHARED, free_key
from server.cli.http_client import HttpClient
from server.config import read_settings
from server.errors import UserError
from server.running import find_running
from server.tokens import read_tokens

IN_URL = re.compile(r"/env/(?P<env>[^/]+)(?:/e/(?P<key>[^/]+))?(?:/(?:mcp|sse))?/?$")


def control_client() -> HttpClient:
    """A client of the home's farm.

    Raises:
        UserError: there is no token file.
    """
    settings = read_settings()
    home = find_home(settings.home)
    return HttpClient(find_running(home, settings).control_url, read_tokens(settings.tokens or home.tokens).control, "control plane")


def find_episode(client: HttpClient, named: str) -> Any:
    """The episode that a person names: by its key, by its MCP URL, or by an environment for the one that all share.

    Raises:
        UserError: there is none.
    """
    found = IN_URL.search(urlsplit(named).path) if "://" in named else None
    if found is None:
        candidates = [named, free_key(named, SHARED)]
    elif found["key"] is None:
        candidates = [free_key(found["env"], SHARED)]
    else:
        candidates = [found["key"], free_key(found["env"], found["key"])]
    refusal: UserError | None = None
    for key in candidates:
        try:
            return client.get(f"/v1/episodes/{quote(key, safe='~')}")
        except UserError as error:
            if "episode: expected the key" not in str(error):
                raise
            refusal = refusal or error
    raise refusal or UserError(f"episode: expected a key or an MCP URL, got {named!r}.")
