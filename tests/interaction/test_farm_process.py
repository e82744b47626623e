"""`envfarm up` as a process: ready line, restart, shutdown with everything open, ports in use."""

import asyncio
import contextlib
import json
import signal
import socket
import subprocess
import sys

import anyio
import httpx
import pytest
from mcp import Client, StdioServerParameters

from tests.farm import ROOT, farm_for_fixture, farm_process, process_variables
from tests.interaction.test_agent_plane import JSON, modern_headers, open_session
from tests.interaction.wire_lines import legacy, modern
from tests.typed import typed


def process(home, *words, **more):
    command = [sys.executable, "-m", "server.cli.main", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, env=process_variables(home), check=False, **more)


@pytest.fixture
def envfarm(home):
    """Runs a command in this process: gives exit code, stdout, stderr."""
    return lambda *words: typed(home, *words)


async def note_ids(url, mode="auto"):
    async with Client(url, mode=mode) as client:
        result = await client.call_tool("add_note", {"owner_id": "OWN-1", "text": "kept"})
        return result.structured_content["id"]


async def test_episodes_survive_a_restart_commands_find_the_farm_and_a_second_one_is_refused(home, envfarm):
    with farm_process(home) as farm:
        port = farm.agent_url.rpartition(":")[2]
        async with httpx.AsyncClient(base_url=farm.agent_url, headers=JSON, trust_env=False) as http:
            session = await open_session(http, "/env/small/mcp")
        assert farm.ready["environments"][1]["id"] == "small"
        assert farm.ready["free_play"] is True
        second = process(home, "up", "--no-build", "--port", "0", "--control-port", farm.control_url.rpartition(":")[2], "--no-sidecar")
        assert (second.returncode, second.stdout) == (1, "")
        assert second.stderr.startswith("envfarm: --control-port: expected a free port, got ")
        second = process(home, "up", "--no-build", "--port", "0", "--control-port", "0", "--no-sidecar")
        assert (second.returncode, second.stdout, len(second.stderr.splitlines())) == (1, "", 1)
        assert "expected a store that nobody writes" in second.stderr
        assert await note_ids(farm.mcp("small", "a")) == "OWN-1-N2"
        async with farm.control() as control:
            scored = (await control.post("/v1/episodes", json={"environment": "small", "instruction": "Do it."})).json()
        assert await note_ids(scored["mcp_url"], mode="legacy") == "OWN-1-N2"
    with farm_process(home, "--port", port) as farm:
        async with httpx.AsyncClient(base_url=farm.agent_url, headers=JSON, trust_env=False) as http:
            assert (await http.post("/env/small/mcp", json=legacy(2, "ping"), headers=session)).status_code == 404
        assert await note_ids(farm.mcp("small", "a")) == "OWN-1-N3"
        place = scored["mcp_url"].removeprefix("http://").partition("/")[2]
        assert await note_ids(f"{farm.agent_url}/{place}") == "OWN-1-N3"
        records = json.loads(envfarm("log", scored["key"], "--json").stdout)["records"]
        assert [record["tool"] for record in records] == ["add_note", "add_note"]
        assert "+ Note OWN-1-N3" in envfarm("diff", farm.mcp("small", "a")).stdout
        forked = json.loads(envfarm("fork", scored["key"], "--at", "1", "--json").stdout)
        assert await note_ids(forked["mcp_url"]) == "OWN-1-N3"
        assert envfarm("rewind", scored["key"], "--to", "0").returncode == 0
        assert envfarm("diff", scored["key"]).stdout == "Nothing has changed.\n"
        refused = envfarm("rewind", scored["key"], "--to", "7")
        assert (refused.returncode, refused.stdout, len(refused.stderr.splitlines())) == (1, "", 1)
    gone = envfarm("log", scored["key"])
    assert gone.returncode == 1
    assert "Run `envfarm up` first." in gone.stderr


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_bridge_outlives_a_restart_of_its_farm(home, mode):
    async with contextlib.AsyncExitStack() as stack:
        async with farm_for_fixture(home) as farm:
            port = int(farm.agent_url.rpartition(":")[2])
            command = ["-m", "server.cli.main", "bridge", farm.mcp("small", "b")]
            server = StdioServerParameters(command=sys.executable, args=command, env=process_variables(home), cwd=str(ROOT))
            client = await stack.enter_async_context(Client(server, mode=mode))
            assert await add(client) == "OWN-1-N2"
        async with farm_for_fixture(home, port=port):
            assert await add(client) == "OWN-1-N3"
            await stack.aclose()  # while its farm still answers


