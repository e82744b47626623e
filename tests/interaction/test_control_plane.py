"""The control plane: its routes, who may use them, and what it says when it will not."""

import httpx
import pytest
from mcp import Client

from registry.episode.spec import pack_rows
from registry.package.digest import file_digest
from tests.farm import farm_here
from tests.unit.registry.small_package import world_rows

HELD_BACK = {"topic": "day", "asks": ["which day", "day"], "answer": "On Friday."}

REFUSED = [
    ("POST", "/v1/episodes", {"environment": "smal"}, 404, "ENVIRONMENT_NOT_FOUND", "Did you mean small?"),
    ("POST", "/v1/episodes", {}, 422, "INVALID_REQUEST", "environment: Field required"),
    ("POST", "/v1/episodes", {"environment": "small", "colour": 1}, 422, "INVALID_REQUEST", "colour: "),
    ("POST", "/v1/episodes", {"environment": "small", "key": "a~b" * 8}, 422, "INVALID_REQUEST", "key: "),
    ("POST", "/v1/episodes", {"environment": "small", "key": "short"}, 422, "INVALID_REQUEST", "key: "),
    ("POST", "/v1/episodes", {"environment": "small", "world": "9"}, 503, "PACKAGE_UNUSABLE", "expected one of ['0']"),
    ("POST", "/v1/episodes", {"environment": "small", "scenario": [["Owner", {"id": "x"}]]}, 503, "PACKAGE_UNUSABLE", "scenario"),
    ("GET", "/v1/episodes/unknown", None, 404, "EPISODE_NOT_FOUND", "got 'unknown'"),
    ("POST", "/v1/episodes/unknown/reset", None, 404, "EPISODE_NOT_FOUND", "got 'unknown'"),
    ("POST", "/v1/episodes/unknown/fork", {"at": -1}, 422, "INVALID_REQUEST", "at: "),
    ("GET", "/v1/environments/none", None, 404, "ENVIRONMENT_NOT_FOUND", "got 'none'"),
    ("GET", "/v1/nothing", None, 404, "NOT_FOUND", "/v1/nothing"),
    ("DELETE", "/v1/episodes", None, 405, "METHOD_NOT_ALLOWED", ""),
]


@pytest.fixture
async def control(farm):
    async with farm.control() as client:
        yield client


async def call(url, tool, **arguments):
    async with Client(url) as client:
        return await client.call_tool(tool, arguments)


async def test_an_episode_is_made_played_inspected_forked_rewound_reset_and_closed(control):
    made = await control.post("/v1/episodes", json={"environment": "small", "instruction": "Note it.", "call_limit": 50})
    assert made.status_code == 201
    episode = made.json()
    assert sorted(episode) == ["calls", "environment", "environment_digest", "key", "mcp_url", "sse_url", "state_digest", "status"]
    assert (episode["calls"], episode["status"], len(episode["key"])) == (0, "open", 43)

    for text in ("one", "two"):
        await call(episode["mcp_url"], "add_note", owner_id="OWN-1", text=text)
    place = f"/v1/episodes/{episode['key']}"
    shown = (await control.get(place)).json()
    assert shown["calls"] == 2
    assert shown["state_digest"] != episode["state_digest"]
    log = (await control.get(f"{place}/log")).json()
    assert [record["arguments"]["text"] for record in log["records"]] == ["one", "two"]
    assert log["records"][-1]["digest"] == log["digest"]
    assert log["state_digest"] == shown["state_digest"]
    changes = (await control.get(f"{place}/changes")).json()
    assert [(change["op"], change["key"]) for change in changes["changes"]] == [("insert", "OWN-1-N2"), ("insert", "OWN-1-N3")]
    assert changes["changes"][0]["values"]["text"] == {"from": None, "to": "one", "class": "text"}
    rows = (await control.get(f"{place}/snapshot")).json()["rows"]
    assert ["Owner", "OWN-1"] in [[table, values["id"]] for table, values in rows]

    forked = await control.post(f"{place}/fork", json={"at": 1})
    assert (forked.status_code, forked.json()["calls"]) == (201, 1)
    assert forked.json()["key"] != episode["key"]
    assert (await control.post(f"{place}/rewind", json={"to": 1})).json()["state_digest"] == forked.json()["state_digest"]
    assert (await control.post(f"{place}/reset")).json()["state_digest"] == episode["state_digest"]
    assert (await control.post(f"{place}/close")).json()["status"] == "closed"
    after = await call(episode["mcp_url"], "add_note", owner_id="OWN-1", text="late")
    assert after.content[0].text.startswith("EPISODE_CLOSED")


