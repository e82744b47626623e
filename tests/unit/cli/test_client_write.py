"""A client's file is edited so that nothing else in it changes and nothing is lost."""

import json
import os
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.cli.client_edit import Document
from server.cli.client_write import ClientFile
from server.errors import UserError

STDIO = {"command": "/usr/bin/envfarm", "args": ["stdio", "clinic"], "env": {"ENVFARM_HOME": '/a "home" ä'}}
HTTP = {"url": "http://127.0.0.1:8800/env/clinic/mcp"}
TABLES = {"claude-desktop": "mcpServers", "claude-code": "mcpServers", "cursor": "mcpServers", "vscode": "servers", "codex": "mcp_servers"}

JSON_FILES = {
    "empty": "",
    "blank": "\n",
    "object": "{}",
    "object over lines": "{\n}\n",
    "other settings": '{\n  "theme": "dark",\n  "mcpServers": {}\n}\n',
    "servers": '{\n    "mcpServers": {\n        "files": {\n            "command": "npx"\n        }\n    },\n    "z": [2.50, {}]\n}',
    "one line": '{"servers":{"a":{"url":"x"}},"mcpServers":{"a":{"url":"x"}}}',
    "tabs and carriage returns": '{\r\n\t"mcpServers": {\r\n\t\t"a": {}\r\n\t}\r\n}\r\n',
    "braces in strings": '{"a": "}{", "mcpServers": {"b\\"}": {"c": "\\\\"}}}',
    "other letters": '{"Zoë": "日本", "mcpServers": {"🦊": {}}}\n',
}
COMMENTED = {
    "comments": '// mine\n{\n  "servers": { // "none": {}\n    /* } */\n    "a": {} // last\n  }\n}\n',
    "comment alone": '{ "servers": { // none\n} }',
}
TOML_FILES = {
    "empty": "",
    "top level": 'model = "x"\n',
    "no newline at the end": 'model = "x"',
    "servers": '# mine\n[mcp_servers.a]\ncommand = "b" # c\n\n[mcp_servers.a.env]\nX = "1"\n\n[other]\ny = 2\n',
}
REFUSED = {
    "claude-desktop": [
        "{",
        "[]",
        '{"mcpServers": []}',
        '{"mcpServers": null}',
        '{"a": 1, "a": 2}',
        "// no\n{}",
        "7",
        '{"a": 1,}',
        "\ufeff{}",
        "[" * 9000,
    ],
    "cursor": ['{"mcpServers": "x"}', "/* no */ {}"],
    "vscode": ['{"servers": []}', '{"servers": {},}', "{ /* }"],
    "codex": ["a", "[mcp_servers]\na = ", "mcp_servers = 1", 'mcp_servers = {a = {command = "x"}}', "a = 1\na = 2"],
}


def read(client, text):
    if client == "codex":
        return tomllib.loads(text)
    return Document(client, text, "file").value


def cases():
    for client in TABLES:
        files = TOML_FILES if client == "codex" else JSON_FILES | (COMMENTED if client == "vscode" else {})
        for name in files:
            yield pytest.param(client, files[name], id=f"{client}, {name}")


@pytest.mark.parametrize("entry", [STDIO, HTTP], ids=["stdio", "http"])
@pytest.mark.parametrize(("client", "text"), list(cases()))
def test_a_server_is_put_in_and_taken_out_byte_for_byte(tmp_path, client, text, entry):
    path = tmp_path / "config"
    path.write_bytes(text.encode())
    file = ClientFile(client, path, "clinic")
    done = file.write(entry)
    assert done.changed
    assert done.backup.read_bytes() == text.encode()
    before, after = read(client, text), read(client, path.read_bytes().decode())
    table = TABLES[client]
    assert after == {**before, table: {**before.get(table, {}), "clinic": entry}}
    assert not file.write(entry).changed
    assert file.undo().changed
    assert path.read_bytes() == text.encode()
    assert os.listdir(tmp_path) == ["config"]


