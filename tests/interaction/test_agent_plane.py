"""The agent plane as raw HTTP: what an address reaches, what it does not, and what bad requests get."""

import contextlib
import json

import anyio
import httpx
import pytest

from tests.farm import farm_here
from tests.interaction.wire_lines import INITIALIZED, add_note, initialize, legacy, modern, modern_headers

JSON = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
NOWHERE = {
    "jsonrpc": "2.0",
    "id": None,
    "error": {"code": -32600, "message": "No episode at this address. Check the environment and the key in the URL."},
}

NOWHERES = [
    "/",
    "/mcp",
    "/env/small",
    "/env/unknown/mcp",
    "/env/unknown/e/one/mcp",
    "/env/small/e/one",
    "/env/small/e/one/mcp/more",
    "/env/small/e/../mcp/x",
    "/env/small/e/one%2Ftwo/mcp",
    "/env/small/e/one~two/mcp",
    "/env/small/e//mcp",
    "/env/small/e/one/gold",
    "/env/SMALL/mcp",
    "/v1/episodes",
    "/v1/environments",
    "/docs",
    "/openapi.json",
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-authorization-server/env/small/mcp",
    f"/env/small/e/{'k' * 129}/mcp",
]

BAD_BODIES = [
    (b"{", 400, -32700),
    (b"", 400, -32700),
    (b"\xff\xfe", 400, -32700),
    (b"[]", 400, -32600),
    (b"7", 400, -32600),
    (b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}', 400, -32600),
    (b'{"jsonrpc": "2.0", "id": 1, "method": 5}', 400, -32600),
    (b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', 400, -32600),
    (b'{"a":' * 100 + b"1" + b"}" * 100, 400, -32600),
    (b'{"jsonrpc": "2.0", "id": 1, "method": "' + b"x" * 1_100_000 + b'"}', 413, -32600),
]


@pytest.fixture
async def http(farm):
    async with httpx.AsyncClient(base_url=farm.agent_url, headers=JSON, trust_env=False, timeout=10) as client:
        yield client


async def post_modern(http, path, message, **headers):
    return await http.post(path, json=message, headers={**modern_headers(message), **headers})


async def open_session(http, path):
    response = await http.post(path, json=initialize())
    assert response.status_code == 200
    session = {"mcp-session-id": response.headers["mcp-session-id"], "mcp-protocol-version": "2025-06-18"}
    assert (await http.post(path, json=INITIALIZED, headers=session)).status_code == 202
    return session


@pytest.mark.parametrize("end", ["mcp", "mcp/"])
async def test_both_spellings_are_served_in_both_eras_and_never_redirected(http, end):
    answer = await post_modern(http, f"/env/small/e/one/{end}", modern(1, "tools/list"))
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    session = await open_session(http, f"/env/small/e/one/{end}")
    assert (await http.post(f"/env/small/e/one/{end}", json=legacy(2, "tools/list"), headers=session)).status_code == 200


async def test_everything_else_is_one_and_the_same_404(http):
    for path in NOWHERES:
        for response in (await http.get(path), await http.post(path, json=modern(1, "tools/list"))):
            assert (response.status_code, response.json()) == (404, NOWHERE), path


async def test_without_free_play_unknown_environments_and_unknown_keys_cannot_be_told_apart(home):
    async with farm_here(home, free_play=False) as farm, httpx.AsyncClient(headers=JSON, trust_env=False) as http:
        answers = [
            await post_modern(http, url, modern(1, "tools/list"))
            for url in (farm.mcp("small", "unknown"), farm.mcp("nothing", "unknown"), farm.mcp("small"), farm.mcp("nothing"))
        ]
        assert {(answer.status_code, answer.text) for answer in answers} == {(404, json.dumps(NOWHERE, separators=(",", ":")))}
        async with farm.control() as control:
            made = (await control.post("/v1/episodes", json={"environment": "small"})).json()
        assert (await post_modern(http, made["mcp_url"], modern(1, "tools/list"))).status_code == 200
        elsewhere = made["mcp_url"].replace("/small/", "/other/")
        assert (await post_modern(http, elsewhere, modern(1, "tools/list"))).json() == NOWHERE


async def test_a_session_of_the_older_protocol_exists_at_its_own_address_only(http):
    session = await open_session(http, "/env/small/e/mine/mcp")
    for elsewhere in ("/env/small/e/yours/mcp", "/env/other/e/mine/mcp", "/env/small/mcp"):
        for response in (
            await http.post(elsewhere, json=legacy(2, "tools/list"), headers=session),
            await http.get(elsewhere, headers=session),
            await http.delete(elsewhere, headers=session),
        ):
            assert response.status_code == 404
            assert response.json()["error"]["message"] == "Session not found"
    assert (await http.post("/env/small/e/mine/mcp/", json=legacy(3, "tools/list"), headers=session)).status_code == 200
    assert (await http.delete("/env/small/e/mine/mcp", headers=session)).status_code == 200
    assert (await http.post("/env/small/e/mine/mcp", json=legacy(4, "tools/list"), headers=session)).status_code == 404


async def test_a_client_that_loses_its_session_id_on_every_call_keeps_its_episode(http):
    """As hosted connectors do: each call opens a session of its own."""
    for number in range(3):
        session = await open_session(http, "/env/small/e/steady/mcp")
        done = await http.post("/env/small/e/steady/mcp", json=add_note(2, "again"), headers=session)
        assert done.json()["result"]["structuredContent"]["id"] == f"OWN-1-N{number + 2}"


async def test_an_sse_session_takes_messages_at_its_own_address_only(http, farm):
    async with http.stream("GET", "/env/small/e/mine/sse") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        assert stream.headers["x-accel-buffering"] == "no"
        lines = stream.aiter_lines()
        assert await anext(lines) == "event: endpoint"
        endpoint = (await anext(lines)).removeprefix("data: ")
        assert endpoint.startswith("/env/small/e/mine/messages?session_id=")
        for elsewhere in (endpoint.replace("mine", "yours"), endpoint.replace("/small/", "/other/")):
            assert (await http.post(elsewhere, json=initialize())).status_code == 404
        assert (await http.post(endpoint, json=initialize())).status_code == 202
        await anext(lines)
        assert await anext(lines) == "event: message"
        assert json.loads((await anext(lines)).removeprefix("data: "))["result"]["serverInfo"]["name"] == "small"
    with anyio.fail_after(10):
        while (await http.post(endpoint, json=legacy(2, "ping"))).status_code != 404:
            await anyio.lowlevel.checkpoint()


@pytest.mark.parametrize("kept", ["", "/farm/a"])
async def test_behind_a_proxy_with_a_prefix_addresses_work_whether_it_takes_the_prefix_away_or_not(home, kept):
    async with farm_here(home, public_url="https://example.org/farm/a") as farm, httpx.AsyncClient(headers=JSON, trust_env=False) as http:
        async with http.stream("GET", f"{farm.agent_url}{kept}/env/small/sse/") as stream:
            lines = [line async for line in first(stream.aiter_lines(), 2)]
        assert lines[1].startswith("data: /farm/a/env/small/messages?session_id=")
        assert (await post_modern(http, f"{farm.agent_url}{kept}/env/small/mcp", modern(1, "tools/list"))).status_code == 200


async def first(lines, count):
    for _ in range(count):
        yield await anext(lines)


async def test_foreign_hosts_and_origins_are_refused_before_anything_is_looked_up(http):
    wrong = await post_modern(http, "/env/small/mcp", modern(1, "tools/list"), host="evil.example")
    assert wrong.status_code == 421
    assert (await post_modern(http, "/env/small/mcp", modern(1, "tools/list"), origin="https://evil.example")).status_code == 403
    assert (await post_modern(http, "/env/small/mcp", modern(1, "tools/list"), host="localhost")).status_code == 200


async def test_a_configured_host_without_port_is_served(home):
    async with farm_here(home, allowed_hosts="farm.example") as farm, httpx.AsyncClient(headers=JSON, trust_env=False) as http:
        for host in ("farm.example", "farm.example:443"):
            assert (await post_modern(http, farm.mcp("small"), modern(1, "tools/list"), host=host)).status_code == 200


async def test_bad_bodies_get_a_json_rpc_error_in_the_newer_era(http):
    for body, status, code in BAD_BODIES:
        response = await http.post("/env/small/mcp", content=body, headers={"mcp-protocol-version": "2026-07-28", "mcp-method": "ping"})
        assert (response.status_code, response.json()["error"]["code"], response.json()["id"]) == (status, code, None), body[:80]


async def test_bad_bodies_get_a_json_rpc_error_in_the_older_era(http):
    session = await open_session(http, "/env/small/mcp")
    for body in [b"{", b"", b"[]", b"7", b'{"jsonrpc": "2.0", "id": 1, "method": 5}', b"[" * 100]:
        response = await http.post("/env/small/mcp", content=body, headers=session)
        assert response.status_code == 400, body
        assert response.json()["error"]["code"] in (-32700, -32600, -32602), body
    assert (await http.post("/env/small/mcp", json=legacy(2, "ping"), headers=session)).json()["result"] == {}


async def test_methods_that_are_not_served_say_which_are(http):
    assert (await http.put("/env/small/mcp")).headers["allow"] == "DELETE, GET, POST"
    assert (await http.post("/env/small/sse", json={})).status_code == 405
    assert (await http.get("/env/small/messages")).status_code == 405
    assert (await http.get("/env/small/mcp", headers={"mcp-protocol-version": "2026-07-28"})).status_code == 405
    assert (await http.get("/env/small/mcp", headers={"mcp-protocol-version": "2024-11-05"})).status_code == 400


async def test_free_play_episodes_are_limited(home):
    async with farm_here(home, max_free_episodes=2) as farm, httpx.AsyncClient(headers=JSON, trust_env=False) as http:
        statuses = [(await post_modern(http, farm.mcp("small", key), modern(1, "tools/list"))).status_code for key in ("a", "b", "c", "a")]
        assert statuses == [200, 200, 429, 200]
        async with farm.control() as control:
            assert (await control.post("/v1/episodes/small~a/close")).status_code == 200
        assert (await post_modern(http, farm.mcp("small", "c"), modern(1, "tools/list"))).status_code == 200


async def test_requests_of_one_episode_are_limited_and_others_are_not(home):
    async with farm_here(home, max_calls_per_second=0.001) as farm, httpx.AsyncClient(headers=JSON, trust_env=False) as http:
        statuses = [(await post_modern(http, farm.mcp("small", "busy"), modern(1, "tools/list"))).status_code for _ in range(3)]
        assert statuses == [200, 429, 429]
        assert (await post_modern(http, farm.mcp("small", "calm"), modern(1, "tools/list"))).status_code == 200


async def test_streams_are_limited_and_calls_go_on(home):
    async with farm_here(home, max_streams=1) as farm, httpx.AsyncClient(headers=JSON, trust_env=False) as http:
        async with http.stream("GET", farm.sse("small")) as stream:
            assert stream.status_code == 200
            assert (await http.get(farm.sse("small", "x"))).status_code == 429
            assert (await post_modern(http, farm.mcp("small"), modern(1, "tools/list"))).status_code == 200
        with anyio.fail_after(10):
            while len(farm.inside.agent.streams):
                await anyio.lowlevel.checkpoint()


async def test_a_damaged_package_is_not_served_and_its_path_is_not_told(home, http, caplog):
    (home / "environments" / "other" / "policy.md").write_text("Changed.")
    response = await post_modern(http, "/env/other/mcp", modern(1, "tools/list"))
    assert response.status_code == 503
    assert response.json()["error"]["message"] == "This environment cannot be served at the moment. The log of the farm says why."
    assert "expected sha256" in caplog.text
    assert (await post_modern(http, "/env/small/mcp", modern(1, "tools/list"))).status_code == 200


async def test_the_first_requests_at_a_new_address_open_one_episode(http):
    path = "/env/small/e/rush/mcp"
    call = {**modern(1, "tools/call", name="add_note", arguments={"owner_id": "OWN-1", "text": "x"})}
    ids = []

    async def send():
        ids.append((await post_modern(http, path, call)).json()["result"]["structuredContent"]["id"])

    async with anyio.create_task_group() as tasks:
        for _ in range(8):
            tasks.start_soon(send)
    assert sorted(ids) == [f"OWN-1-N{number}" for number in range(2, 10)]


async def test_a_client_that_vanishes_during_a_call_does_not_undo_it(http):
    call = modern(1, "tools/call", name="fill", arguments={"count": 300})
    with contextlib.suppress(httpx.TimeoutException):
        await http.post("/env/small/e/gone/mcp", json=call, headers=modern_headers(call), timeout=0.001)
    again = modern(2, "tools/call", name="add_note", arguments={"owner_id": "OWN-1", "text": "x"})
    response = await post_modern(http, "/env/small/e/gone/mcp", again)
    assert response.json()["result"]["structuredContent"]["id"] in ("OWN-1-N2", "OWN-1-N302")


async def test_exceptions_of_ours_reach_no_client_with_their_text(farm, http, caplog):
    """The store is taken away under the farm: both eras get a fixed sentence."""
    session = await open_session(http, "/env/small/e/broken/mcp")
    await farm.inside.episodes.stop()
    path = "/env/small/e/broken/mcp"
    old = await http.post(path, json=add_note(2, "x"), headers=session)
    new = await post_modern(http, path, modern(3, "tools/call", name="add_note", arguments={"owner_id": "OWN-1", "text": "x"}))
    for response in (old, new):
        error = response.json()["error"]
        assert error["code"] == -32603
        assert error["message"].startswith("The server failed on this request (incident ")
    assert "sqlite" not in old.text + new.text
    await farm.inside.episodes.start()