async def test_the_agent_sees_instruction_scenario_and_user_of_its_episode_and_nothing_held_back(control):
    rows = [["Owner", {**values, "name": "Zoe Quill"}] if values["id"] == "OWN-2" else [table, values] for table, values in world_rows()]
    wanted = {"environment": "small", "instruction": "Ask, then do.", "scenario": rows, "multi_turn": True, "held_back": [HELD_BACK]}
    episode = (await control.post("/v1/episodes", json=wanted)).json()
    async with Client(episode["mcp_url"]) as client:
        assert [tool.name for tool in (await client.list_tools()).tools][-2:] == ["submit_answer", "ask_user"]
        assert [prompt.name for prompt in (await client.list_prompts()).prompts] == ["task"]
        assert (await client.get_prompt("task", {})).messages[0].content.text == "Ask, then do."
        found = await client.call_tool("search_owners", {"name": "Zoe"})
        assert found.structured_content["items"][0]["id"] == "OWN-2"
        assert (await client.call_tool("ask_user", {"question": "Which day?"})).structured_content["answer"] == "On Friday."
        receipt = await client.call_tool("submit_answer", {"outcome": "done"})
        assert receipt.structured_content == {"received": True, "outcome": "done"}
        assert "Friday" not in str(await client.list_tools()) + str(client.instructions)
    assert (await control.get(f"/v1/episodes/{episode['key']}")).json()["status"] == "closed"


async def test_ending_an_episode_tells_what_log_and_changes_tell_and_lets_nothing_more_happen(control):
    episode = (await control.post("/v1/episodes", json={"environment": "small"})).json()
    async with Client(episode["mcp_url"]) as client:
        await client.call_tool("add_note", {"owner_id": "OWN-2", "text": "Pays in cash.", "due": "2026-04-02"})
        ended = (await control.post(f"/v1/episodes/{episode['key']}/end")).json()
        assert (await client.call_tool("add_note", {"owner_id": "OWN-2", "text": "Late.", "due": "2026-04-02"})).is_error
    assert ended["episode"]["status"] == "closed"
    assert [one["tool"] for one in ended["log"]["records"]] == ["add_note", "$close"]
    assert [(one["table"], one["op"]) for one in ended["changes"]] == [("Note", "insert")]
    again = (await control.post(f"/v1/episodes/{episode['key']}/end")).json()
    log = (await control.get(f"/v1/episodes/{episode['key']}/log")).json()
    assert again["log"] == log
    assert again["changes"] == (await control.get(f"/v1/episodes/{episode['key']}/changes")).json()["changes"] == ended["changes"]
    assert log["records"][:2] == ended["log"]["records"]


async def test_rows_that_an_episode_began_with_need_not_be_sent_again(control):
    rows = [["Owner", {**values, "name": "Zoe Quill"}] if values["id"] == "OWN-2" else [table, values] for table, values in world_rows()]
    digest = file_digest(pack_rows(tuple(map(tuple, rows))))
    unknown = await control.post("/v1/episodes", json={"environment": "small", "scenario_digest": digest})
    assert (unknown.status_code, unknown.json()["error"]["code"]) == (404, "SCENARIO_NOT_FOUND")
    first = (await control.post("/v1/episodes", json={"environment": "small", "scenario": rows})).json()
    second = (await control.post("/v1/episodes", json={"environment": "small", "scenario_digest": digest})).json()
    assert second["state_digest"] == first["state_digest"]
    snapshots = [(await control.get(f"/v1/episodes/{one['key']}/snapshot")).json() for one in (first, second)]
    assert snapshots[0] == snapshots[1]


