"""Faults that other MCP servers are known for, each with the test that shows that the farm does right; some of these tests are here."""

import asyncio
import json
import re
import signal
import subprocess
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from mcp import Client, types

from registry.dispatch.harness import harness_tools
from registry.package.digest import file_digest
from server.agent.front import Front, Limits
from server.agent.guard import Guard
from server.agent.mcp_server import Plane, make_server
from server.agent.menu import Menus
from server.listen import address, bind
from server.listen import make_server as http_server
from server.listen import served as serving
from synth.compile.package import compile_package
from tests.farm import farm_here
from tests.interaction.doors import doors
from tests.interaction.wire_lines import INITIALIZED, command, initialize, legacy, modern, modern_headers, variables
from tests.made_once import domain_of
from tests.seeds import ALL
from tests.unit.registry.small_package import write_package

ROOT = Path(__file__).resolve().parents[2]
JSON = {"content-type": "application/json", "accept": "application/json, text/event-stream"}

HERE, PLANE, STDIO, FARM = (f"interaction/test_{name}.py" for name in ("known_faults", "agent_plane", "stdio_wire", "farm_process"))

FAULTS = {
    1: ("connectors that never echo their session id", PLANE, "a_client_that_loses_its_session_id_on_every_call_keeps_its_episode"),
    2: ("sessions that leak", HERE, "sessions_that_ended_or_never_opened_take_no_room"),
    3: ("state lost by a restart", FARM, "episodes_survive_a_restart_commands_find_the_farm_and_a_second_one_is_refused"),
    4: ("processes that outlive their parent", STDIO, "a_killed_parent_does_not_leave_the_process_behind"),
    5: ("replies lost at the end of input", STDIO, "everything_that_was_read_is_answered_before_the_end_of_input_ends_the_process"),
    6: ("an abort of the interpreter at Ctrl-C", HERE, "ctrl_c_ends_a_process_on_stdio_at_once_and_quietly"),
    7: ("output that is no message on stdout", STDIO, "prints_of_imported_code_and_of_children_never_reach_the_wire"),
    8: ("mounted applications that are never started", HERE, "an_environment_that_is_built_while_the_farm_serves_is_served_at_once_at_every_door"),
    9: ("redirects that lose the body", PLANE, "both_spellings_are_served_in_both_eras_and_never_redirected"),
    10: ("wrong SSE address behind a prefix", PLANE, "behind_a_proxy_with_a_prefix_addresses_work_whether_it_takes_the_prefix_away_or_not"),
    11: ("hosts without port refused", PLANE, "a_configured_host_without_port_is_served"),
    12: ("crashes when a client vanishes", PLANE, "a_client_that_vanishes_during_a_call_does_not_undo_it"),
    13: ("shutdown that hangs on open streams", FARM, "shutdown_is_orderly_with_every_kind_of_stream_and_connection_open"),
    14: ("pages that clients do not turn", "interaction/test_every_door.py", "a_client_plays_refusals_and_errors_included"),
    15: ("names that are too long for models", "unit/cli/test_client_config.py", "a_servers_name_leaves_room_for_the_longest_name_of_a_tool"),
    16: ("schemas that are not portable", HERE, "schemas_of_the_seeds_that_ship_are_flat_and_few"),
    17: ("structured content beside errors", "interaction/test_every_door.py", "a_client_plays_refusals_and_errors_included"),
    18: ("results that are too large for clients", "interaction/test_every_door.py", "a_client_plays_refusals_and_errors_included"),
    19: ("exceptions told to clients", PLANE, "exceptions_of_ours_reach_no_client_with_their_text"),
    20: ("one odd output schema that loses the whole list", HERE, "a_package_with_an_output_schema_that_is_no_objects_is_refused_alone"),
    21: ("header and body of different versions", HERE, "a_header_that_contradicts_its_body_is_refused_by_its_number_counted_and_noted_once"),
    22: ("users of a gateway who share a session", PLANE, "a_session_of_the_older_protocol_exists_at_its_own_address_only"),
    23: ("a call that lists all tools first", HERE, "a_call_does_not_list_the_tools"),
}
"""What others got wrong: the fault, and the test that shows the farm does right."""

