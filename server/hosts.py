"""The Host header of our HTTP interfaces: a web page that reaches one through a rebound name is refused."""

from starlette.types import ASGIApp, Receive, Scope, Send

from server.agent.guard import listed
from server.api_errors import failed


class HostCheck:
    """ASGI middleware that answers 421 to names that are not ours.

    Args:
        app: The application.
        hosts: Accepted values, as `server.agent.guard.Guard` takes them.
    """

    def __init__(self, app: ASGIApp, hosts: frozenset[str]) -> None:
        self._app = app
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Looks at the header, then passes on."""
        host = next((value.decode("latin-1") for name, value in scope.get("headers", ()) if name == b"host"), "")
        if scope["type"] == "http" and not listed(host.lower(), self._hosts):
            message = f"Host: expected a configured name, got {host[:100]!r}. Add it to ENVFARM_ALLOWED_HOSTS."
            await failed(421, "WRONG_HOST", message)(scope, receive, send)
        else:
            await self._app(scope, receive, send)
