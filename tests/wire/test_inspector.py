"""The MCP Inspector's own judgement of every shipped environment, strict, on each transport."""

import json
import re
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

AT_ONCE = 2
STRICT = ("--method", "tools/list", "--strict", "--format", "json")


@pytest.fixture
def inspect(programs, run):
    """Lists the tools of a server; gives their names."""

    def look(*words):
        done = run(*programs.inspector, *words, *STRICT)
        assert done.returncode == 0, done.stdout[-500:] + done.stderr[-2000:]
        assert re.search(r"^0 errors, \d+ warnings? across \d+ tools?\.$|^$", done.stderr.strip().rpartition("\n")[2])
        return [tool["name"] for tool in json.loads(done.stdout)["result"]["tools"]]

    return look


TRANSPORTS = {"http": ("--transport", "http"), "http-modern": ("--transport", "http", "--protocol-era", "modern"), "sse": ("--transport", "sse")}


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_every_environment_is_without_errors_over_http(inspect, farm, environments, transport):
    urls = [farm.sse(one) if transport == "sse" else farm.mcp(one) for one in environments]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for tools in pool.map(lambda url: inspect(url, *TRANSPORTS[transport]), urls):
            assert "submit_answer" in tools


def test_every_environment_is_without_errors_over_stdio(inspect, environments, printed, tmp_path):
    def of(environment):
        file = tmp_path / f"{environment}.json"
        file.write_text(printed(environment, "--client", "claude-desktop", "--stdio"))
        return inspect("--config", str(file), "--server", next(iter(json.loads(file.read_text())["mcpServers"])))

    with ThreadPoolExecutor(AT_ONCE) as pool:
        for tools in pool.map(of, environments):
            assert "submit_answer" in tools


def test_a_schema_that_is_not_portable_is_an_error_of_the_inspector(programs, run, tmp_path):
    """That `0 errors` above means something."""
    (tmp_path / "wrong.py").write_text(WRONG)
    done = run(*programs.inspector, *STRICT, "--", sys.executable, str(tmp_path / "wrong.py"))
    assert done.returncode != 0
    assert "1 error" in done.stderr


WRONG = """
import asyncio
from mcp import types
from mcp.server import Server
from mcp.server.stdio import stdio_server

async def tools(ctx, params):
    schema = {"type": "object", "properties": {"anything": True}}
    return types.ListToolsResult(tools=[types.Tool(name="wrong", description="Wrong.", input_schema=schema)])

async def main():
    server = Server("wrong", on_list_tools=tools)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())

asyncio.run(main())
"""
