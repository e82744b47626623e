"""The sidecar as commands use it."""

from registry.home import find_home
from server.cli.http_client import HttpClient
from server.config import read_settings
from server.running import find_running
from server.tokens import read_tokens


def sidecar_client() -> HttpClient:
    """A client of the sidecar of the home's farm.

    Raises:
        UserError: There is no token file.
    """
    settings = read_settings()
    home = find_home(settings.home)
    return HttpClient(find_running(home, settings).sidecar_url, read_tokens(settings.tokens or home.tokens).grader, "sidecar")
