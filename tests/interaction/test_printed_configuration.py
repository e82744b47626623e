"""What `envfarm connect` and `envfarm up` print is taken as a client takes it, from another folder and with an empty environment."""

import contextlib
import io
import json
import sys

import pytest
from mcp import Client, StdioServerParameters

from server.cli.main import main


@pytest.fixture
def printed(home, monkeypatch):
    """The JSON that a command prints."""
    monkeypatch.setenv("ENVFARM_HOME", str(home))

    def run(*words):
        out, err = io.StringIO(), io.StringIO()
        monkeypatch.setattr(sys, "argv", ["envfarm", *words])
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == 0, err.getvalue()
        return json.loads(out.getvalue())

    return run


def process(entry, folder):
    assert entry["command"].startswith("/")
    return StdioServerParameters(command=entry["command"], args=entry["args"], env=entry["env"], cwd=str(folder))


async def test_claude_desktop_gets_a_process_of_its_own_that_keeps_its_episode(printed, tmp_path_factory):
    config = printed("connect", "small", "--client", "claude-desktop", "--stdio", "--episode", "desk")
    (name,) = config["mcpServers"]
    entry = config["mcpServers"][name]
    assert name == "small"
    assert sorted(entry) == ["args", "command", "env"]
    for expected in ("OWN-1-N2", "OWN-1-N3"):
        async with Client(process(entry, tmp_path_factory.mktemp("elsewhere"))) as client:
            assert (await client.call_tool("add_note", {"owner_id": "OWN-1", "text": "x"})).structured_content["id"] == expected


async def test_claude_desktop_reaches_a_running_farm_over_the_bridge(printed, farm, tmp_path_factory):
    config = printed("connect", "small", "--client", "claude-desktop", "--url", farm.mcp("small", "desk"))
    async with Client(process(config["mcpServers"]["small"], tmp_path_factory.mktemp("elsewhere"))) as client:
        assert (await client.call_tool("add_note", {"owner_id": "OWN-1", "text": "x"})).structured_content["id"] == "OWN-1-N2"
    async with Client(farm.mcp("small", "desk")) as client:
        assert (await client.call_tool("add_note", {"owner_id": "OWN-1", "text": "x"})).structured_content["id"] == "OWN-1-N3"


async def test_claude_code_gets_the_url(printed, farm):
    config = printed("connect", "small", "--client", "claude-code", "--url", farm.mcp("small"))
    assert config == {"mcpServers": {"small": {"type": "http", "url": farm.mcp("small")}}}
