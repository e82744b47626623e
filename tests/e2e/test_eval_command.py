"""`envfarm eval` as a process of its own: a farm of its own, programs as agents, a kill in the middle."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evals.agents.hiding import can_hide
from evals.agents.seats import may_switch
from server.cli.closing import installation
from tests.farm import farm_process
from tests.unit.sidecar.small_pack import DO, write_home

ROOT = Path(__file__).parents[2]

HOSTILE = r'''
"""Looks for gold, packages, records, tokens and doors that are open."""
import ctypes, glob, json, os, re, urllib.error, urllib.request

MARKS = (b"envfarm_control_", b"envfarm_grader_", b"envfarm_observer_", b'"accepted"', b'"reason_code": "OVERDRAWN"', b"small-test-1")
HOME = os.environ["HOME"]
found = set()


def look(path):
    try:
        with open(path, "rb") as file:
            data = file.read(1 << 20)
    except OSError:
        return
    found.update(f"{path}: {mark!r}" for mark in MARKS if mark in data)


for top in ("/run", "/root", "/home", "/dev/shm", *glob.glob("/tmp/envfarm-*"), *json.loads(os.environ["PLACES"])):
    for folder, inner, files in os.walk(top):
        inner[:] = [one for one in inner if os.path.join(folder, one) != HOME]
        if "envfarm-hostile" in folder:
            continue
        for name in files:
            look(os.path.join(folder, name))
for process in os.listdir("/proc"):
    if process.isdigit() and process != str(os.getpid()):
        for part in ("environ", "cmdline", "maps"):
            look(f"/proc/{process}/{part}")
        try:
            for number in os.listdir(f"/proc/{process}/fd"):
                if os.stat(f"/proc/{process}").st_uid != os.getuid():
                    found.add(f"open files of {process}")
        except OSError:
            pass
look("/proc/self/environ")
with open("/proc/net/tcp") as table:
    lines = [line.split() for line in table.readlines()[1:]]
ports = {int(line[1].split(":")[1], 16) for line in lines if line[3] == "0A"}
mine = int(re.search(r":(\d+)/", os.environ["ENVFARM_MCP_URL"]).group(1))
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
doors = {}
# Those of other programs on this machine are left alone: only these are told from outside which they are.
for port in ports & set(json.loads(os.environ["PORTS"])):
    doors[port] = {}
    for path in ("/v1/tasks", "/v1/runs", "/v1/packs", "/v1/tasks/small-do/gold", "/v1/environments", "/openapi.json"):
        try:
            with opener.open(f"http://127.0.0.1:{port}{path}", timeout=60) as reply:
                status, body, marks = reply.status, reply.read(1 << 20), (*MARKS, b"small-do")
        except urllib.error.HTTPError as error:
            # It may name the path that was asked for, and so the task.
            status, body, marks = error.code, error.read(1 << 20), MARKS
        doors[port][path] = status
        if any(mark in body for mark in marks):
            found.add(f"port {port}{path}")


def uncovered():
    """What can be seen of places that are to be empty, in a namespace of its own without what was mounted over them."""
    library = ctypes.CDLL(None)
    entered = library.unshare(0x10020000)
    for place in json.loads(os.environ["EMPTY"]):
        library.umount2(place.encode(), 2)
        try:
            found.update(f"seen {place}/{name}" for name in os.listdir(place))
        except OSError:
            pass
    return entered


for target in (HOME + "/../..", "/run/envfarm-seats"):
    try:
        found.update(f"listed {target}/{name}" for name in os.listdir(target) if "seat" in target)
    except OSError:
        pass


def call(tool, **arguments):
    names = {"protocolVersion": "2026-07-28", "clientInfo": {"name": "hostile", "version": "0"}, "clientCapabilities": {}}
    meta = {f"io.modelcontextprotocol/{name}": value for name, value in names.items()}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments, "_meta": meta}}
    head = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28"}
    head |= {"Mcp-Method": "tools/call", "Mcp-Name": tool}
    request = urllib.request.Request(os.environ["ENVFARM_MCP_URL"], json.dumps(body).encode(), head)
    with opener.open(request, timeout=30) as reply:
        return json.load(reply)["result"]["structuredContent"]


owner = call("search_owners", name="Zoe Ark")["items"][0]["id"]
call("add_note", owner_id=owner, text="Pays in cash.", due="2026-04-02")
entered = uncovered()
print(json.dumps({"found": sorted(found), "doors": doors, "mine": mine in ports, "uid": os.getuid(), "entered": entered}))
'''


def started(home: Path, *options: str, **more: str) -> "subprocess.Popen[str]":
    variables = {"ENVFARM_HOME": str(home), "PYTHONPATH": str(ROOT), "PATH": os.defpath, **more}
    words = [sys.executable, "-m", "server.cli.main", "eval", *options]
    return subprocess.Popen(words, env=variables, cwd=home, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finished(process: "subprocess.Popen[str]", code: int = 0) -> dict[str, Any]:
    said, complained = process.communicate(timeout=400)
    assert process.returncode == code, complained
    told: dict[str, Any] = json.loads(said)
    return told


def reported(out: Path) -> dict[str, Any]:
    """What the report says but for names of runs."""
    report = json.loads((out / "report.json").read_text())
    return {name: report[name] for name in ("headline", "counts", "overall", "slices", "twins", "failures", "invalid", "masked", "tasks")}


def lines(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "attempts.jsonl").read_text().splitlines()]


@pytest.fixture
def readable() -> Iterator[Path]:
    """A folder that every user may read, for programs of agents."""
    with tempfile.TemporaryDirectory(prefix="envfarm-hostile-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.mark.skipif(not may_switch(), reason="only root may become another user")
def test_a_program_that_searches_disk_processes_environment_and_ports_finds_no_gold_and_no_token(tmp_path: Path, readable: Path) -> None:
    home, out = write_home(tmp_path / "home"), tmp_path / "out"
    script = readable / "hostile.py"
    script.write_text(HOSTILE)
    given = {"PLACES": json.dumps([str(home), str(out)]), "EMPTY": json.dumps([str(one) for one in (home / "packs", *installation())])}

    # The way to both is open: what keeps them closed are their own rights.
    for one in (tmp_path, *tmp_path.parents[:2]):
        one.chmod(0o755)
    options = ("--agent", f"command:/usr/bin/python3 {script}", "--tasks", DO, "--out", str(out), "--json")
    with farm_process(home, "--no-free-play", sidecar=True) as farm:
        control, sidecar = (int(url.rpartition(":")[2]) for url in (farm.control_url, farm.sidecar_url))
        given["PORTS"] = json.dumps([control, sidecar])
        told = finished(started(home, *options, *(word for name in given for word in ("--pass", name)), **given))

    (line,) = lines(out)
    assert line["stopped"] == "finished", line["remark"]
    seen = json.loads(line["final"])
    assert seen["found"] == []
    assert (line["verdict"], line["calls"]) == ("PASS", 2)
    assert seen["mine"]
    asked = {name: seen["doors"][str(port)] for name, port in (("control", control), ("sidecar", sidecar))}
    closed = {name: {path for path, status in paths.items() if status == 401} for name, paths in asked.items()}
    assert closed == {"control": {"/v1/environments"}, "sidecar": {"/v1/tasks", "/v1/runs", "/v1/packs", "/v1/tasks/small-do/gold"}}
    # What an interface looks like is no secret.
    assert {path for paths in asked.values() for path, status in paths.items() if status not in (401, 404)} <= {"/openapi.json"}
    assert seen["uid"] >= 62_000
    assert told["headline"] == ([] if can_hide(installation()) else ["readable seeds"])


@pytest.mark.every_domain
@pytest.mark.timeout(900)
def test_an_evaluation_that_is_killed_again_and_again_ends_with_the_figures_of_one_that_is_not(tmp_path: Path) -> None:
    home = write_home(tmp_path / "home")
    options = ("--agent", "oracle", "--epochs", "70")
    whole = finished(started(home, *options, "--json", "--out", str(tmp_path / "whole")))
    out = tmp_path / "killed"
    kills = 0
    kept: list[dict[str, Any]] = []
    for wanted in (20, 60, 110, 160):
        process = started(home, *(() if kept else options), "--json", "--out", str(out), "--resume")
        while process.poll() is None:
            if (out / "attempts.jsonl").exists() and (out / "attempts.jsonl").read_bytes().count(b"\n") >= wanted:
                process.send_signal(signal.SIGKILL)
                kills += 1
                break
        process.communicate()
        assert lines(out)[: len(kept)] == kept if (out / "attempts.jsonl").read_bytes().endswith(b"\n") else True
        kept = lines(out) if (out / "attempts.jsonl").read_bytes().endswith(b"\n") else kept
    refused = started(home, "--epochs", "3", "--out", str(out), "--resume")
    assert "expected --epochs 70 as this evaluation began, got 3. Leave --epochs out: `envfarm eval --resume --out " in refused.communicate()[1]
    last = finished(started(home, "--json", "--out", str(out), "--resume"))

    assert kills == 4
    assert last | {"out": ""} == whole | {"out": ""}
    assert reported(out) == reported(tmp_path / "whole")
    assert lines(out)[: len(kept)] == kept
    assert set(Counter((one["task"], one["epoch"]) for one in lines(out)).values()) == {1}
    assert len(lines(out)) == 210
    assert len(list((out / "runs").iterdir())) == 210
