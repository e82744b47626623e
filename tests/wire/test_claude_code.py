"""Claude Code connects with what `envfarm connect` prints, without network and without an account."""

import json

import pytest


@pytest.fixture
def project(tmp_path):
    """A folder that its user trusts, as after the first start of Claude Code there."""
    folder, settings = tmp_path / "project", tmp_path / "settings"
    (folder / ".claude").mkdir(parents=True)
    settings.mkdir()
    (folder / ".claude" / "settings.local.json").write_text(json.dumps({"enableAllProjectMcpServers": True}))
    trusted = {"hasCompletedOnboarding": True, "projects": {str(folder): {"hasTrustDialogAccepted": True}}}
    (settings / ".claude.json").write_text(json.dumps(trusted))
    return folder


@pytest.fixture
def listed(programs, run, project):
    """The lines of `claude mcp list` for a `.mcp.json`, by the server's name; for the one that is there when none is given."""

    def look(text=None):
        if text is not None:
            (project / ".mcp.json").write_text(text)
        done = run(*programs.claude, "mcp", "list", cwd=project, CLAUDE_CONFIG_DIR=str(project.parent / "settings"), MCP_TIMEOUT="60000")
        assert done.returncode == 0, done.stderr
        return dict(line.split(": ", 1) for line in done.stdout.splitlines() if ": " in line)

    return look


@pytest.mark.parametrize("way", [(), ("--stdio",)], ids=["http", "stdio"])
def test_the_printed_configuration_connects(listed, printed, way):
    lines = listed(printed("vet_clinic", "--client", "claude-code", *way))
    assert list(lines) == ["vet_clinic"]
    assert lines["vet_clinic"].endswith("✔ Connected")


def test_an_address_without_an_episode_does_not_connect(listed, farm):
    """That `Connected` above means something."""
    lines = listed(json.dumps({"mcpServers": {"nothing": {"type": "http", "url": farm.mcp("no_such_environment")}}}))
    assert "Connected" not in lines["nothing"]


def test_what_is_written_beside_other_servers_connects_and_is_taken_out_again(listed, written, project):
    theirs = json.dumps({"mcpServers": {"theirs": {"type": "stdio", "command": "/nowhere", "args": []}}}, indent=4)
    file = project / ".mcp.json"
    file.write_text(theirs)
    undo = written(file, "vet_clinic", "--client", "claude-code")
    lines = listed()
    assert lines["vet_clinic"].endswith("✔ Connected")
    assert "Connected" not in lines["theirs"]
    undo()
    assert file.read_text() == theirs
