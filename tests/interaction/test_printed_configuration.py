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
    return StdioServerParameters(command=entry["command"], args=entry["args"], env=entry.get("env", {}), cwd=str(folder))


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


async def test_what_is_written_into_a_clients_file_works_and_is_taken_out_again(printed, farm, tmp_path_factory):
    folder = tmp_path_factory.mktemp("client")
    file = folder / "claude_desktop_config.json"
    file.write_text('{"theme": "dark"}')
    words = ["connect", "small", "--client", "claude-desktop", "--file", str(file), "--json"]
    for more, key in (["--stdio", "--episode", "desk"], "OWN-1-N2"), (["--url", farm.mcp("small", "desk")], "OWN-1-N2"):
        done = printed(*words, "--write", *more)
        assert done == {"file": str(file), "changed": True, "backup": str(folder / "claude_desktop_config.json.before-small")}
        config = json.loads(file.read_text())
        assert config["theme"] == "dark"
        async with Client(process(config["mcpServers"]["small"], tmp_path_factory.mktemp("elsewhere"))) as client:
            assert (await client.call_tool("add_note", {"owner_id": "OWN-1", "text": "x"})).structured_content["id"] == key
    assert printed(*words, "--undo") == {"file": str(file), "changed": True, "backup": None}
    assert file.read_text() == '{"theme": "dark"}'
    assert [one.name for one in folder.iterdir()] == ["claude_desktop_config.json"]
