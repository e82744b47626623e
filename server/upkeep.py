"""Old episodes of a farm that serves are closed and forgotten from time to time."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from registry.episode.upkeep import AgeLimits
from server.farm import Farm

UPKEEP_SECONDS = 60.0


@asynccontextmanager
async def kept_tidy(farm: Farm, limits: AgeLimits) -> AsyncIterator[None]:
    """Sweeps while entered, where there are limits."""

    async def watch() -> None:
        while True:
            await farm.sweep(limits)
            await asyncio.sleep(UPKEEP_SECONDS)

    task = asyncio.create_task(watch()) if limits != AgeLimits() else None
    try:
        yield
    finally:
        if task is not None:
            task.cancel()
            await asyncio.wait([task])
