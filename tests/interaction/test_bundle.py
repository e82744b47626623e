"""`envfarm bundle`: what Claude Desktop would unpack and start plays, on a machine that has nothing of envfarm."""

import contextlib
import io
import json
import re
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters

from server.cli.main import main


@pytest.fixture
def bundled(home, monkeypatch, tmp_path_factory):
    """Makes a bundle; gives the file."""
    monkeypatch.setenv("ENVFARM_HOME", str(home))
    monkeypatch.chdir(tmp_path_factory.mktemp("work"))

    def run(*words):
        out, err = io.StringIO(), io.StringIO()
        monkeypatch.setattr(sys, "argv", ["envfarm", "bundle", "small", *words, "--json"])
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == 0, err.getvalue()
        return json.loads(out.getvalue())["file"]

    return run


@pytest.mark.parametrize("episode", ["", "desk"])
async def test_a_bundle_starts_where_it_is_unpacked(bundled, tmp_path_factory, episode):
    folder = tmp_path_factory.mktemp("a folder")
    with zipfile.ZipFile(bundled(*(["--episode", episode] if episode else []))) as archive:
        archive.extractall(folder)
    server = json.loads((folder / "manifest.json").read_text())["server"]["mcp_config"]
    words = [one.replace("${__dirname}", str(folder)) for one in server["args"]]
    assert (server["command"], words[:4]) == ("uv", ["run", "--directory", str(folder), "python"])
    variables = {name: value.replace("${__dirname}", str(folder)) for name, value in server["env"].items()}
    for expected in ("OWN-1-N2", "OWN-1-N3" if episode else "OWN-1-N2"):
        process = StdioServerParameters(command=sys.executable, args=words[4:], env=variables, cwd=str(folder))
        async with Client(process) as client:
            assert (await client.call_tool("add_note", {"owner_id": "OWN-1", "text": "x"})).structured_content["id"] == expected


def test_a_bundle_is_a_function_of_its_content_and_has_no_gold(bundled, tmp_path_factory):
    first, second = tmp_path_factory.mktemp("one"), tmp_path_factory.mktemp("two")
    files = [bundled("--out", str(folder)) for folder in (first, second)]
    contents = [Path(file).read_bytes() for file in files]
    assert contents[0] == contents[1]
    assert files[0].endswith("/small.mcpb")
    with zipfile.ZipFile(files[0]) as archive:
        names = archive.namelist()
    assert "home/environments/small/tools.py" in names
    assert not [one for one in names if re.search(r"sidecar/|/score|/packs|players|token(?!s?\.py)|\.pyc", one)]


def test_a_bundle_brings_what_the_code_needs_for_every_system(bundled):
    with zipfile.ZipFile(bundled()) as archive:
        project = tomllib.loads(archive.read("pyproject.toml").decode())
        manifest = json.loads(archive.read("manifest.json"))
    needed = {re.split(r"[<>=;\[ ]", one)[0]: one for one in project["project"]["dependencies"]}
    assert {"mcp", "apsw", "orjson", "typer"} <= needed.keys()
    assert "sys_platform" in needed["uvloop"]
    assert manifest["compatibility"]["platforms"] == ["darwin", "linux", "win32"]
    assert [one["name"] for one in manifest["tools"]][:1] == ["search_owners"]
