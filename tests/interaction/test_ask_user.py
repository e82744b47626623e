"""The user of a multi-turn task answers by itself; where the farm and the client allow it, the person at the client answers instead."""

import json
import sys
from contextlib import asynccontextmanager

import anyio
import httpx
import pytest
from mcp import Client, StdioServerParameters, types
from mcp.client.sse import sse_client

from server.agent.mcp_server import Plane, make_server
from server.agent.menu import Menus
from tests.farm import ROOT, farm_here, process_variables
from tests.interaction.wire_lines import INITIALIZED, legacy, modern

HELD_BACK = [{"topic": "reason", "asks": ["reason", "why"], "answer": "It got too expensive."}]
QUESTION = {"question": "What is the reason?"}
NOT_TOLD = {"question": "What is your favourite colour?"}


@asynccontextmanager
async def opened(home, **settings):
    """A farm, and the MCP URL of a multi-turn episode."""
    async with farm_here(home, **settings) as farm, farm.control() as control:
        made = await control.post("/v1/episodes", json={"environment": "small", "multi_turn": True, "held_back": HELD_BACK})
        yield farm, made.json()


def place(farm, episode, transport):
    if transport == "bridge":
        words = ["-m", "server.cli.main", "bridge", episode["mcp_url"]]
        return StdioServerParameters(command=sys.executable, args=words, env=process_variables(farm.home), cwd=str(ROOT))
    return sse_client(episode["sse_url"]) if transport == "sse" else episode["mcp_url"]


async def memory(farm, episode):
    seat = await farm.inside.agent.seats.find("small", episode["key"])
    return make_server(Plane(engine=farm.inside.episodes, menus=Menus(), fixed=seat, elicits=True))


@asynccontextmanager
async def client_of(farm, episode, transport, mode, **more):
    where = await memory(farm, episode) if transport == "memory" else place(farm, episode, transport)
    async with Client(where, mode=mode, **more) as client:
        yield client


async def says_violet(context, params):
    assert params.message == NOT_TOLD["question"]
    return types.ElicitResult(action="accept", content={"answer": "Violet."})


async def declines(context, params):
    return types.ElicitResult(action="decline")


MATRIX = pytest.mark.parametrize(("transport", "mode"), [(one, mode) for mode in ("auto", "legacy") for one in ("memory", "http", "sse", "bridge")])


@MATRIX
async def test_the_person_at_the_client_is_asked_and_the_question_is_in_the_log(home, transport, mode):
    async with opened(home, elicitation=True) as (farm, episode):
        async with client_of(farm, episode, transport, mode, elicitation_callback=says_violet) as client:
            told = await client.call_tool("ask_user", NOT_TOLD)
            assert told.structured_content == {"answer": "Violet."}
            await client.call_tool("add_note", {"owner_id": "OWN-1", "text": "x"})
        log = await farm.inside.episodes.log(episode["key"])
        assert [(one.tool, one.arguments.get("question")) for one in log.records] == [("ask_user", NOT_TOLD["question"]), ("add_note", None)]


@MATRIX
async def test_a_client_that_cannot_be_asked_or_declines_gets_the_tasks_own_user(home, transport, mode):
    async with opened(home, elicitation=True) as (farm, episode):
        for more in ({}, {"elicitation_callback": declines}):
            async with client_of(farm, episode, transport, mode, **more) as client:
                assert (await client.call_tool("ask_user", QUESTION)).structured_content == {"answer": "It got too expensive."}
                wrong = await client.call_tool("ask_user", {"question": 5})
                assert wrong.is_error
                assert wrong.content[0].text.startswith("INVALID_ARGUMENTS: argument 'question'")


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_without_the_setting_nobody_is_asked(home, mode):
    async with opened(home) as (_, episode), Client(episode["mcp_url"], mode=mode, elicitation_callback=says_violet) as client:
        assert (await client.call_tool("ask_user", QUESTION)).structured_content == {"answer": "It got too expensive."}


async def test_a_closed_episode_refuses_the_question_whatever_the_person_says(home):
    async with opened(home, elicitation=True) as (_, episode), Client(episode["mcp_url"], elicitation_callback=says_violet) as client:
        await client.call_tool("submit_answer", {"outcome": "done"})
        refused = await client.call_tool("ask_user", NOT_TOLD)
        assert refused.is_error
        assert refused.content[0].text.startswith("EPISODE_CLOSED")


@pytest.mark.parametrize("content", [None, {}, {"answer": 5}, {"answer": " "}, {"answer": "x" * 5000}, {"other": "x"}])
async def test_an_answer_that_says_nothing_is_none(home, content):
    headers = {
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "ask_user",
    }
    async with opened(home, elicitation=True) as (_, episode), httpx.AsyncClient(headers=headers, trust_env=False) as http:
        call = modern(1, "tools/call", name="ask_user", arguments=QUESTION)
        call["params"]["_meta"] = {**call["params"]["_meta"], "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}
        needed = (await http.post(episode["mcp_url"], json=call)).json()["result"]
        assert needed["resultType"] == "input_required"
        assert needed["inputRequests"]["answer"]["params"]["message"] == QUESTION["question"]
        call["params"]["inputResponses"] = {"answer": {"action": "accept", "content": content}}
        answered = (await http.post(episode["mcp_url"], json=call)).json()
        if "result" in answered:
            assert answered["result"]["structuredContent"] == {"answer": "It got too expensive."}
        else:
            assert answered["error"]["code"] == -32602


async def test_a_session_that_waits_for_a_person_does_not_hold_up_the_end_of_the_farm(home):
    accepts = {"accept": "application/json, text/event-stream"}
    with anyio.fail_after(20):
        async with httpx.AsyncClient(headers=accepts, trust_env=False, timeout=20) as http:
            async with opened(home, elicitation=True) as (_, episode):
                lines = await waiting(http, episode["mcp_url"])
            (answer,) = [json.loads(line[6:]) async for line in lines if line.startswith("data: {") and "result" in line]
            assert answer["result"]["structuredContent"] == {"answer": "It got too expensive."}


async def waiting(http, url):
    """Has the farm ask, and does not answer; the lines that follow."""
    start = legacy(1, "initialize", protocolVersion="2025-06-18", capabilities={"elicitation": {}}, clientInfo={"name": "t", "version": "1"})
    session = {"mcp-session-id": (await http.post(url, json=start)).headers["mcp-session-id"], "mcp-protocol-version": "2025-06-18"}
    await http.post(url, json=INITIALIZED, headers=session)
    call = legacy(2, "tools/call", name="ask_user", arguments=QUESTION)
    stream = await http.send(http.build_request("POST", url, json=call, headers=session), stream=True)
    assert stream.headers["content-type"].startswith("text/event-stream")
    assert stream.headers["x-accel-buffering"] == "no"  # else a proxy would keep the question to itself
    lines = stream.aiter_lines()
    while "elicitation/create" not in await anext(lines):
        pass
    return lines
