"""Faults that other MCP servers are known for, each with the test that shows that the farm does right; the rest of them are tested here."""
# ruff: noqa: E501 (names of tests)

import asyncio
import json
from pathlib import Path

import httpx
import pytest

from tests.farm import farm_here
from tests.interaction.wire_lines import INITIALIZED, initialize, modern

ROOT = Path(__file__).resolve().parents[2]
JSON = {"content-type": "application/json", "accept": "application/json, text/event-stream"}

TESTED = {
    "connectors that never echo their session id": "interaction/test_agent_plane.py::test_a_client_that_loses_its_session_id_on_every_call_keeps_its_episode",
    "sessions that leak": "interaction/test_known_faults.py::test_sessions_that_ended_or_never_opened_take_no_room",
    "state lost by a restart": "interaction/test_farm_process.py::test_episodes_survive_a_restart_commands_find_the_farm_and_a_second_one_is_refused",
    "processes that outlive their parent": "interaction/test_stdio_wire.py::test_a_killed_parent_does_not_leave_the_process_behind",
    "replies lost at the end of input": "interaction/test_stdio_wire.py::test_everything_that_was_read_is_answered_before_the_end_of_input_ends_the_process",
    "output that is no message on stdout": "interaction/test_stdio_wire.py::test_prints_of_imported_code_and_of_children_never_reach_the_wire",
    "redirects that lose the body": "interaction/test_agent_plane.py::test_both_spellings_are_served_in_both_eras_and_never_redirected",
    "wrong SSE address behind a prefix": "interaction/test_agent_plane.py::test_behind_a_proxy_with_a_prefix_addresses_work_whether_it_takes_the_prefix_away_or_not",
    "streams that a proxy buffers": "interaction/test_agent_plane.py::test_an_sse_session_takes_messages_at_its_own_address_only",
    "hosts without port refused": "interaction/test_agent_plane.py::test_a_configured_host_without_port_is_served",
    "crashes when a client vanishes": "interaction/test_agent_plane.py::test_a_client_that_vanishes_during_a_call_does_not_undo_it",
    "shutdown that hangs on open streams": "interaction/test_farm_process.py::test_shutdown_is_orderly_with_every_kind_of_stream_and_connection_open",
    "tools on pages that clients do not turn, content beside errors": "interaction/test_every_door.py::test_a_client_plays_refusals_and_errors_included",
    "names that are too long for models": "unit/cli/test_client_config.py::test_a_servers_name_leaves_room_for_the_longest_name_of_a_tool",
    "schemas that are not portable": "wire/test_inspector.py::test_every_environment_is_without_errors_over_http",
    "exceptions told to clients": "interaction/test_agent_plane.py::test_exceptions_of_ours_reach_no_client_with_their_text",
    "sessions of one user reached by another": "interaction/test_agent_plane.py::test_a_session_of_the_older_protocol_exists_at_its_own_address_only",
    "a discover that locks out an initialize": "interaction/test_stdio_wire.py::test_a_pipelined_initialize_after_discover_is_answered_and_both_eras_go_on",
    "blanks around headers refused": "interaction/test_known_faults.py::test_blanks_around_the_value_of_a_header_do_not_belong_to_it",
}


@pytest.mark.parametrize("fault", TESTED)
def test_the_test_of_a_known_fault_is_there(fault):
    file, _, name = TESTED[fault].partition("::")
    assert f"def {name}(" in (ROOT / "tests" / file).read_text()


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
