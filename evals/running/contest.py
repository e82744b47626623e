"""Many tasks played by several agents at once, each run scored by the sidecar."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx

from evals.agents.builtin import Agent
from evals.errors import EvalError
from evals.running.runner import first_of
from evals.running.telling import wrong
from evals.session import Client, connected
from evals.sidecar import not_taken
from registry.packs.reading import Task

AT_ONCE = 12
"""Runs under way at a time: enough to keep two processors busy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """One task played by one agent; `run` is the last of its attempts."""

    task: str
    environment: str
    kind: str
    agent: str
    client: Client
    run: str
    verdict: str
    reward: float
    partial: float
    remark: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A task for an agent, over a client."""

    task: Task
    agent: str
    client: Client


class Contest:
    """Plays entries by a running farm.

    Args:
        sidecar_url: Of the sidecar.
        token: `grader`.
        agents: By name.
        heard: Told of each entry that is done.
    """

    def __init__(self, sidecar_url: str, token: str, agents: Mapping[str, Agent], heard: Callable[[Played], None]) -> None:
        self._url, self._agents, self._heard = sidecar_url, agents, heard
        self._headers = {"Authorization": f"Bearer {token}"}

    async def play(self, entries: Sequence[Entry]) -> tuple[Played, ...]:
        """Plays all entries, a bounded number at once; results in the order of the entries.

        Raises:
            EvalError, WireBroken: The farm or the sidecar does not answer; nothing more is played.
        """
        room = asyncio.Semaphore(AT_ONCE)
        limits = httpx.Limits(max_connections=4 * AT_ONCE)
        try:
            async with httpx.AsyncClient(timeout=120, trust_env=False, limits=limits) as http, asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._entry(entry, room, http)) for entry in entries]
        except BaseExceptionGroup as several:
            raise first_of(several) from several
        return tuple(task.result() for task in tasks)

    async def _entry(self, entry: Entry, room: asyncio.Semaphore, http: httpx.AsyncClient) -> Played:
        async with room:
            played, broken = await self._once(entry, http, "")
            if broken:
                played, _ = await self._once(entry, http, played.run)
        self._heard(played)
        return played

    async def _once(self, entry: Entry, http: httpx.AsyncClient, again: str) -> tuple[Played, bool]:
        """One attempt, and whether it is to be repeated."""
        task = entry.task
        run = await self._ask(http, "/v1/runs", {"task": task.public.task, "again": again})
        async with connected(run["mcp_url"], http, entry.client) as session:
            remark = await self._agents[entry.agent](session, task.gold)
        report = await self._ask(http, f"/v1/runs/{run['run']}/score", {})
        played = Played(
            task=task.public.task,
            environment=task.public.environment,
            kind=task.gold.kind,
            agent=entry.agent,
            client=entry.client,
            run=run["run"],
            verdict=report["verdict"],
            reward=report["reward"],
            partial=report["partial"],
            remark=remark or report.get("reason", "") or wrong(report),
        )
        return played, report["verdict"] == "INVALID" and not again

    async def _ask(self, http: httpx.AsyncClient, path: str, body: Mapping[str, Any]) -> Any:
        try:
            reply = await http.post(self._url + path, json=body, headers=self._headers)
        except httpx.HTTPError as error:
            raise EvalError(f"sidecar: expected an answer from {self._url}, got {type(error).__name__}. Run `envfarm up` first.") from error
        if reply.is_success:
            return reply.json()
        if reply.status_code == httpx.codes.UNAUTHORIZED:
            raise EvalError(not_taken(self._url))
        raise EvalError(f"sidecar: {reply.json().get('error', {}).get('message', reply.status_code)}")
