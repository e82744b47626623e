"""Where each client's file is, on each system."""

from pathlib import Path

import pytest

from server.cli.client_files import Places, client_file
from server.errors import UserError


def places(root, system):
    return Places(system=system, user=root, config=root / "config", local=root / "local", codex=root / ".codex", project=root / "project")


@pytest.mark.parametrize("system", ["darwin", "linux", "win32"])
@pytest.mark.parametrize(
    ("client", "file"),
    [
        ("claude-desktop", "config/Claude/claude_desktop_config.json"),
        ("claude-code", "project/.mcp.json"),
        ("cursor", ".cursor/mcp.json"),
        ("vscode", "project/.vscode/mcp.json"),
        ("codex", ".codex/config.toml"),
    ],
)
def test_each_client_has_its_file(tmp_path, client, file, system):
    assert client_file(client, places(tmp_path, system)) == tmp_path / file


def packaged(root, name):
    folder = root / "local" / "Packages" / name / "LocalCache" / "Roaming" / "Claude"
    folder.mkdir(parents=True)
    return folder / "claude_desktop_config.json"


def test_a_packaged_claude_desktop_on_windows_has_its_own_place(tmp_path):
    file = packaged(tmp_path, "Claude_abc")
    assert client_file("claude-desktop", places(tmp_path, "win32")) == file
    assert client_file("claude-desktop", places(tmp_path, "darwin")) == tmp_path / "config" / "Claude" / "claude_desktop_config.json"


def test_of_several_packages_the_one_in_use_is_taken_and_two_are_refused(tmp_path):
    files = [packaged(tmp_path, f"Claude_{letter}") for letter in "ab"]
    with pytest.raises(UserError, match="expected one Claude Desktop, got 2"):
        client_file("claude-desktop", places(tmp_path, "win32"))
    files[1].write_text("{}")
    assert client_file("claude-desktop", places(tmp_path, "win32")) == files[1]
    files[0].write_text("{}")
    with pytest.raises(UserError, match="Name the file with --file"):
        client_file("claude-desktop", places(tmp_path, "win32"))


def test_the_folders_of_this_user_are_absolute():
    from server.cli.client_files import places_here

    found = places_here(None)
    assert all(one.is_absolute() for one in (found.user, found.config, found.local, found.codex, found.project))
    assert found.codex == Path.home() / ".codex"
    assert places_here(Path("/elsewhere")).codex == Path("/elsewhere")