async def add(client):
    return (await client.call_tool("add_note", {"owner_id": "OWN-1", "text": "over the bridge"})).structured_content["id"]


async def test_a_bridge_to_nowhere_answers_each_request_with_one_sentence(home):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/env/small/mcp"
    lines = f"{json.dumps(modern(1, 'tools/list'))}\n{{\n"
    done = process(home, "bridge", url, input=lines)
    answers = {answer["id"]: answer["error"] for answer in map(json.loads, done.stdout.splitlines())}
    assert done.returncode == 0
    assert answers[1]["message"] == f"{url}: expected a running farm, but nothing answers. Start it with `envfarm up`."
    assert answers[None]["code"] == -32700


async def test_shutdown_is_orderly_with_every_kind_of_stream_and_connection_open(home):
    with farm_process(home) as farm:
        async with contextlib.AsyncExitStack() as stack:
            http = await stack.enter_async_context(httpx.AsyncClient(base_url=farm.agent_url, headers=JSON, trust_env=False, timeout=20))
            session = await open_session(http, "/env/small/mcp")
            pushed = await stack.enter_async_context(http.stream("GET", "/env/small/mcp", headers=session))
            sse = await stack.enter_async_context(http.stream("GET", "/env/small/sse"))
            assert (pushed.status_code, sse.status_code) == (200, 200)
            lines = sse.aiter_lines()
            assert await anext(lines) == "event: endpoint"
            port = int(farm.agent_url.rpartition(":")[2])
            half = await stack.enter_async_context(await anyio.connect_tcp("127.0.0.1", port))
            await half.send(b"POST /env/small/mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
            await stack.enter_async_context(await anyio.connect_tcp("127.0.0.1", port))
            await note_ids(farm.mcp("small"))
            farm.process.send_signal(signal.SIGTERM)
            with anyio.fail_after(20):
                assert await asyncio.to_thread(farm.process.wait) == 0
                assert [line async for line in lines if line.startswith("event:")] == []  # both end in order, not with a broken connection
                assert [chunk async for chunk in pushed.aiter_raw() if b"event:" in chunk] == []
    assert (home / "farm.err").read_text() == "envfarm: stopping\n"
    assert not (home / "farm.json").exists()


async def test_shutdown_answers_calls_that_run(home, envfarm):
    """A burst is on its way when the signal comes: each connection gets a whole answer or none, and the log has every answered call."""
    with farm_process(home) as farm:
        answered = []

        async def caller(number):
            call = modern(1, "tools/call", name="add_note", arguments={"owner_id": "OWN-1", "text": str(number)})
            async with httpx.AsyncClient(trust_env=False, headers={**JSON, **modern_headers(call)}) as http:
                with contextlib.suppress(httpx.TransportError):
                    while True:
                        response = await http.post(farm.mcp("small", "burst"), json=call)
                        if response.status_code == 503:
                            break
                        answer = response.json()
                        answered.append(answer["result"]["structuredContent"]["id"])
                        if len(answered) == 40:
                            farm.process.send_signal(signal.SIGINT)

        with anyio.fail_after(20):
            async with anyio.create_task_group() as tasks:
                for number in range(4):
                    tasks.start_soon(caller, number)
            assert await asyncio.to_thread(farm.process.wait) == 0
    with farm_process(home):
        records = json.loads(envfarm("log", "small~burst", "--json").stdout)["records"]
    assert len(answered) >= 40
    assert set(answered) <= {record["result"]["id"] for record in records}


async def test_wrong_options_are_wrong_usage(home):
    done = process(home, "up", "--no-build", "--port", "70000")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("envfarm: --port: ")


async def test_a_farm_that_is_killed_takes_its_sidecar_with_it(home):
    with farm_process(home, sidecar=True) as farm:
        assert await serves(f"{farm.sidecar_url}/healthz")
        farm.process.kill()
        with anyio.fail_after(30):
            while await serves(f"{farm.sidecar_url}/healthz"):
                pass


async def serves(url):
    try:
        async with httpx.AsyncClient(trust_env=False) as http:
            return (await http.get(url)).status_code == 200
    except httpx.TransportError:
        return False
