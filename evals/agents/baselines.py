"""The built-in agents by name, each a function that plays one session."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import httpx

from evals.agents.agent import Episode, Outcome
from evals.agents.builtin import noop, oracle
from evals.agents.careful import careful_oracle
from evals.session import ThinSession
from evals.sidecar import Sidecar, TaskLine
from registry.package.pack import Gold


class Known:
    """What baselines may be told: gold of tasks, asked for once each.

    Args:
        sidecar: Tells gold.
        tasks: All tasks of the packs.
    """

    def __init__(self, sidecar: Sidecar, tasks: Sequence[TaskLine]) -> None:
        self._sidecar = sidecar
        self.tasks = {one.task: one for one in tasks}
        self._told: dict[str, asyncio.Task[dict[str, Any]]] = {}

    async def told(self, task: str) -> dict[str, Any]:
        """`gold`, `writes` and `ids` of a task."""
        if task not in self._told:
            self._told[task] = asyncio.create_task(self._sidecar.gold(task))
        return await self._told[task]

    async def gold(self, task: str) -> Gold:
        """The gold of a task."""
        return Gold.model_validate((await self.told(task))["gold"])


Baseline = Callable[[ThinSession, Episode, Known], Awaitable[Outcome]]


async def _oracle(session: ThinSession, episode: Episode, known: Known) -> Outcome:
    told = await known.told(episode.task)
    gold = await known.gold(episode.task)
    remark = await (careful_oracle(session, gold, told["looks"]) if episode.noisy else oracle(session, gold))
    return Outcome(remark=remark, stopped="gave_up" if remark else "finished")


async def _noop(session: ThinSession, episode: Episode, known: Known) -> Outcome:
    await noop(session, await known.gold(episode.task))
    return Outcome()


BASELINES: dict[str, Baseline] = {"oracle": _oracle, "noop": _noop}
"""Every built-in agent."""


class Played:
    """A baseline as an agent.

    Args:
        name: Of `BASELINES`.
        sidecar: Tells gold.
        http: Carries calls.
        tasks: All tasks of the packs.
    """

    def __init__(self, name: str, sidecar: Sidecar, http: httpx.AsyncClient, tasks: Sequence[TaskLine]) -> None:
        self._baseline, self._http = BASELINES[name], http
        self._known = Known(sidecar, tasks)

    async def play(self, episode: Episode) -> Outcome:
        """Plays one episode."""
        return await self._baseline(ThinSession(episode.mcp_url, self._http), episode, self._known)