@pytest.mark.parametrize("client", TABLES)
def test_a_file_that_was_not_there_is_made_with_its_folders_and_removed_with_them(tmp_path, client):
    path = tmp_path / "a" / "b" / "config"
    file = ClientFile(client, path, "clinic")
    file.write(STDIO)
    assert read(client, path.read_text()) == {TABLES[client]: {"clinic": STDIO}}
    file.write(HTTP)
    assert read(client, path.read_text()) == {TABLES[client]: {"clinic": HTTP}}
    file.undo()
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("client", TABLES)
def test_what_changed_since_is_kept_when_the_server_is_written_again_or_taken_out(tmp_path, client):
    path = tmp_path / "config"
    path.write_text("" if client == "codex" else "{}")
    first, second = ClientFile(client, path, "clinic"), ClientFile(client, path, "wards")
    first.write(STDIO)
    second.write(HTTP)
    first.write(HTTP)
    assert read(client, path.read_text())[TABLES[client]] == {"clinic": HTTP, "wards": HTTP}
    first.undo()
    assert read(client, path.read_text()) == {TABLES[client]: {"wards": HTTP}}
    second.undo()
    assert read(client, path.read_text()) in ({}, {TABLES[client]: {}})


def test_a_file_that_the_client_laid_out_anew_loses_the_server_alone(tmp_path):
    path = tmp_path / "config"
    path.write_text('{"theme": "dark"}')
    file = ClientFile("claude-desktop", path, "clinic")
    file.write(STDIO)
    now = json.loads(path.read_text()) | {"theme": "light", "mcpServers": {"clinic": STDIO, "other": {"command": "x"}}}
    path.write_text(json.dumps(now, indent=7))
    file.undo()
    assert json.loads(path.read_text()) == {"theme": "light", "mcpServers": {"other": {"command": "x"}}}
    assert os.listdir(tmp_path) == ["config"]


@pytest.mark.parametrize(("client", "text"), [(client, text) for client, texts in REFUSED.items() for text in texts])
def test_what_is_not_understood_is_refused_in_one_sentence_and_not_touched(tmp_path, client, text):
    path = tmp_path / "config"
    path.write_bytes(text.encode())
    refused(ClientFile(client, path, "clinic"), tmp_path, text.encode())


def refused(file, folder, content):
    with pytest.raises(UserError) as caught:
        file.write(STDIO)
    assert str(caught.value).startswith(f"{folder / 'config'}: expected ")
    assert "\n" not in str(caught.value)
    assert (folder / "config").read_bytes() == content
    assert os.listdir(folder) == ["config"]


def test_bytes_that_are_no_text_and_servers_of_others_are_not_touched(tmp_path):
    path = tmp_path / "config"
    for content in (b"\xff\xfe{}", b'{"mcpServers": {"clinic": {"command": "theirs"}}}', b'{"mcpServers": {"clinic": null}}'):
        path.write_bytes(content)
        refused(ClientFile("cursor", path, "clinic"), tmp_path, content)
    with pytest.raises(UserError, match="expected a server clinic that `envfarm connect --write` put there, got none"):
        ClientFile("cursor", path, "clinic").undo()


def test_a_folder_in_place_of_the_file_is_refused(tmp_path):
    (tmp_path / "config").mkdir()
    with pytest.raises(UserError, match="expected a file, got something else"):
        ClientFile("cursor", tmp_path / "config", "clinic").write(STDIO)


def test_a_link_stays_a_link_and_the_rights_of_the_file_stay(tmp_path):
    real = tmp_path / "real"
    real.mkdir()
    (real / "config").write_text("{}")
    (real / "config").chmod(0o600)
    link = tmp_path / "config"
    link.symlink_to(real / "config")
    file = ClientFile("cursor", link, "clinic")
    backup = file.write(STDIO).backup
    assert link.is_symlink()
    assert [(real / "config").stat().st_mode & 0o777, backup.stat().st_mode & 0o777] == [0o600, 0o600]
    file.undo()
    assert link.is_symlink()
    assert (real / "config").read_text() == "{}"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2),
    max_leaves=6,
)


@given(
    st.dictionaries(st.text(max_size=4), VALUES, max_size=3),
    st.none() | st.dictionaries(st.text(max_size=4), VALUES, max_size=3),
    st.sampled_from([None, 0, 1, 4, "\t"]),
    st.booleans(),
)
def test_any_json_is_the_same_but_for_the_server_and_the_same_again_without_it(settings, servers, indent, ascii):
    value = settings if servers is None else {**settings, "mcpServers": servers}
    text = json.dumps(value, indent=indent, ensure_ascii=ascii)
    put = Document("claude-desktop", text, "file").put("a server", STDIO)
    assert json.loads(put) == {**value, "mcpServers": {**(servers or {}), "a server": STDIO}}
    taken = Document("claude-desktop", put, "file").take("a server", with_table=servers is None)
    assert json.loads(taken) == value
