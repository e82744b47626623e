"""Codex finds the tools of a configured environment, without network and without an account."""

import json
import subprocess

import pytest

from tests.wire.conftest import RUN_SECONDS, bare_variables


@pytest.fixture
def status(programs, tmp_path):
    """What Codex's app server says of the servers in a `config.toml`, by name."""

    def ask(config):
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


def toml(name, entry):
    """The table of one server in Codex's file."""
    lines = [f"[mcp_servers.{name}]", "startup_timeout_sec = 60"]
    lines += [f"{key} = {json.dumps(entry[key])}" for key in ("url", "command", "args") if key in entry]
    lines += [f"[mcp_servers.{name}.env]", *(f"{key} = {json.dumps(value)}" for key, value in entry.get("env", {}).items())] if "env" in entry else []
    return "\n".join(lines) + "\n"


def test_every_environment_shows_its_tools_over_http_and_stdio(status, all_servers):
    found = status("\n".join(toml(name, entry) for name, entry in all_servers.items()))
    assert set(found) == set(all_servers)
    for name, one in found.items():
        assert one["toolsError"] is None, (name, one["toolsError"])
        assert "submit_answer" in one["tools"], name
        assert one["serverInfo"]["name"].startswith(name.removesuffix("_http").removesuffix("_stdio"))
