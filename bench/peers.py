"""The servers that the farm is compared with: `python -m bench.peers bare|sdk DATABASE`; prints its port."""

import contextlib
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import uvicorn
from mcp import types
from mcp.server import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from bench.statements import Database, Rows
from server.listen import bind


class Databases:
    """One database for each key, as the farm has one for each episode."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._open: dict[str, Database] = {}

    def call(self, key: str, tool: str, arguments: Rows) -> Rows:
        """Runs the statements of a tool."""
        if key not in self._open:
            self._open[key] = Database(self._file)
        return self._open[key].call(tool, arguments)


def bare_app(databases: Databases) -> Starlette:
    """A Starlette route."""

    async def call(request: Request) -> JSONResponse:
        asked = await request.json()
        return JSONResponse(databases.call(request.path_params["key"], asked["tool"], asked["arguments"]))

    return Starlette(routes=[Route("/{key}", call, methods=["POST"])])


def sdk_app(databases: Databases) -> Starlette:
    """The SDK's low-level server."""

    async def call_tool(ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        made = databases.call(ctx.request.path_params["key"], params.name, params.arguments or {})
        return types.CallToolResult(content=[types.TextContent(text=JSONResponse(made).body.decode())], structured_content=made)

    server: Server[Any] = Server("bench", version="1", on_call_tool=call_tool, get_tool_input_schema=lambda name: None)
    sessions = StreamableHTTPSessionManager(server, json_response=True)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with sessions.run():
            yield

    class Endpoint:
        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            await sessions.handle_request(scope, receive, send)

    return Starlette(routes=[Route("/{key}", Endpoint(), methods=["POST"])], lifespan=lifespan)


def main(kind: str, file: str) -> None:
    """Serves until killed."""
    databases = Databases(Path(file))
    listener = bind("127.0.0.1", 0, "--port")
    config = uvicorn.Config(
        (bare_app if kind == "bare" else sdk_app)(databases), loop="uvloop", http="httptools", log_config=None, access_log=False, server_header=False
    )
    print(listener.getsockname()[1], flush=True)
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main(*sys.argv[1:])
