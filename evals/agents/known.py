"""What baselines may be told."""

import asyncio
from collections.abc import Sequence
from typing import Any

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
