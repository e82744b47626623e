"""A browser that opens an address of ours is told where to go; a program gets what it always got."""

import re

import httpx
import pytest

from server.front_page import agent_page
from tests.farm import farm_here
from tests.interaction.wire_lines import modern
from tests.security.prey import headers_of

BROWSER = {"accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
LIST = modern(1, "tools/list")


@pytest.fixture
async def agents(farm):
    async with httpx.AsyncClient(base_url=farm.agent_url, trust_env=False) as client:
        yield client


def safe(answer):
    """The page's text, once it is known to load and to run nothing."""
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["content-security-policy"].startswith("default-src 'none';")
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert (answer.headers["x-content-type-options"], answer.headers["referrer-policy"]) == ("nosniff", "no-referrer")
    assert not [name for name in answer.headers if name.startswith("access-control")]
    assert not re.findall(r"<(?:script|img|link|iframe|object|form|style)|\bon\w+=|\bsrc=", answer.text)
    return answer.text


async def test_a_browser_at_the_farm_is_told_where_mcp_is_and_what_there_is(farm, agents):
    text = safe(await agents.get("/", headers=BROWSER))
    assert f"{farm.agent_url}/env/ENVIRONMENT/mcp" in text
    assert "envfarm connect" in text
    assert "docs/clients.md" in text
    (listed,) = re.findall(r'href="([^"]*)"', text)
    assert (await agents.get(listed)).json()["metadata"]["count"] == 2
    assert not re.search(r"\b(tasks?|gold|scores?|sidecar|packs?|small|other)\b", text)
    assert (await agents.head("/", headers=BROWSER)).headers["content-length"] == str(len(text.encode()))


async def test_where_nobody_may_open_an_episode_alone_the_page_tells_nothing_of_addresses(home):
    async with farm_here(home, free_play=False) as farm, httpx.AsyncClient(base_url=farm.agent_url, trust_env=False) as client:
        text = safe(await client.get("/", headers=BROWSER))
        assert not re.search(r"/env/|v0\.1|envfarm|\b(tasks?|gold|scores?|sidecar)\b", text)


@pytest.mark.parametrize("accept", ["*/*", "application/json, text/event-stream", "text/event-stream", ""])
async def test_a_program_at_the_farm_gets_what_it_always_got(agents, accept):
    answer = await agents.get("/", headers={"accept": accept})
    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/json")
    assert answer.json()["error"]["message"].startswith("No episode at this address.")


async def test_a_client_that_posts_to_the_address_alone_gets_what_it_always_got(agents):
    for accept in ("application/json, text/event-stream", BROWSER["accept"]):
        answer = await agents.post("/", json=LIST, headers={**headers_of(LIST), "accept": accept})
        assert (answer.status_code, answer.headers["content-type"]) == (404, "application/json")
        assert answer.json()["error"]["message"].startswith("No episode at this address.")


async def test_a_page_of_another_site_and_a_rebound_name_do_not_get_the_page(farm, agents):
    assert (await agents.get("/", headers={**BROWSER, "host": "evil.example"})).status_code == 421
    assert (await agents.get("/", headers={**BROWSER, "origin": "https://evil.example"})).status_code == 403
    async with farm.control() as control:
        assert (await control.get("/", headers={**BROWSER, "host": "evil.example"})).status_code == 421


async def test_a_browser_at_the_control_plane_is_led_to_its_interface(farm):
    async with farm.control() as control:
        text = safe(await control.get("/", headers=BROWSER))
        for link in re.findall(r'href="([^"]*)"', text):
            assert (await control.get(link)).status_code == 200, link
        assert (await control.get("/")).json()["error"]["message"] == "/: nothing is served here. See /docs."
        assert (await control.post("/", headers=BROWSER)).status_code == 404


def test_an_address_is_written_into_the_page_as_text():
    assert b"<script>" not in agent_page('https://x.example/"><script>')
