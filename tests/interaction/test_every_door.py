"""One body for every transport and both protocol eras."""

import json
import re

import anyio
import pytest
from mcp import MCPError

from tests.unit.registry.small_package import PROPERTIES

BAD_CALLS = [
    ("add_credit", {"owner_id": "OWN-2", "amount": -1}, "OVERDRAWN: The credit of Ann Lee would be"),
    ("add_credit", {"owner_id": "OWN-77", "amount": 1}, "NOT_FOUND: There is no owner"),
    ("add_credit", {"owner_id": "OWN-2"}, "INVALID_ARGUMENTS: argument 'amount': expected"),
    ("add_credit", {"owner_id": "OWN-2", "amount": "much"}, "INVALID_ARGUMENTS: argument 'amount': expected"),
    ("add_note", {"owner_id": "OWN-2", "text": "x", "due": "2026-99-99"}, "INVALID_ARGUMENTS: argument 'due': expected"),
    ("add_note", {"owner_id": "OWN-2", "text": "x", "extra": 1}, "INVALID_ARGUMENTS: "),
    ("add_note", {"owner_id": "OWN-2", "text": "x" * 200_000}, "INVALID_ARGUMENTS: "),
    ("add_not", {"owner_id": "OWN-2"}, "INVALID_ARGUMENTS: tool: expected the name of a tool"),
    ("break_down", {"how": "raise"}, "INTERNAL_ERROR: The environment failed on this call (incident"),
]


def text(result):
    (content,) = result.content
    return content.text


async def test_a_client_plays_refusals_and_errors_included(connect, door):
    async with connect("alice") as client:
        await finds_tools_resources_and_instructions(client, modern="modern" in door.name)
        await gets_refusals_invalid_calls_and_defects_as_results_with_text_only(client)
        await gets_a_result_beyond_the_cap_as_a_refusal_that_changes_nothing(client)
        await gets_what_does_not_exist_as_a_protocol_error_without_internals(client)


async def test_two_episodes_never_see_each_others_rows_and_a_client_that_comes_back_finds_its_own(connect):
    async def play(key):
        async with connect(key) as client:
            for number in range(5):
                await client.call_tool("add_note", {"owner_id": "OWN-1", "text": f"{key} {number}"})
            assert await notes(client) == [f"{key} {number}" for number in range(5)]

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(play, "carol")
        tasks.start_soon(play, "dave")
    async with connect("carol") as client:
        assert await notes(client) == [f"carol {number}" for number in range(5)]


async def notes(client):
    """Texts of the notes of OWN-1 that the test added."""
    result = await client.call_tool("fill", {"count": 0})
    return [note["text"] for note in result.structured_content["items"] if note["id"].startswith("OWN-1-") and note["id"] != "OWN-1-N1"]


async def finds_tools_resources_and_instructions(client, modern):
    assert client.protocol_version == ("2026-07-28" if modern else "2025-11-25")
    assert client.server_info.name == "small"
    assert "Small" in client.instructions

    listed = await client.list_tools()
    assert [tool.name for tool in listed.tools] == [*PROPERTIES, "submit_answer"]
    assert listed.next_cursor is None
    assert listed.ttl_ms == (3_600_000 if modern else 0)
    submit = listed.tools[-1]
    assert submit.output_schema["type"] == "object"
    assert submit.annotations.read_only_hint is False

    done = await client.call_tool("add_note", {"owner_id": "OWN-1", "text": "Käthe says: “hi”"})
    assert done.is_error is False
    assert done.structured_content["text"] == "Käthe says: “hi”"
    assert json.loads(text(done)) == done.structured_content

    await gets_hints_for_caches(client, modern=modern)
    assert [one.uri for one in (await client.list_resources()).resources] == ["env://policy", "env://schema"]
    assert "Be kind." in (await client.read_resource("env://policy")).contents[0].text
    assert "`owner_id`: id of Owner" in (await client.read_resource("env://schema")).contents[0].text
    assert (await client.list_prompts()).prompts == []
    assert (await client.list_resource_templates()).resource_templates == []


async def gets_hints_for_caches(client, modern):
    """What never changes at an address may be kept; what belongs to one episode by nobody else. The older protocol knows no hints."""
    public = (client.list_tools(), client.list_resources(), client.read_resource("env://policy"))
    for request, scope in [*((one, "public") for one in public), (client.list_prompts(), "private")]:
        result = await request
        assert (result.ttl_ms, result.cache_scope) == ((3_600_000, scope) if modern else (0, "private")), type(result)
    assert (await client.call_tool("search_owners", {})).model_dump().get("ttl_ms") is None


async def gets_refusals_invalid_calls_and_defects_as_results_with_text_only(client):
    for tool, arguments, begin in BAD_CALLS:
        result = await client.call_tool(tool, arguments)
        assert result.is_error is True, (tool, arguments)
        assert text(result).startswith(begin), text(result)
        assert result.structured_content is None
    assert (await client.call_tool("search_owners", {"name": "Ann"})).structured_content["items"][0]["name"] == "Ann Lee"


async def gets_a_result_beyond_the_cap_as_a_refusal_that_changes_nothing(client):
    before = await client.call_tool("fill", {"count": 0})
    large = await client.call_tool("fill", {"count": 200})
    assert large.is_error
    assert large.structured_content is None
    assert re.match(r"RESULT_TOO_LARGE: The result has \d+ characters, 65536 are allowed; nothing was done\. ", text(large))
    assert (await client.call_tool("fill", {"count": 0})).structured_content == before.structured_content
    assert len(text(await client.call_tool("fill", {"count": 40}))) < 65536


async def gets_what_does_not_exist_as_a_protocol_error_without_internals(client):
    for request in (client.read_resource("env://gold"), client.get_prompt("task", {}), client.get_prompt("gold", {})):
        with pytest.raises(MCPError) as caught:
            await request
        assert caught.value.code == -32602
        assert "Traceback" not in str(caught.value)
