"""What a browser is told that opens one of our addresses: what this is, and where to go. Programs get what they always got.

The pages are of one piece: no scripts, nothing from elsewhere, and a policy by which the browser would not load any. They name no environment and
no task.
"""

from html import escape

from starlette.types import ASGIApp, Receive, Scope, Send

HEADERS = (
    (b"content-type", b"text/html; charset=utf-8"),
    (b"content-security-policy", b"default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
    (b"vary", b"accept"),
)


def wanted(scope: Scope, path: str) -> bool:
    """Whether the request is that of a browser which opens the address itself."""
    if scope["method"] not in ("GET", "HEAD") or path not in ("", "/"):
        return False
    accepted = ",".join(value.decode("latin-1") for name, value in scope["headers"] if name == b"accept")
    return any(kind.partition(";")[0].strip().lower() == "text/html" for kind in accepted.split(","))


async def send_page(send: Send, page: bytes) -> None:
    """Sends a page; for HEAD the server leaves the body out."""
    head = [*HEADERS, (b"content-length", str(len(page)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": head})
    await send({"type": "http.response.body", "body": page})


class FrontDoor:
    """ASGI middleware that shows a browser the page, and passes everything else on.

    Args:
        app: The application.
        page: As `control_page` or `sidecar_page` gives it.
    """

    def __init__(self, app: ASGIApp, page: bytes) -> None:
        self._app = app
        self._page = page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Looks at method, path and Accept."""
        if scope["type"] == "http" and wanted(scope, scope["path"]):
            await send_page(send, self._page)
        else:
            await self._app(scope, receive, send)


def agent_page(agent_url: str | None) -> bytes:
    """The page of the agent plane.

    Args:
        agent_url: Where agents reach it; None where nobody may open an episode alone, and nothing is told but what this is.
    """
    if agent_url is None:
        told = "each is given an MCP URL below it by whoever runs the farm. There is nothing to see in a browser."
        return _page("An MCP farm", f"<p>This address is for MCP clients: {told}</p>")
    url = escape(agent_url)
    return _page(
        "An envfarm farm",
        "<p>This address serves stateful environments to MCP clients. In a browser there is nothing more to see.</p>"
        "<dl>"
        "<dt>An environment, whose rows everybody shares</dt>"
        f"<dd><code>{url}/env/ENVIRONMENT/mcp</code> (Streamable HTTP), <code>…/sse</code> (HTTP+SSE)</dd>"
        f"<dt>The same, with rows of your own</dt><dd><code>{url}/env/ENVIRONMENT/e/NAME/mcp</code>, with any name</dd>"
        f'<dt>Which environments there are</dt><dd><a href="{url}/v0.1/servers">{url}/v0.1/servers</a>, as registries of MCP servers list them; '
        "or <code>envfarm list</code></dd>"
        "<dt>To configure a client</dt>"
        "<dd><code>envfarm connect ENVIRONMENT --client claude-code</code>, or claude-desktop, cursor, vscode, codex</dd>"
        "<dt>More</dt><dd><code>docs/clients.md</code> of envfarm; <code>envfarm --help</code></dd>"
        "</dl>",
    )


def control_page() -> bytes:
    """The page of the control plane."""
    return _page(
        "The control plane of an envfarm farm",
        "<p>Programs make, look at, rewind and close episodes here, with a token of the farm. Agents have another address.</p>"
        '<p>Its interface is at <a href="/docs">/docs</a> and <a href="/openapi.json">/openapi.json</a>; '
        "<code>docs/operate.md</code> of envfarm says how a farm is run, <code>envfarm --help</code> what can be done from a shell.</p>",
    )


def sidecar_page() -> bytes:
    """The page of the sidecar."""
    return _page(
        "The sidecar of an envfarm farm",
        "<p>Tasks are given out and runs are scored here, for those who grade and have its token. Agents have another address.</p>"
        "<p>From a shell: <code>envfarm tasks list</code>, <code>envfarm start TASK</code>, <code>envfarm score RUN</code>. "
        'Its interface is at <a href="/docs">/docs</a> and <a href="/openapi.json">/openapi.json</a>; '
        "<code>docs/evaluate.md</code> and <code>docs/tasks.md</code> of envfarm say more.</p>",
    )


def _page(title: str, told: str) -> bytes:
    meta = '<meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">'
    return f'<!doctype html>\n<html lang="en"><head>{meta}<title>{title}</title></head><body><h1>{title}</h1>{told}</body></html>\n'.encode()
