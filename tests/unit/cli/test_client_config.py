"""Configuration of clients."""

import tomllib

import pytest

from server.cli.client_config import as_toml, client_config, server_name


def test_a_servers_name_leaves_room_for_the_longest_name_of_a_tool():
    assert server_name("vet_clinic") == "vet_clinic"
    name = server_name("municipal_waste_collection")
    assert len(f"mcp__{name}__{'t' * 40}") <= 64
    assert not name.endswith("_")


def test_a_process_of_its_own_is_told_where_its_home_is(tmp_path):
    entry = client_config("claude-code", "clinic", url=None, home=tmp_path)["mcpServers"]["clinic"]
    assert entry["type"] == "stdio"
    assert entry["env"]["ENVFARM_HOME"] == str(tmp_path)
    assert entry["args"][-2:] == ["stdio", "clinic"]


URL = "http://127.0.0.1:8800/env/clinic/mcp"


@pytest.mark.parametrize(
    ("client", "table", "entry"),
    [("cursor", "mcpServers", {"url": URL}), ("vscode", "servers", {"type": "http", "url": URL}), ("codex", "mcp_servers", {"url": URL})],
)
def test_each_client_gets_the_url_where_it_looks_for_it(tmp_path, client, table, entry):
    assert client_config(client, "clinic", url=URL, home=tmp_path) == {table: {"clinic": entry}}


@pytest.mark.parametrize("url", [URL, None])
def test_codex_reads_the_same_as_toml(tmp_path, url):
    config = client_config("codex", "clinic", url=url, home=tmp_path / 'a "quoted" 🦊 folder')
    assert tomllib.loads(as_toml(config)) == config