async def test_each_route_needs_a_token_and_the_observer_may_only_look(farm, control):
    key = (await control.post("/v1/episodes", json={"environment": "small"})).json()["key"]
    looks = (f"/v1/episodes/{key}{end}" for end in ("", "/log", "/changes", "/snapshot"))
    reads = ["/v1/metrics", "/v1/environments", "/v1/environments/small", *looks]
    changes = [
        *(f"/v1/batch/{one}" for one in ("steps", "forks", "resets")),
        "/v1/gc",
        "/v1/episodes",
        *(f"/v1/episodes/{key}/{end}" for end in ("fork", "rewind", "reset", "close", "end")),
    ]
    described = (await control.get("/openapi.json")).json()["paths"]
    assert {"/healthz", "/readyz"} <= set(described)
    assert len(described) == 2 + len(reads) + len(changes)
    for token in ("", "wrong", farm.tokens.grader, farm.tokens.control[:-1], "\xfc"):
        async with httpx.AsyncClient(
            base_url=farm.control_url, headers={"authorization": f"Bearer {token}".encode().strip()}, trust_env=False
        ) as stranger:
            for path in reads:
                assert (await stranger.get(path)).status_code == 401
            for path in changes:
                response = await stranger.post(path, json={"environment": "small", "at": 0, "to": 0})
                assert (response.status_code, response.json()["error"]["code"]) == (401, "UNAUTHORIZED")
    async with farm.control(token=farm.tokens.observer) as observer:
        assert [(await observer.get(path)).status_code for path in reads] == [200] * len(reads)
        assert [(await observer.post(path, json={})).status_code for path in changes] == [401] * len(changes)
        assert (await observer.get("/healthz", headers={"authorization": ""})).json() == {"status": "ok"}


async def test_what_cannot_be_done_is_one_sentence_with_a_code(control):
    for method, path, body, status, code, words in REFUSED:
        response = await control.request(method, path, json=body)
        assert (response.status_code, response.json()["error"]["code"]) == (status, code), response.text
        assert words in response.json()["error"]["message"]
        assert "\n" not in response.json()["error"]["message"]


async def test_a_key_that_is_taken_is_refused_and_a_chosen_one_is_served(control):
    wanted = {"environment": "small", "key": "chosen-by-the-grader-1"}
    assert (await control.post("/v1/episodes", json=wanted)).status_code == 201
    again = await control.post("/v1/episodes", json=wanted)
    assert (again.status_code, again.json()["error"]["code"]) == (409, "EPISODE_REFUSED")


async def test_bodies_that_are_no_json_or_too_large_are_refused(control):
    assert (await control.post("/v1/episodes", content=b"{", headers={"content-type": "application/json"})).status_code == 422
    large = await control.post("/v1/episodes", content=b" " * (64 * 1024 * 1024 + 1), headers={"content-type": "application/json"})
    assert (large.status_code, large.json()["error"]["code"]) == (413, "TOO_LARGE")


async def test_the_catalogue_says_where_free_play_is(farm, control, home):
    listed = (await control.get("/v1/environments")).json()["environments"]
    assert [one["id"] for one in listed] == ["other", "small"]
    assert listed[1]["mcp_url"] == farm.mcp("small")
    detail = (await control.get("/v1/environments/small")).json()
    assert detail["tool_list"][0]["name"] == "search_owners"
    assert detail["tables"] == {"Owner": 5, "Note": 5}


async def test_without_free_play_the_catalogue_names_no_address(home):
    async with farm_here(home, free_play=False) as farm, farm.control() as control:
        assert (await control.get("/v1/environments")).json()["environments"][0]["mcp_url"] is None


async def test_an_episode_of_free_play_is_found_by_environment_and_name(farm, control):
    await call(farm.mcp("small", "monday"), "add_note", owner_id="OWN-1", text="x")
    shown = (await control.get("/v1/episodes/small~monday")).json()
    assert (shown["calls"], shown["mcp_url"]) == (1, farm.mcp("small", "monday"))
