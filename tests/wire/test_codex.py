"""Codex finds the tools of a configured environment, without network and without an account."""

import json
import subprocess

import pytest

from tests.wire.conftest import RUN_SECONDS, bare_variables


@pytest.fixture
def status(programs, tmp_path):
    """What Codex's app server says of the servers in a `config.toml`, by name; in the one that is there when none is given."""

    def ask(config=None):
        if config is not None:
            (tmp_path / "config.toml").write_text(config)
        process = subprocess.Popen(
            [*programs.codex, "app-server"],
            cwd=tmp_path,
            env=bare_variables(tmp_path, CODEX_HOME=str(tmp_path)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        with process:
            answer(process, 1, "initialize", {"clientInfo": {"name": "wire", "title": "wire", "version": "1"}})
            say(process, {"method": "initialized"})
            found = answer(process, 2, "mcpServerStatus/list", {})
            process.stdin.close()
            process.terminate()
            process.wait(RUN_SECONDS)
        return {one["name"]: one for one in found["data"]}

    return ask


def say(process, message):
    process.stdin.write(json.dumps(message) + "\n")
    process.stdin.flush()


def answer(process, number, method, params):
    say(process, {"id": number, "method": method, "params": params})
    for line in process.stdout:
        message = json.loads(line)
        if message.get("id") == number:
            return message["result"]
    raise AssertionError(f"Codex ended before it answered {method}")


def test_every_environment_shows_its_tools_over_http_and_stdio(status, environments, printed):
    config = ""
    for environment in environments:
        url, stdio = printed(environment, "--client", "codex"), printed(environment, "--client", "codex", "--stdio")
        config += url + stdio.replace("[mcp_servers.", "[mcp_servers.own_").replace("command =", "startup_timeout_sec = 60\ncommand =", 1)
    found = status(config)
    assert len(found) == 2 * len(environments)
    for name, one in found.items():
        assert one["toolsError"] is None, (name, one["toolsError"])
        assert "submit_answer" in one["tools"], name
        assert one["serverInfo"]["name"].startswith(name.removeprefix("own_"))


def test_what_is_written_beside_other_servers_is_read_and_taken_out_again(status, written, tmp_path):
    theirs = '# mine\n[mcp_servers.theirs]\ncommand = "/nowhere"\nenabled = false'
    file = tmp_path / "config.toml"
    file.write_text(theirs)
    undo = written(file, "vet_clinic", "--client", "codex", "--stdio", "--episode", "codex")
    assert "submit_answer" in status()["vet_clinic"]["tools"]
    undo()
    assert file.read_text() == theirs
