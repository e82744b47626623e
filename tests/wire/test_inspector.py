"""The MCP Inspector's own judgement of every shipped environment, strict, on each transport."""

import json
import re
import subprocess
import sys

import pytest

from tests.seeds import ALL
from tests.wire.conftest import RUN_SECONDS, bare_variables

STRICT = ("--method", "tools/list", "--strict", "--format", "json")


@pytest.fixture(scope="module")
def inspector(programs, tmp_path_factory):
    """What the Inspector says of a server's list of tools. One does it for all, since its start costs more than the look."""
    errors = tmp_path_factory.mktemp("inspector") / "stderr"
    with (
        errors.open("w") as stderr,
        subprocess.Popen(
            programs.inspect_many,
            cwd=errors.parent,
            env=bare_variables(errors.parent),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        ) as process,
    ):

        def look(*words):
            process.stdin.write(json.dumps([*words, *STRICT]) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
            assert line, errors.read_text()
            return json.loads(line)

        yield look
        process.stdin.close()
        process.wait(RUN_SECONDS)


@pytest.fixture
def inspect(inspector):
    """Lists the tools of a server, which must be without errors; gives their names."""

    def look(*words):
        done = inspector(*words)
        assert done["code"] == 0, done["stdout"][-500:] + done["stderr"][-2000:]
        assert re.search(r"^0 errors, \d+ warnings? across \d+ tools?\.$|^$", done["stderr"].strip().rpartition("\n")[2])
        return [tool["name"] for tool in json.loads(done["stdout"])["result"]["tools"]]

    return look


TRANSPORTS = {"http": ("--transport", "http"), "http-modern": ("--transport", "http", "--protocol-era", "modern"), "sse": ("--transport", "sse")}


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_every_environment_is_without_errors_over_http(inspect, farm, environments, transport):
    assert set(environments) == set(ALL)
    for one in environments:
        assert "submit_answer" in inspect(farm.sse(one) if transport == "sse" else farm.mcp(one), *TRANSPORTS[transport])


@pytest.mark.timeout(300)  # a process for each environment
def test_every_environment_is_without_errors_over_stdio(inspect, environments, printed, tmp_path):
    for environment in environments:
        file = tmp_path / f"{environment}.json"
        file.write_text(printed(environment, "--client", "claude-desktop", "--stdio"))
        assert "submit_answer" in inspect("--config", str(file), "--server", next(iter(json.loads(file.read_text())["mcpServers"])))


def test_a_schema_that_is_not_portable_is_an_error_of_the_inspector(inspector, tmp_path):
    """That `0 errors` above means something."""
    (tmp_path / "wrong.py").write_text(WRONG)
    server = {"command": sys.executable, "args": [str(tmp_path / "wrong.py")]}
    (tmp_path / "servers.json").write_text(json.dumps({"mcpServers": {"wrong": server}}))
    done = inspector("--config", str(tmp_path / "servers.json"), "--server", "wrong")
    assert done["code"] != 0
    assert "1 error" in done["stderr"]


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
