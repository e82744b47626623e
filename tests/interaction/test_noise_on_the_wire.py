"""Noise at every door: other names in lists and policy, the true names in the log, the same bytes with and without the SDK."""

from contextlib import asynccontextmanager

import pytest
from mcp import Client

from registry.catalogue import open_folder
from tests.farm import farm_here

NOISE = {"profile": "chaos", "seed": 7}


@asynccontextmanager
async def opened(home, noise):
    async with farm_here(home) as farm, farm.control() as control:
        made = await control.post("/v1/episodes", json={"environment": "small", "noise": noise})
        yield farm, made.json()


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_tools_have_other_names_and_the_log_has_the_true_ones(home, mode):
    async with opened(home, NOISE) as (farm, episode):
        async with Client(episode["mcp_url"], mode=mode) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            again = [tool.name for tool in (await client.list_tools()).tools]
            assert names == again
            assert "submit_answer" in names
            environment = open_folder(home / "environments" / "small")
            true = {tool["name"] for tool in environment.tools}
            assert 0 < len(true & set(names)) < len(true)
            assert len(names) == len(set(names)) == len(true) + 1 + 4
            for name in names:
                if name != "submit_answer":
                    await client.call_tool(name, {"owner_id": "OWN-1"})
        log = await farm.inside.episodes.log(episode["key"])
        called = {record.tool for record in log.records}
        assert true <= called
        assert len(called - true) == 4


async def test_an_episode_without_noise_is_shown_as_it_is(home):
    async with opened(home, {"profile": "none", "seed": 1}) as (farm, episode), Client(episode["mcp_url"]) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert names == {tool["name"] for tool in open_folder(home / "environments" / "small").tools} | {"submit_answer"}
        await client.call_tool("search_owners", {})
        assert "noise" not in (await farm.inside.episodes.log(episode["key"])).records[0].to_json()


async def test_the_instructions_tell_how_errors_are_met(home):
    async with opened(home, NOISE) as (_, episode), Client(episode["mcp_url"], mode="legacy") as client:
        assert "TRY_AGAIN" in client.instructions


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_errors_read_the_same_with_and_without_the_sdk(home, mode):
    texts = []
    for plain in (True, False):
        async with opened(home, NOISE) as (_, episode), Client(episode["mcp_url"], mode=mode) as client:
            told = []
            for _ in range(30):
                more = {} if plain else {"meta": {"odd": 1}}
                reply = await client.call_tool("search_owners", {"name": ""}, **more)
                told.append((reply.is_error, reply.content[0].text, reply.structured_content))
            texts.append(told)
    assert texts[0] == texts[1]
    assert any(error for error, _, _ in texts[0])
