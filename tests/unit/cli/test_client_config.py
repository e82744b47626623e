"""Configuration of clients."""

from server.cli.client_config import client_config, server_name


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
