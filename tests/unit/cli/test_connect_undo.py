"""`envfarm connect --undo` says what it did."""

from pathlib import Path

from server.cli.client_write import ClientFile
from tests.typed import typed


def test_what_was_taken_out_is_not_said_to_be_written(tmp_path: Path) -> None:
    file = tmp_path / ".mcp.json"
    file.write_text("{}")
    ClientFile("claude-code", file, "clinic").write({"type": "http", "url": "http://127.0.0.1:8800/env/clinic/mcp"})
    words = ("connect", "clinic", "--client", "claude-code", "--undo", "--file", str(file))

    done = typed(tmp_path, *words)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{file}: taken out.\n", "")
    assert file.read_text() == "{}"
