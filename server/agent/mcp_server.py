"""One MCP server for every environment and episode: it finds the seat by the request's address."""

import itertools
import logging
from dataclasses import dataclass, field
from typing import Any

from mcp import MCPError, types
from mcp.server import CacheHint, Server
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from pydantic import ValidationError

from registry.dispatch.harness import ASK
from server.agent import elicit
from server.agent.engine import Engine, Outcome
from server.agent.era import MODERN
from server.agent.menu import FOREVER, Menus, prompts, task_prompt
from server.agent.seat import Seat
from server.agent.simulator import Voice, voiced

logger = logging.getLogger(__name__)

SEAT = "envfarm.seat"
"""Where the HTTP front leaves the seat in the ASGI scope."""

HINTS: dict[Any, CacheHint] = {
    "tools/list": CacheHint(ttl_ms=FOREVER, scope="public"),
    "resources/list": CacheHint(ttl_ms=FOREVER, scope="public"),
    "resources/read": CacheHint(ttl_ms=FOREVER, scope="public"),
    "prompts/list": CacheHint(ttl_ms=FOREVER, scope="private"),
    "server/discover": CacheHint(ttl_ms=FOREVER, scope="public"),
}
SERVER_INFO = "io.modelcontextprotocol/serverInfo"

Context = ServerRequestContext[Any, Any]


class Sanitiser:
    """Middleware: no exception of ours reaches the wire with its text (the older protocol would send it)."""

    def __init__(self) -> None:
        self._incidents = itertools.count(1)

    async def __call__(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Passes on what the protocol knows, hides the rest behind a number in the log."""
        try:
            return await call_next(ctx)
        except (MCPError, ValidationError):
            raise
        except Exception:  # noqa: BLE001 told by its number only
            raise MCPError(code=types.INTERNAL_ERROR, message=self.conceal(ctx.method)) from None

    def conceal(self, method: str) -> str:
        """Logs the exception that is being handled; gives what the client is told instead."""
        incident = next(self._incidents)
        logger.exception("%s failed, incident %d", method, incident)
        return f"The server failed on this request (incident {incident}). Try again."


@dataclass(frozen=True, slots=True, kw_only=True)
class Plane:
    """What the handlers of the MCP server work on.

    Args:
        engine: The episodes.
        menus: What seats are shown.
        fixed: The one seat of a process that serves no addresses (stdio, in memory); None over HTTP.
        sanitiser: Gives failures of ours their number.
        elicits: Whether `ask_user` asks the person at a client that can do that.
        questions: Those that wait for an answer.
        voice: Words the user's answers; None: they are said as they are.
    """

    engine: Engine
    menus: Menus
    fixed: Seat | None = None
    sanitiser: Sanitiser = field(default_factory=Sanitiser)
    elicits: bool = False
    questions: elicit.Questions = field(default_factory=elicit.Questions)
    voice: Voice | None = None

    def seat(self, ctx: Context) -> Seat:
        """The seat of this request."""
        if self.fixed is not None:
            return self.fixed
        request: Any = ctx.request
        seat: Seat = request.scope[SEAT]
        return seat

    async def list_tools(self, ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        """All tools, harness tools too, in one page."""
        seat = self.seat(ctx)
        return self.menus.of(seat).tools(multi_turn=seat.multi_turn)

    async def call_tool(self, ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult | types.InputRequiredResult:
        """Calls through the engine: a refusal or invalid call is a result, not a protocol error."""
        arguments = {} if params.arguments is None else params.arguments
        seat = self.seat(ctx)
        asks = self.elicits and seat.multi_turn and elicit.can_ask(ctx, params)
        if asks and ctx.protocol_version == MODERN and (needed := elicit.request(params)) is not None:
            return needed
        outcome = await self.engine.call(seat.key, params.name, arguments)
        if self.voice is not None and seat.multi_turn and params.name == ASK and outcome.kind == "ok":
            about = await self.engine.about(seat.key)
            outcome = await voiced(self.voice, str(arguments["question"]), outcome, about.held_back)
        return as_result(await elicit.asked(ctx, params, outcome, self.questions) if asks else outcome)

    async def list_resources(self, ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        """Policy and tables."""
        return self.menus.of(self.seat(ctx)).resources

    async def list_templates(self, ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListResourceTemplatesResult:
        """None; some clients ask without looking at the capabilities."""
        return types.ListResourceTemplatesResult(resource_templates=[])

    async def read_resource(self, ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        """The text of one resource."""
        found = self.menus.of(self.seat(ctx)).resource(str(params.uri))
        if found is None:
            raise MCPError(code=types.INVALID_PARAMS, message="Resource not found. There are env://policy and env://schema.")
        return found

    async def list_prompts(self, ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        """The task, where there is one."""
        return prompts(self.seat(ctx))

    async def get_prompt(self, ctx: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        """The instruction of the episode."""
        seat = self.seat(ctx)
        if params.name != "task" or not seat.instruction:
            raise MCPError(code=types.INVALID_PARAMS, message="Prompt not found. The prompt `task` exists where the episode has a task.")
        return task_prompt(seat)

    async def identity(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Middleware: gives each result the name, version and instructions of the seat's environment."""
        result = await call_next(ctx)
        if not isinstance(result, dict):
            return result
        menu = self.menus.of(self.seat(ctx))
        if ctx.method == "initialize":
            return {**result, "serverInfo": menu.server_info, "instructions": menu.instructions}
        if ctx.protocol_version == MODERN:
            result = {**result, "_meta": {**(result.get("_meta") or {}), SERVER_INFO: menu.server_info}}
            if ctx.method == "server/discover":
                result["instructions"] = menu.instructions
        return result


def as_result(outcome: Outcome) -> types.CallToolResult:
    """The outcome of a call on the wire: structured content and its JSON text, or text alone with `isError`."""
    text = types.TextContent(text=outcome.text)
    if outcome.kind == "ok":
        return types.CallToolResult(content=[text], structured_content=outcome.result)
    return types.CallToolResult(content=[text], is_error=True)


def make_server(plane: Plane) -> Server[Any]:
    """The low-level MCP server over `plane`."""
    server: Server[Any] = Server(
        "envfarm",
        version="1",
        cache_hints=HINTS,
        get_tool_input_schema=lambda name: None,
        on_list_tools=plane.list_tools,
        on_call_tool=plane.call_tool,
        on_list_resources=plane.list_resources,
        on_list_resource_templates=plane.list_templates,
        on_read_resource=plane.read_resource,
        on_list_prompts=plane.list_prompts,
        on_get_prompt=plane.get_prompt,
    )
    server.middleware[:] = [plane.sanitiser, plane.identity]
    return server
