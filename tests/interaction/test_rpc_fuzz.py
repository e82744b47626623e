"""The JSON-RPC door: whatever arrives, the answer is well-formed, tells nothing of the inside, and the episode lives on."""

import asyncio
import json

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.farm import farm_for_fixture
from tests.hard import how_many
from tests.interaction.wire_lines import MODERN
from tests.unit.registry.small_package import PROPERTIES, write_package

EXAMPLES = how_many("ENVFARM_FUZZ_EXAMPLES", 12) * 20
METHODS = [
    "initialize",
    "ping",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/read",
    "prompts/list",
    "prompts/get",
    "completion/complete",
    "server/discover",
]
METHODS += [
    "notifications/initialized",
    "notifications/cancelled",
    "notifications/progress",
    "logging/setLevel",
    "subscriptions/listen",
    "resources/subscribe",
]
JSON = {"content-type": "application/json", "accept": "application/json, text/event-stream"}

leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(["OWN-1", "OWN-2", "OWN-1-N1", "2026-03-01", "small"])
values = st.recursive(leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4), max_leaves=12)
names = st.sampled_from(sorted(PROPERTIES)) | st.text(max_size=20)
arguments = values | st.fixed_dictionaries({}, optional={name: values for tool in PROPERTIES.values() for name in tool})
metas = st.just(MODERN) | values
params = values | st.fixed_dictionaries(
    {}, optional={"name": names | values, "arguments": arguments, "_meta": metas, "uri": values, "cursor": values, "ref": values}
)
messages = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | values,
        "id": st.integers() | st.text() | values,
        "method": st.sampled_from(METHODS) | st.text() | values,
        "params": params,
        "result": values,
    },
)
bodies = (
    messages.map(lambda message: json.dumps(message).encode())
    | st.lists(messages, max_size=3).map(lambda batch: json.dumps(batch).encode())
    | values.map(lambda value: json.dumps(value).encode())
    | st.binary(max_size=200)
)
headers = st.fixed_dictionaries(
    {},
    optional={
        "mcp-protocol-version": st.sampled_from(["2026-07-28", "2025-06-18", "2024-11-05", "", "1", "9999-99-99"]),
        "mcp-method": st.sampled_from([*METHODS, "x"]),
        "mcp-name": st.sampled_from([*PROPERTIES, "x", "=?base64?eA==?="]),
        "mcp-session-id": st.sampled_from(["x", "", "0" * 32]),
        "accept": st.sampled_from(["*/*", "application/json", "text/event-stream", "text/html", ""]),
        "content-type": st.sampled_from(["application/json", "text/plain", "application/json; charset=latin-1", ""]),
    },
)


@pytest.fixture
async def farm(tmp_path):
    write_package(tmp_path / "environments")
    async with farm_for_fixture(tmp_path) as farm:
        yield farm


@pytest.mark.timeout(300 + EXAMPLES)
async def test_every_answer_is_well_formed_and_the_episode_lives_on(farm):
    loop = asyncio.get_running_loop()
    counted = 0

    async def send(body, extra):
        async with asyncio.timeout(120):
            answer = await http.send(http.build_request("POST", "/env/small/e/fuzzed/mcp", content=body, headers={**JSON, **extra}), stream=True)
            if answer.headers.get("content-type", "").startswith("text/event-stream"):
                await answer.aclose()
                return answer, b""
            return answer, await answer.aread()

    @given(body=bodies, extra=headers)
    @settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    def explore(body, extra):
        nonlocal counted
        answer, text = asyncio.run_coroutine_threadsafe(send(body, extra), loop).result(180)
        counted += 1
        assert answer.status_code in (200, 202, 400, 404, 406, 413, 415), (answer.status_code, body, extra)
        assert b"Traceback" not in text
        assert b"site-packages" not in text
        if text and answer.headers.get("content-type", "").startswith("application/json"):
            told = json.loads(text)
            assert told["jsonrpc"] == "2.0"
            assert ("result" in told) != ("error" in told)

    async with httpx.AsyncClient(base_url=farm.agent_url, trust_env=False, timeout=120) as http:
        await asyncio.to_thread(explore)
        good = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": MODERN}}
        alive = await http.post(
            "/env/small/e/fuzzed/mcp", json=good, headers={**JSON, "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list"}
        )
    assert alive.json()["result"]["tools"]
    async with farm.control() as control:
        assert (await control.get("/v1/episodes/small~fuzzed")).json()["status"] == "open"
    assert counted >= EXAMPLES
    print(f"\nJSON-RPC: {counted} messages")
