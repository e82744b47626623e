"""Load on farm and sidecar, and what was answered under it."""

import asyncio
import contextlib
import json
import random
from dataclasses import dataclass, field
from typing import Any

import httpx

from registry.catalogue import open_folder
from registry.episode import LocalEpisode
from tests.farm import TestFarm
from tests.interaction.wire_lines import modern

CLIENTS = 4
HEADERS = {
    "content-type": "application/json",
    "accept": "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "add_note",
}


@dataclass(kw_only=True)
class Answered:
    """What clients were told, by episode: ids of the notes in the order in which they were made."""

    notes: dict[str, list[str]] = field(default_factory=dict)

    @property
    def total(self) -> int:
        return sum(len(ids) for ids in self.notes.values())


async def play(farm: TestFarm, answered: Answered, kill_at: int, generation: int = 0) -> None:
    """Calls in several episodes at once; kills the farm when so many answers have come, and returns when all clients have noticed."""
    goal = answered.total + kill_at

    async def client(number: int) -> None:
        key = f"k{number}-{generation}"
        ids = answered.notes.setdefault(key, [])
        call = modern(1, "tools/call", name="add_note", arguments={"owner_id": "OWN-2", "text": f"note of {key}"})
        async with httpx.AsyncClient(trust_env=False, headers=HEADERS, timeout=30) as http:
            with contextlib.suppress(httpx.TransportError, json.JSONDecodeError):
                while True:
                    answer = (await http.post(farm.mcp("small", key), json=call)).json()
                    ids.append(answer["result"]["structuredContent"]["id"])
                    if answered.total >= goal and farm.process is not None:
                        farm.process.kill()

    async with asyncio.timeout(60), asyncio.TaskGroup() as tasks:
        for number in range(CLIENTS):
            tasks.create_task(client(number))


async def check(farm: TestFarm, answered: Answered, generation: int | None = None) -> int:
    """Every answered call is in the log; each log is whole and replays to what the farm rebuilt. Gives how many calls there are in all."""
    calls = 0
    async with farm.control() as control:
        for key, ids in answered.notes.items():
            if generation is not None and not key.endswith(f"-{generation}"):
                continue
            place = f"/v1/episodes/small~{key}"
            shown = (await control.get(place)).json()
            assert shown.get("status") in ("open", "interrupted"), shown
            log = (await control.get(f"{place}/log")).json()
            made = [record["result"]["id"] for record in log["records"]]
            assert set(ids) <= set(made), f"{key}: {len(set(ids) - set(made))} answered calls are lost"
            assert [record["seq"] for record in log["records"]] == [*range(1, len(made) + 1)]
            local = LocalEpisode(open_folder(farm.home / "environments/small"), call_limit=0, free_play=True)
            local.replay(log["records"])
            assert (local.digest, local.state_digest) == (log["digest"], shown["state_digest"])
            local.close()
            calls += len(made)
    return calls


async def grade(url: str, token: str, told: dict[str, Any], rng: random.Random, kill: Any, kill_at: int) -> None:
    """Starts and scores runs until the sidecar is killed; `told` keeps what was answered: None for a started run, else its report."""
    answers = 0
    headers = {"authorization": f"Bearer {token}"}

    async def client() -> None:
        nonlocal answers
        async with httpx.AsyncClient(base_url=url, headers=headers, trust_env=False, timeout=30) as http:
            with contextlib.suppress(httpx.TransportError, json.JSONDecodeError):
                while True:
                    task = rng.choice(["small-do", "small-ask", "small-decline"])
                    started = await http.post("/v1/runs", json={"task": task})
                    run = started.json()["run"]
                    told[run] = None
                    scored = await http.post(f"/v1/runs/{run}/score")
                    told[run] = scored.json()
                    answers += 1
                    if answers >= kill_at:
                        kill()

    async with asyncio.timeout(60), asyncio.TaskGroup() as tasks:
        for _ in range(CLIENTS):
            tasks.create_task(client())
