"""Raw JSON-RPC to a process on stdin and stdout."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODERN = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}


def variables(home, **more):
    return {"PYTHONPATH": str(ROOT), "ENVFARM_HOME": str(home), "PYTHONUNBUFFERED": "1", **more}


def command(*words):
    return [sys.executable, "-m", "server.cli.main", *words]


def modern(id, method, **params):
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": {**params, "_meta": MODERN}}


def modern_headers(message):
    """The headers that go with a message of the newest protocol."""
    name = message["params"].get("name")
    return {"mcp-protocol-version": "2026-07-28", "mcp-method": message["method"], **({"mcp-name": name} if name else {})}


def legacy(id, method, **params):
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def initialize(id=1, version="2025-06-18"):
    return legacy(id, "initialize", protocolVersion=version, capabilities={}, clientInfo={"name": "test", "version": "1"})


INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def add_note(id, text, owner="OWN-1"):
    return legacy(id, "tools/call", name="add_note", arguments={"owner_id": owner, "text": text})


def talk(words, home, lines, **more):
    """Gives all lines at once, as a file; the finished process and what it answered."""
    text = "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines)
    path = Path(home) / "input.jsonl"
    path.write_text(text, encoding="utf-8")
    with path.open() as source:
        done = subprocess.run(command(*words), stdin=source, capture_output=True, text=True, timeout=60, env=variables(home, **more), check=False)
    return done, [json.loads(line) for line in done.stdout.splitlines()]
