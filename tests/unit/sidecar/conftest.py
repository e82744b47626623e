"""A farm with its sidecar in this process."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.unit.sidecar.small_pack import write_home
from tests.unit.sidecar.test_sidecar_http import Stage, staged


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    # The session manager's task group must be left by the task that entered it, which pytest's set-up and tear-down do not promise.
    ready: asyncio.Future[Stage] = asyncio.get_running_loop().create_future()
    over = asyncio.Event()

    async def own() -> None:
        async with staged(write_home(tmp_path)) as one:
            ready.set_result(one)
            await over.wait()

    owner = asyncio.create_task(own())
    await asyncio.wait({owner, ready}, return_when=asyncio.FIRST_COMPLETED)
    yield await (ready if ready.done() else owner)  # type: ignore[misc]
    over.set()
    await owner
