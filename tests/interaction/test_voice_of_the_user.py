"""A model words the answers of the user; the log keeps those of the rules, and what does not keep to the facts is not used."""

import json
from contextlib import asynccontextmanager

import httpx
import pytest
from mcp import Client

from registry.dispatch.said import says_the_same
from registry.dispatch.user import rule_based_user
from registry.package.pack import HeldBack
from server.agent.mcp_server import Plane, make_server
from server.agent.menu import Menus
from server.agent.simulator import ModelVoice
from tests.farm import farm_here

ANSWER = "The cost is 105."
HELD_BACK = [{"topic": "cost", "asks": ["cost"], "answer": ANSWER}, {"topic": "carrier", "asks": ["carrier"], "answer": "The carrier is pallet."}]
QUESTION = {"question": "What is the cost?"}


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ("Sure, the cost comes to 105.", True),
        ("Well, 105 is the cost, as far as I can see.", True),
        ("The cost is 110.", False),
        ("It is not much.", False),
        ("The cost is 105, and send it by pallet.", False),
        ("The cost is 105, due on 2026-03-04.", False),
        ("The cost is 105, says Ruth Moore.", False),
        ("", False),
    ],
)
def test_other_words_must_say_the_same(said, right):
    assert says_the_same(said, ANSWER, ["The carrier is pallet."]) is right


@asynccontextmanager
async def asked(home, reply):
    """What the agent is told, and the log, with a model that replies so."""

    def answer(request: httpx.Request) -> httpx.Response:
        assert ANSWER in json.loads(request.content)["messages"][1]["content"]
        return httpx.Response(200, json={"choices": [{"message": {"content": reply}}]}) if reply else httpx.Response(500)

    async with farm_here(home) as farm, farm.control() as control, httpx.AsyncClient(transport=httpx.MockTransport(answer)) as carrier:
        made = await control.post("/v1/episodes", json={"environment": "small", "multi_turn": True, "held_back": HELD_BACK})
        seat = await farm.inside.agent.seats.find("small", made.json()["key"])
        voice = ModelVoice("http://model", "any", carrier)
        async with Client(make_server(Plane(engine=farm.inside.episodes, menus=Menus(), fixed=seat, voice=voice))) as client:
            told = (await client.call_tool("ask_user", QUESTION)).structured_content["answer"]
            yield told, (await farm.inside.episodes.log(seat.key)).records[0].result["answer"]


@pytest.mark.parametrize(
    ("reply", "told"),
    [("It is 105, the cost.", "It is 105, the cost."), ("The cost is 400.", ANSWER), ("The carrier is pallet.", ANSWER), ("", ANSWER)],
)
async def test_the_agent_hears_the_model_where_it_keeps_to_the_facts(home, reply, told):
    async with asked(home, reply) as (heard, logged):
        assert heard == told
        assert logged == rule_based_user(QUESTION["question"], [HeldBack.model_validate(one) for one in HELD_BACK]) == ANSWER
