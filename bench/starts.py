"""What the start of a command costs."""

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from bench.cpu import own_cpu
from bench.figures import Figure, at_most
from bench.processes import ROOT
from bench.work import ENVIRONMENT

OPENING = (
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}},
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
)
"""What a client says first."""


def start_figures(home: Path, rounds: int) -> Iterator[Figure]:
    """CPU seconds from the command to its end."""
    spoken = "".join(f"{json.dumps(one)}\n" for one in OPENING)
    yield at_most("envfarm stdio: start, greeting, list of tools", _median(home, ("stdio", ENVIRONMENT), spoken, rounds), "CPU s", 0.6)
    yield at_most("envfarm --help", _median(home, ("--help",), "", rounds), "CPU s", 0.6)


def _median(home: Path, command: tuple[str, ...], spoken: str, rounds: int) -> float:
    found = []
    for _ in range(rounds):
        before = own_cpu()
        subprocess.run(
            [sys.executable, "-m", "server.cli.main", *command],
            input=spoken,
            cwd=ROOT,
            env={"PYTHONPATH": str(ROOT), "ENVFARM_HOME": str(home), "PATH": os.defpath},
            capture_output=True,
            text=True,
            check=True,
        )
        found.append(own_cpu() - before)
    return statistics.median(found)
