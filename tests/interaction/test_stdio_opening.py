"""The opening of a stdio connection, answered without the SDK, against the SDK's own answers."""

import asyncio
import json
import os
import subprocess
import sys

import pytest

from registry.catalogue import open_folder
from registry.episode import LocalEpisode
from server.agent.mcp_server import Plane, make_server
from server.agent.menu import Menus
from server.agent.opening import Opening, Unknown
from server.agent.solo import Solo
from server.agent.stdio import serve_stdio
from tests.unit.registry.small_package import write_package

CLIENT = {"name": "client", "version": "1"}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}
CALLS = [
    ("rename_owner", {"owner_id": "OWN-1", "name": "Zoë \U0001f600 \x7f"}),
    ("add_credit", {"owner_id": "OWN-1", "amount": 12.5}),
    ("add_credit", {"owner_id": "OWN-1", "amount": -9999}),
    ("rename_owner", {"owner_id": "OWN-9", "name": "x"}),
    ("rename_owner", {"owner": 3}),
    ("no_such_tool", {}),
    ("search_owners", {}),
    ("submit_answer", {"outcome": "done"}),
]


def hello(version: str, **more) -> dict:
    return {
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {"protocolVersion": version, "capabilities": {"roots": {"listChanged": True}}, "clientInfo": CLIENT, **more},
    }


def ask(number: int | str, method: str, params: dict | None = None) -> dict:
    return {"jsonrpc": "2.0", "id": number, "method": method} | ({} if params is None else {"params": params})


def script(version: str) -> list[bytes]:
    lists = [ask(f"l{n}", method) for n, method in enumerate(("ping", "tools/list", "resources/list", "resources/templates/list", "prompts/list"))]
    calls = [ask(n, "tools/call", {"name": name, "arguments": arguments}) for n, (name, arguments) in enumerate(CALLS, start=1)]
    more = [ask(90, "tools/list", {"_meta": {"progressToken": 1}}), ask(91, "tools/call", {"name": "search_owners"}), ask(92, "tools/list", {})]
    return [json.dumps(one).encode() for one in (hello(version), READY, *lists, *calls, *more)]


@pytest.fixture
def table(tmp_path):
    environment = open_folder(write_package(tmp_path / "environments"))

    def fresh() -> Solo:
        return Solo(LocalEpisode(environment, call_limit=0, free_play=True), environment, "stdio")

    return fresh


async def early(solo: Solo, lines: list[bytes]) -> list:
    opening = Opening(solo, solo.seat)
    return [json.loads(answer) for line in lines if (answer := await opening.answer(line))]


def whole(descriptor: int) -> bytes:
    with open(descriptor, "rb") as file:
        return file.read()


async def through_sdk(solo: Solo, lines: list[bytes]) -> list:
    async def given():
        for line in lines:
            yield line

    reader, writer = os.pipe()
    answered = asyncio.create_task(asyncio.to_thread(whole, reader))
    await serve_stdio(make_server(Plane(engine=solo, menus=Menus(), fixed=solo.seat)), out=writer, lines=given())
    os.close(writer)
    return [json.loads(line) for line in (await answered).splitlines()]


@pytest.mark.parametrize("version", ["2025-06-18", "2025-11-25"])
async def test_the_opening_says_what_the_sdk_says(table, version):
    expected = await through_sdk(table(), script(version))
    assert await early(table(), script(version)) == sorted(
        expected, key=lambda one: [json.loads(x).get("id") for x in script(version)].index(one["id"])
    )


UNUSUAL = [
    ask(1, "tools/list", {"cursor": "x"}),
    ask(1, "tools/list", {"_meta": {"other": 1}}),
    ask(1, "tools/call", {"name": "search_owners", "arguments": None}),
    ask(1, "tools/call", {"name": "ask_user", "arguments": {}}),
    ask(1, "tools/call", {"name": "add_credit", "arguments": {"owner_id": "OWN-1", "amount": 12345678901234567890}}),
    ask(1, "resources/read", {"uri": "env://policy"}),
    ask(1, "initialize", {}),
    {"jsonrpc": "1.0", "id": 1, "method": "ping"},
    {"jsonrpc": "2.0", "id": 1.5, "method": "ping"},
    {"jsonrpc": "2.0", "id": True, "method": "ping"},
    {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 0}},
    [ask(1, "ping")],
]


@pytest.mark.parametrize("message", UNUSUAL, ids=lambda one: json.dumps(one)[:60])
async def test_whatever_is_unusual_is_left_to_the_sdk(table, message):
    solo = table()
    opening = Opening(solo, solo.seat)
    for line in script("2025-06-18")[:2]:
        await opening.answer(line)
    with pytest.raises(Unknown):
        await opening.answer(json.dumps(message).encode())


@pytest.mark.parametrize(
    "first",
    [ask(1, "ping"), READY, hello("2024-11-05"), hello("2025-06-18", extra=1), hello("2025-06-18", clientInfo={"name": "x"}), hello("2026-07-28")],
    ids=lambda one: json.dumps(one)[:90],
)
async def test_another_greeting_is_left_to_the_sdk(table, first):
    solo = table()
    with pytest.raises(Unknown):
        await Opening(solo, solo.seat).answer(json.dumps(first).encode())


def test_the_sdk_takes_over_in_the_middle_and_knows_what_was_said(tmp_path):
    write_package(tmp_path / "environments")
    lines = script("2025-06-18")
    middle = [ask(70, "resources/read", {"uri": "env://policy"}), ask(71, "tools/call", {"name": "search_owners", "arguments": {}})]
    sent = [*lines[:9], *(json.dumps(one).encode() for one in middle), *lines[9:11]]
    ran = subprocess.run(
        [sys.executable, "-m", "server.cli.main", "stdio", "small"],
        input=b"\n".join(sent) + b"\n",
        capture_output=True,
        env={"ENVFARM_HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path), "PATH": "/usr/bin:/bin"},
        timeout=120,
        check=True,
    )
    answers = [json.loads(line) for line in ran.stdout.splitlines()]
    assert sorted(str(one["id"]) for one in answers) == sorted(str(json.loads(line)["id"]) for line in sent if b'"id"' in line)
    assert not [one for one in answers if "error" in one]
    renamed = next(one for one in answers if one["id"] == 71)["result"]["structuredContent"]["items"][0]
    assert renamed["name"].startswith("Zoë")


def test_a_plain_client_never_has_the_sdk_imported(tmp_path):
    write_package(tmp_path / "environments")
    program = (
        "import sys, os\nsys.argv = ['envfarm', 'stdio', 'small']\nended = os._exit\n"
        "os._exit = lambda code: (sys.stderr.write('SDK' if 'mcp' in sys.modules else 'plain'), sys.stderr.flush(), ended(code))\n"
        "from server.cli.main import main\nmain()\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program],
        input=b"\n".join(script("2025-11-25")) + b"\n",
        capture_output=True,
        env={"ENVFARM_HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path), "PATH": "/usr/bin:/bin"},
        timeout=120,
        check=True,
    )
    assert ran.stderr.endswith(b"plain")
