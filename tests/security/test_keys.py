"""Keys: guessing them, taking them from elsewhere, telling which exist."""

import itertools
import secrets

import httpx

from registry.errors import EpisodeNotFound
from server.agent.seat import Seats
from tests.interaction.test_agent_plane import open_session
from tests.interaction.wire_lines import INITIALIZED, initialize, legacy, modern
from tests.security.prey import JSON, headers_of

LIST = modern(1, "tools/list")
GUESSES = [
    "0",
    "1",
    "a",
    "admin",
    "shared",
    "root",
    "test",
    "null",
    "undefined",
    "None",
    "true",
    "_",
    "-",
    "--",
    "free",
    "small",
    "other",
    "episode",
    "k0",
    "default",
]


def near(key):
    """Keys beside a known one: cut, longer, one letter or one case changed, turned around."""
    changed = [key[:n] + ("A" if key[n] != "A" else "B") + key[n + 1 :] for n in range(0, len(key), 4)]
    return [key[:-1], f"{key}A", key.swapcase(), key[::-1], key.lower(), key.upper(), key[1:], *changed]


async def test_no_guess_opens_an_episode_and_every_miss_is_told_alike(prey):
    guesses = [*GUESSES, *near(prey.foreign), *near(prey.mine), *(secrets.token_urlsafe(32) for _ in range(100))]
    answers = set()
    async with httpx.AsyncClient(trust_env=False) as http:
        for guess in guesses:
            answer = await http.post(f"{prey.farm.agent_url}/env/small/e/{guess}/mcp", json=LIST, headers=headers_of(LIST))
            answers.add((answer.status_code, answer.text, *sorted(name for name in answer.headers)))
    assert len(guesses) > 140
    assert [status for status, *_ in answers] == [404]


async def test_two_keys_have_nothing_in_common(prey):
    async with prey.farm.control() as control:
        made = [(await control.post("/v1/episodes", json={"environment": "small"})).json()["key"] for _ in range(50)]
    assert len({*made}) == 50
    assert min(len(key) for key in made) == 43
    assert max(sum(a == b for a, b in zip(one, other, strict=True)) for one, other in itertools.pairwise(made)) < 12


async def test_unknown_keys_foreign_keys_and_unknown_environments_cost_the_same_look_ups(prey, monkeypatch):
    """The work is counted, not the time: none of the three brings an episode into memory or reads a log."""
    episodes = prey.farm.inside.episodes
    asked = []
    find, about = episodes._store.find, episodes.about

    async def counted_find(key):
        asked.append("find")
        return await find(key)

    async def counted_about(key):
        asked.append("about")
        return await about(key)

    monkeypatch.setattr(episodes._store, "find", counted_find)
    monkeypatch.setattr(episodes, "about", counted_about)
    episodes._residence.clear()
    work = []
    for path in (
        f"/env/other/e/{prey.foreign}/mcp",
        f"/env/small/e/{'x' * 43}/mcp",
        f"/env/nothing/e/{prey.foreign}/mcp",
        f"/env/nothing/e/{'x' * 43}/mcp",
    ):
        asked.clear()
        assert (await prey.post(LIST, path=path)).status_code == 404
        work.append((tuple(asked), episodes.hot))
    assert set(work) == {(("about", "find"), 0)}


async def test_a_look_up_that_found_nothing_is_not_remembered(prey):
    """Else whoever guesses could fill the memory of a farm."""
    seats: Seats = prey.farm.inside.agent.seats
    before = len(seats._known)
    for number in range(200):
        assert await seats.find("small", f"guess-{number}") is None
    assert len(seats._known) == before


async def test_a_session_id_of_one_episode_opens_no_other(prey):
    """The older protocol's session ids are no keys: replayed at another address they are unknown."""
    async with httpx.AsyncClient(base_url=prey.farm.agent_url, headers=JSON, trust_env=False) as http:
        foreign = await open_session(http, f"/env/small/e/{prey.foreign}/mcp")
        for method in ("POST", "GET", "DELETE"):
            answer = await http.request(method, prey.path, json=legacy(2, "prompts/list"), headers=foreign)
            assert (answer.status_code, answer.json()["error"]["message"]) == (404, "Session not found")
        for stolen in ("", "0", "x" * 5000, prey.foreign, foreign["mcp-session-id"].upper(), "../" + foreign["mcp-session-id"]):
            answer = await http.post(prey.path, json=legacy(2, "prompts/list"), headers={**foreign, "mcp-session-id": stolen})
            assert answer.status_code in (400, 404), stolen
            prey.check(answer.text, stolen)
        assert (await http.post(f"/env/small/e/{prey.foreign}/mcp", json=legacy(3, "ping"), headers=foreign)).status_code == 200


async def test_an_sse_session_of_one_episode_takes_no_message_from_another_address(prey):
    async with httpx.AsyncClient(base_url=prey.farm.agent_url, headers=JSON, trust_env=False) as http:
        async with http.stream("GET", f"/env/small/e/{prey.foreign}/sse") as stream:
            lines = stream.aiter_lines()
            await anext(lines)
            session = (await anext(lines)).partition("session_id=")[2]
            for path in (f"/env/small/e/{prey.mine}/messages", f"/env/other/e/{prey.foreign}/messages", "/env/small/messages"):
                assert (await http.post(f"{path}?session_id={session}", json=initialize())).status_code == 404
            for wrong in ("0", "x" * 32, f"{session}0", session[:-1], "", "%00"):
                answer = await http.post(f"/env/small/e/{prey.foreign}/messages?session_id={wrong}", json=INITIALIZED)
                assert answer.status_code in (400, 404), wrong


async def test_a_request_id_that_is_sent_again_is_a_call_of_its_own_and_answers_nobody_else(prey):
    ids = set()
    for _ in range(3):
        answer = (await prey.post(modern(7, "tools/call", name="add_note", arguments={"owner_id": "OWN-2", "text": "again"}))).json()
        assert answer["id"] == 7
        ids.add(answer["result"]["structuredContent"]["id"])
    assert len(ids) == 3


async def test_sessions_that_are_opened_and_left_do_not_crowd_out_another_episode(prey):
    async with httpx.AsyncClient(base_url=prey.farm.agent_url, headers=JSON, trust_env=False) as http:
        other = await open_session(http, f"/env/small/e/{prey.foreign}/mcp")
        for number in range(150):
            if number % 2:
                await http.get(prey.path, headers={"accept": "application/json"})
            else:
                await http.post(prey.path, json=initialize())
        held = prey.farm.inside.agent._sdk._usual._server_instances
        assert len(held) <= 11
        assert (await http.post(f"/env/small/e/{prey.foreign}/mcp", json=legacy(3, "ping"), headers=other)).status_code == 200


async def test_a_closed_episode_stays_closed_whoever_asks(prey):
    async with prey.farm.control() as control:
        key = (await control.post("/v1/episodes", json={"environment": "small"})).json()["key"]
        await control.post(f"/v1/episodes/{key}/close")
        for tool in ("add_note", "submit_answer", "$rewind", "$close", "$reset"):
            answer = await prey.call(tool, {"to": 0}, key=key)
            assert answer["result"]["isError"] is True
        assert (await control.get(f"/v1/episodes/{key}")).json()["status"] == "closed"


async def test_the_engine_takes_no_key_of_another_form(prey):
    for key in ("", "a/b", "../x", "a b", "ключ", "a\n", "x" * 201, "%2e"):
        try:
            await prey.farm.inside.episodes.about(key)
        except EpisodeNotFound:
            continue
        raise AssertionError(key)
