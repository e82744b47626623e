"""Progress, cancellation, questions to the client, hints for caches: over every transport, in both eras."""

import asyncio
import sys
import warnings
from contextlib import asynccontextmanager

import anyio
import pytest
from mcp import Client, MCPError, StdioServerParameters, types
from mcp.client.sse import sse_client

from tests.farm import ROOT, process_variables
from tests.interaction.feature_server import STEPS, feature_server, served_over_http

pytestmark = pytest.mark.timeout(60)
TRANSPORTS = ("memory", "http", "sse", "stdio", "bridge")


@asynccontextmanager
async def target(transport, folder):
    """What a client of this transport is given."""
    if transport == "memory":
        yield feature_server()
    elif transport == "stdio":
        yield process(folder, "tests.interaction.feature_server")
    else:
        async with served_over_http() as url:
            yield {"http": f"{url}/mcp", "sse": sse_client(f"{url}/sse"), "bridge": process(folder, "server.cli.main", "bridge", f"{url}/mcp")}[
                transport
            ]


def process(folder, module, *words):
    return StdioServerParameters(command=sys.executable, args=["-m", module, *words], env=process_variables(folder), cwd=str(ROOT))


@pytest.fixture(params=[(transport, mode) for mode in ("2026-07-28", "legacy") for transport in TRANSPORTS], ids=lambda one: "-".join(one))
def connect(request, tmp_path):
    """Opens a client of this cell."""
    transport, mode = request.param

    @asynccontextmanager
    async def open_client(**more):
        async with target(transport, tmp_path) as place, Client(place, mode=mode, **more) as client:
            assert client.protocol_version == {"legacy": "2025-11-25"}.get(mode, mode)
            yield client

    return open_client


def words(result):
    (content,) = result.content
    return content.text


class Person:
    """Answers the questions of a server; what is asked is kept."""

    def __init__(self):
        self.asked = []
        self.says = lambda question: types.ElicitResult(action="accept", content={"colour": "blue"})

    async def __call__(self, context, params):
        self.asked.append(params.message)
        return self.says(params.message)


async def test_progress_cancellation_questions_and_errors_are_carried(connect):
    person = Person()
    async with connect(elicitation_callback=person) as client:
        await progress_reaches_the_one_who_asked_for_it_in_order(client)
        await a_call_that_its_client_gives_up_is_cancelled_and_the_connection_goes_on(client)
        await a_question_to_the_client_is_answered_during_the_call_or_left_open(client, person)
        await several_questions_at_once_find_their_own_calls(client, person)
        await an_exception_is_told_by_its_number_only(client)
        await a_list_is_one_page_and_the_newest_protocol_says_how_long_it_may_be_kept(client)


async def progress_reaches_the_one_who_asked_for_it_in_order(client):
    heard = []

    async def hear(done, total, text):
        heard.append((done, total, text))

    assert words(await client.call_tool("count", {}, progress_callback=hear)) == "counted"
    assert words(await client.call_tool("count", {})) == "counted"
    assert heard == [(step + 1, STEPS, f"step {step + 1}") for step in range(STEPS)]


async def a_call_that_its_client_gives_up_is_cancelled_and_the_connection_goes_on(client):
    with pytest.raises((MCPError, TimeoutError)):
        await client.call_tool("wait", {}, read_timeout_seconds=0.5)
    assert words(await client.call_tool("look", {"until": "cancelled"})) == "cancelled"


async def a_question_to_the_client_is_answered_during_the_call_or_left_open(client, person):
    assert words(await client.call_tool("ask", {"message": "Which one?"})) == 'User response: action=accept, content={"colour": "blue"}'
    assert person.asked == ["Which one?"]
    for action in ("decline", "cancel"):
        person.says = lambda question, action=action: types.ElicitResult(action=action)
        assert words(await client.call_tool("ask", {})).startswith(f"User response: action={action}")


async def several_questions_at_once_find_their_own_calls(client, person):
    person.says = lambda question: types.ElicitResult(action="accept", content={"colour": question})
    results = await asyncio.gather(*(client.call_tool("ask", {"message": f"n{number}"}) for number in range(4)))
    assert [words(one) for one in results] == [f'User response: action=accept, content={{"colour": "n{number}"}}' for number in range(4)]


async def an_exception_is_told_by_its_number_only(client):
    for _ in range(2):
        with pytest.raises(MCPError, match=r"The server failed on this request \(incident \d+\)\. Try again\.$") as caught:
            await client.call_tool("fail", {})
        assert caught.value.code == types.INTERNAL_ERROR


async def a_list_is_one_page_and_the_newest_protocol_says_how_long_it_may_be_kept(client):
    listed = await client.list_tools()
    assert listed.next_cursor is None
    assert listed.ttl_ms == (3_600_000 if client.protocol_version == "2026-07-28" else 0)


async def test_pings_are_answered_while_a_call_runs_in_the_older_protocol(tmp_path):
    for transport in ("memory", "http", "sse", "stdio"):
        async with target(transport, tmp_path) as place, Client(place, mode="legacy") as client, anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, "wait", {})
            assert words(await client.call_tool("look", {"until": "running"})) == "running"
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that newer versions have no ping
                await client.send_ping()
            tasks.cancel_scope.cancel()