MORE = {
    "streams that a proxy buffers": (PLANE, "an_sse_session_takes_messages_at_its_own_address_only"),
    "a discover that locks out an initialize": (STDIO, "a_pipelined_initialize_after_discover_is_answered_and_both_eras_go_on"),
    "blanks around headers refused": (HERE, "blanks_around_the_value_of_a_header_do_not_belong_to_it"),
    "sessions that are never ended and take all the room": (HERE, "clients_that_open_a_session_for_each_call_and_end_none_are_served_on"),
    "a bridge that waits for an answer that waits for it": (
        "interaction/test_every_feature.py",
        "progress_cancellation_questions_and_errors_are_carried",
    ),
}


def test_each_of_the_known_faults_has_its_test():
    assert list(FAULTS) == list(range(1, 24))
    for fault, file, name in [*FAULTS.values(), *((fault, *where) for fault, where in MORE.items())]:
        assert f"def test_{name}(" in (ROOT / "tests" / file).read_text(), fault


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("words", [("stdio", "small"), ("bridge", "http://127.0.0.1:9/env/small/mcp")], ids=["stdio", "bridge"])
def test_ctrl_c_ends_a_process_on_stdio_at_once_and_quietly(home, words):
    """The thread that reads stdin is in the middle of its read."""
    # A shell that runs the tests in the background has them ignore Ctrl-C, and what they start would inherit that.
    kept = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(command(*words), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=variables(home))
    signal.signal(signal.SIGINT, kept)
    with process:
        process.stdin.write(json.dumps(modern(1, "tools/list")) + "\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == 1
        process.send_signal(signal.SIGINT)
        process.wait(20)
        assert process.returncode == 128 + signal.SIGINT
        assert (process.stdout.read(), process.stderr.read().strip()) == ("", "")


async def test_an_environment_that_is_built_while_the_farm_serves_is_served_at_once_at_every_door(farm, home):
    """Nothing is mounted, so nothing has to be started: also not by the server's own start, which ours leaves out."""
    for number, door in enumerate(one for one in doors() if one.name.partition("-")[0] in ("memory", "http", "sse")):
        assert await served(farm, f"late{number}") == 404
        write_package(home / "environments", f"late{number}")
        async with door.open(farm, "first", f"late{number}") as client:
            assert client.server_info.name == f"late{number}"
            assert not (await client.call_tool("add_note", {"owner_id": "OWN-1", "text": "x"})).is_error


async def served(farm, environment):
    call = modern(1, "tools/list")
    async with httpx.AsyncClient(headers={**JSON, **modern_headers(call)}, trust_env=False) as http:
        return (await http.post(farm.mcp(environment), json=call)).status_code


def test_schemas_of_the_seeds_that_ship_are_flat_and_few():
    """As all models take them: no references, no alternatives or constants at the root, at most 40 tools, names of at most 40 characters."""
    for name in ALL:
        tools = json.loads(compile_package(domain_of(name), ())["tools.json"])
        assert len(tools) < 40
        for tool in [*tools, *harness_tools(multi_turn=True)]:
            assert re.fullmatch(r"[a-z][a-z0-9_]{0,39}", tool["name"])
            for schema in (tool["inputSchema"], tool["outputSchema"]):
                assert schema["type"] == "object"
                assert not {"anyOf", "oneOf", "allOf", "not", "enum"} & schema.keys()
                assert not {"$ref", "$defs", "const", "$schema"} & set(keys(schema))


def keys(value):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys(inner)


async def test_a_package_with_an_output_schema_that_is_no_objects_is_refused_alone(farm, home, caplog):
    folder = write_package(home / "environments", "odd")
    tools = (folder / "tools.json").read_text()
    odd = json.dumps([{**tool, "outputSchema": {"type": "array"}} for tool in json.loads(tools)])
    (folder / "tools.json").write_text(odd)
    manifest = (folder / "env.toml").read_text()
    (folder / "env.toml").write_text(manifest.replace(file_digest(tools.encode()), file_digest(odd.encode())))
    assert await served(farm, "odd") == 503
    assert "expected outputSchema of search_owners to be an object's, got another" in caplog.text
    async with Client(farm.mcp("small"), mode="legacy") as client:
        assert (await client.list_tools()).tools


async def test_a_header_that_contradicts_its_body_is_refused_by_its_number_counted_and_noted_once(farm, caplog):
    call = modern(7, "tools/call", name="add_note", arguments={"owner_id": "OWN-1", "text": "x"})
    async with httpx.AsyncClient(headers=JSON, trust_env=False) as http:
        for version in ("2025-11-25", "2025-06-18", "2025-11-25"):
            answer = await http.post(farm.mcp("small"), json=call, headers={**modern_headers(call), "mcp-protocol-version": version})
            assert answer.status_code == 400
            assert answer.json()["error"]["code"] < 0
        assert (await http.post(farm.mcp("small"), json=call, headers=modern_headers(call))).json()["result"]["structuredContent"]["id"] == "OWN-1-N2"
    notes = [record.getMessage() for record in caplog.records if "expected what the body says" in record.getMessage()]
    assert notes == ["mcp-protocol-version: expected what the body says ('2026-07-28'), got '2025-11-25'; 1 such requests so far"]


async def test_clients_that_open_a_session_for_each_call_and_end_none_are_served_on(home):
    """The sessions that nobody uses make room; one with an open stream does not."""
    async with farm_here(home) as farm, front_of(farm, Limits(sessions=3, spare_session=0), Plane(engine=farm.inside.episodes, menus=Menus())) as url:
        async with httpx.AsyncClient(headers=JSON, trust_env=False) as http:
            kept = await opened_session(http, url)
            async with http.stream("GET", url, headers=kept) as stream:
                assert stream.status_code == 200
                sessions = [await opened_session(http, url) for _ in range(12)]
                statuses = [(await http.post(url, json=legacy(2, "tools/list"), headers=one)).status_code for one in [kept, *sessions]]
                assert statuses == [200] + [404] * 10 + [200] * 2


async def opened_session(http, url):
    opened = await http.post(url, json=initialize())
    assert opened.status_code == 200
    session = {"mcp-session-id": opened.headers["mcp-session-id"], "mcp-protocol-version": "2025-06-18"}
    assert (await http.post(url, json=INITIALIZED, headers=session)).status_code == 202
    return session


@asynccontextmanager
async def front_of(farm, limits, plane):
    """The address of another front, where the SDK serves everything, over the farm's episodes."""
    guard = Guard(hosts=frozenset({"*"}), origins=frozenset(), max_body=100_000, max_depth=64)
    front = Front(make_server(plane), farm.inside.agent.seats, guard, limits)
    listener = bind("127.0.0.1", 0, "--port")
    async with front.running(), serving([(http_server(front, grace=1), listener)]):
        try:
            yield f"http://{address(listener)}/env/small/mcp"
        finally:
            front.streams.end()


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_call_does_not_list_the_tools(home, mode):
    """Through the SDK, which looks for the tool's schema in the list unless it is told where else."""
    listed = []

    class Counting(Plane):
        async def list_tools(self, ctx, params):
            listed.append(ctx.method)
            return await super().list_tools(ctx, params)

    async with farm_here(home) as farm, front_of(farm, Limits(), Counting(engine=farm.inside.episodes, menus=Menus())) as url:
        async with Client(url, mode=mode) as client:
            await client.list_tools()
            called = len(listed)
            for _ in range(3):
                await client.session.send_request(CALL, types.CallToolResult)
    assert len(listed) == called > 0


CALL = types.CallToolRequest(params=types.CallToolRequestParams(name="add_note", arguments={"owner_id": "OWN-1", "text": "x"}))


async def test_sessions_that_ended_or_never_opened_take_no_room(home):
    async with farm_here(home, max_sessions=1) as farm, httpx.AsyncClient(headers=JSON, trust_env=False) as http:
        url = farm.mcp("small")
        for _ in range(5):
            assert (await http.post(url, content=b"{")).status_code == 400
            opened = await http.post(url, json=initialize())
            assert opened.status_code == 200
            session = {"mcp-session-id": opened.headers["mcp-session-id"], "mcp-protocol-version": "2025-06-18"}
            assert (await http.post(url, json=INITIALIZED, headers=session)).status_code == 202
            assert (await http.post(url, json=initialize())).status_code == 503
            assert (await http.delete(url, headers=session)).status_code == 200


async def test_blanks_around_the_value_of_a_header_do_not_belong_to_it(farm):
    body = json.dumps(modern(1, "tools/call", name="add_note", arguments={"owner_id": "OWN-1", "text": "x"})).encode()
    head = [f"{name}: {value}" for name, value in JSON.items()]
    head += ["host: localhost", "mcp-protocol-version:  2026-07-28 ", "mcp-method: tools/call", "mcp-name: \t add_note \t", "connection: close"]
    request = "\r\n".join(["POST /env/small/mcp HTTP/1.1", *head, f"content-length: {len(body)}", "", ""]).encode() + body
    port = int(farm.agent_url.rpartition(":")[2])
    async with asyncio.timeout(10):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request)
        answer = await reader.read()
        writer.close()
        await writer.wait_closed()
    assert answer.startswith(b"HTTP/1.1 200"), answer
