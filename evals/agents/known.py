"""Gold of tasks, for baselines and records."""

import asyncio
from collections.abc import Sequence
from typing import Any

from evals.sidecar import Sidecar, TaskLine
from registry.package.pack import Gold


class Known:
    """Gold of tasks, asked for once each: what baselines may be told, and what stands beside each run.

    Args:
        sidecar: Tells gold.
        tasks: All tasks of the packs.
    """

    def __init__(self, sidecar: Sidecar, tasks: Sequence[TaskLine]) -> None:
        self._sidecar = sidecar
        self.tasks = {one.task: one for one in tasks}
        self._told: dict[tuple[str, bool], asyncio.Task[dict[str, Any]]] = {}
        self._golds: dict[str, Gold] = {}
        self._packs: dict[str, list[str]] = {}
        for one in sorted(tasks, key=lambda one: one.task):
            self._packs.setdefault(one.pack, []).append(one.task)

    async def told(self, task: str, *, played: bool = False) -> dict[str, Any]:
        """`gold` and `looks` of a task, and if `played`, `writes` and `ids`."""
        place = (task, played or (task, True) in self._told)
        if place not in self._told:
            self._told[place] = asyncio.create_task(self._sidecar.gold(task, played=played))
        return await self._told[place]

    async def gold(self, task: str) -> Gold:
        """The gold of a task."""
        if task not in self._golds:
            self._golds[task] = Gold.model_validate((await self.told(task))["gold"])
        return self._golds[task]

    def pack_of(self, task: str) -> list[str]:
        """The tasks of the pack that has this one, sorted; none for a task that is not known."""
        mine = self.tasks.get(task)
        return self._packs[mine.pack] if mine is not None else []
