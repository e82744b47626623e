"""Many episodes on one server, their calls in random order over every transport and era: none sees another's rows."""

import asyncio
import random
from contextlib import AsyncExitStack

import pytest
from mcp import Client
from mcp.client.sse import sse_client

EPISODES = 64
STEPS = 6
AT_ONCE = 16


class Player:
    """One client at one episode, and what its notes must be."""

    def __init__(self, farm, number):
        self.environment = ("small", "other")[number % 2]
        self.key = f"k{number}"
        self.mode = ("auto", "legacy")[number // 2 % 2]
        self.sse = number // 4 % 2 == 1
        self.notes = []
        self.turn = asyncio.Lock()
        self._farm = farm

    def place(self):
        return sse_client(self._farm.sse(self.environment, self.key)) if self.sse else self._farm.mcp(self.environment, self.key)

    async def step(self, what):
        """One call, and whether its answer knows this episode's rows alone."""
        async with self.turn:
            if what == "refused":
                result = await self.client.call_tool("add_note", {"owner_id": "OWN-1", "text": "refuse me"})
                assert result.is_error
            elif what == "add":
                text = f"{self.environment} {self.key} {len(self.notes)}"
                result = await self.client.call_tool("add_note", {"owner_id": "OWN-1", "text": text})
                self.notes.append(text)
                assert result.structured_content["id"] == f"OWN-1-N{len(self.notes) + 1}", self.key
            elif what == "reset":
                await self._farm.inside.episodes.reset(f"{self.environment}~{self.key}")
                self.notes.clear()
            else:
                await self.reads_its_own()

    async def reads_its_own(self):
        found = (await self.client.call_tool("fill", {"count": 0})).structured_content["items"]
        texts = {note["id"]: note["text"] for note in found if note["owner_id"] == "OWN-1" and note["id"] != "OWN-1-N1"}
        assert texts == {f"OWN-1-N{number + 2}": text for number, text in enumerate(self.notes)}, self.key


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.every_domain)])
async def test_64_episodes_in_random_order_never_mix(farm, seed):
    order = random.Random(seed)
    players = [Player(farm, number) for number in range(EPISODES)]
    steps = [(player, what) for player in players for what in order.choices(["add", "read", "refused", "reset"], weights=[6, 3, 1, 1], k=STEPS)]
    order.shuffle(steps)
    waiting = iter(steps)

    async def work():
        for player, what in waiting:
            await player.step(what)

    async with AsyncExitStack() as stack:
        for player in players:
            player.client = await stack.enter_async_context(Client(player.place(), mode=player.mode))
        async with asyncio.TaskGroup() as tasks:
            for _ in range(AT_ONCE):
                tasks.create_task(work())
        for player in players:
            await player.reads_its_own()
    assert sum(len(player.notes) for player in players) > EPISODES
