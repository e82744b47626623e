"""The conformance suite's fixtures behind the farm's own front: same guard, routes, limits and transports.

    python -m tests.wire.conformance_server      prints the port

Only the MCP server is another: its tools are the suite's, and its answers may be streams.
"""

import asyncio
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp import MCPError, types
from mcp.server import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.subscriptions import ListenHandler

from registry.errors import EnvNotFound, EpisodeNotFound, EpisodeRefused
from registry.package.pack import HeldBack
from server.agent.front import Front, Limits
from server.agent.guard import Guard, accepted_hosts, accepted_origins
from server.agent.mcp_server import HINTS, Sanitiser
from server.agent.seat import Seats, free_key
from server.listen import bind, make_server, run_loop, served
from tests.wire import conformance_fixtures as fixtures

NAME = "conformance"
TEMPLATE = "test://template/{id}/data"


@dataclass(frozen=True)
class Known:
    """The one environment, and the one episode."""

    id: str = NAME
    environment: str = NAME
    instruction: str = ""
    multi_turn: bool = False
    held_back: tuple[HeldBack, ...] = ()
    noise: None = None


class One:
    """A catalogue and an engine with one of each."""

    def load(self, environment: str) -> Any:
        if environment != NAME:
            raise EnvNotFound(environment, [NAME], Path())
        return Known()

    async def about(self, key: str) -> Any:
        if key != free_key(NAME, "shared"):
            raise EpisodeNotFound(key)
        return Known()

    async def open(self, environment: str, key: str) -> None:
        raise EpisodeRefused("There is one episode.")


async def list_tools(ctx, params):
    return types.ListToolsResult(tools=[fixtures.listed(name) for name in fixtures.TOOLS])


async def call_tool(ctx, params):
    tool = fixtures.TOOLS.get(params.name)
    if tool is None:
        raise MCPError(code=types.INVALID_PARAMS, message="Unknown tool")
    return await tool(ctx, params)


async def list_resources(ctx, params):
    return types.ListResourcesResult(resources=[types.Resource(uri=uri, name=uri) for uri in fixtures.RESOURCES])


async def list_templates(ctx, params):
    return types.ListResourceTemplatesResult(resource_templates=[types.ResourceTemplate(uri_template=TEMPLATE, name="template")])


async def read_resource(ctx, params):
    uri = str(params.uri)
    filled = re.fullmatch(r"test://template/([^/]+)/data", uri)
    if filled:
        data = json.dumps({"id": filled[1], "templateTest": True, "data": f"Data for ID: {filled[1]}"})
        return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type="application/json", text=data)])
    found = fixtures.RESOURCES.get(uri)
    if found is None:
        raise MCPError(code=types.INVALID_PARAMS, message="Resource not found", data={"uri": uri})
    kind = types.TextResourceContents if "text" in found else types.BlobResourceContents
    return types.ReadResourceResult(contents=[kind(uri=uri, **found)])


async def list_prompts(ctx, params):
    prompts = [
        types.Prompt(name=name, description=f"Fixture {name}.", arguments=[types.PromptArgument(name=one, required=True) for one in arguments])
        for name, arguments in fixtures.PROMPTS.items()
    ]
    return types.ListPromptsResult(prompts=prompts)


async def get_prompt(ctx, params):
    if params.name == "test_input_required_result_prompt":
        done = types.GetPromptResult(messages=[fixtures.message(fixtures.text("With your context."))])
        return await fixtures.once(result=lambda: done, context=fixtures.one_field("context"))(ctx, params)
    messages = fixtures.prompt_messages(params.name, params.arguments or {})
    if messages is None:
        raise MCPError(code=types.INVALID_PARAMS, message="Unknown prompt")
    return types.GetPromptResult(messages=messages)


async def complete(ctx, params):
    return types.CompleteResult(completion=types.Completion(values=[], total=0, has_more=False))


async def nothing(ctx, params):
    return types.EmptyResult()


def fixture_server() -> Server[Any]:
    server: Server[Any] = Server(
        NAME,
        version="1",
        cache_hints=HINTS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        on_completion=complete,
        on_subscribe_resource=nothing,
        on_unsubscribe_resource=nothing,
        on_set_logging_level=nothing,
        on_subscriptions_listen=ListenHandler(fixtures.BUS),
    )
    server.middleware[:] = [Sanitiser(), RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience=NAME)]
    return server


async def main() -> int:
    hosts = accepted_hosts("127.0.0.1", ())
    guard = Guard(hosts=hosts, origins=accepted_origins(hosts, ()), max_body=1_048_576, max_depth=64)
    one: Any = One()
    front = Front(fixture_server(), Seats(one, one, open_free=one.open), guard, Limits(), streaming=True)
    listener = bind("127.0.0.1", 0, "--port")
    async with front.running(), served([(make_server(front, grace=1), listener)]):
        print(listener.getsockname()[1], flush=True)
        await asyncio.Event().wait()
    return 0


if __name__ == "__main__":
    import warnings

    warnings.simplefilter("ignore")
    run_loop(main())
