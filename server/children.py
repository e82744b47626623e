"""Processes that a farm starts, and that end with it."""

import asyncio
import contextlib
import signal
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx

from server.errors import UserError

LOOK = 0.05
"""Seconds between looks at whether a child answers."""
PATIENCE = 120.0
"""Seconds in which a child must answer: a busy machine takes long to start one."""
FAREWELL = 3.0
"""Seconds that a child gets to stop before it is killed."""
GROUP: dict[str, Any] = {"creationflags": 0x200} if sys.platform == "win32" else {"start_new_session": True}
"""A signal from the terminal reaches the farm alone, which then stops its children in order."""

LAST = 400
"""Of the last message of a child that did not start, so many characters are shown."""


@asynccontextmanager
async def child(
    module: str, variables: Mapping[str, str], health: str, *, log: Path | None = None, farewell: float = FAREWELL
) -> AsyncIterator[asyncio.subprocess.Process]:
    """A Python module as a process of its own, from when it answers until the block is left.

    It ends when this process does, however that happens: `server.child` watches the pipe that is its stdin.

    Args:
        module: What `python -m` runs.
        variables: The whole environment of the process.
        health: A URL that answers 200 when it serves.
        log: File that its messages are added to; those of this process by default.
        farewell: Seconds that it gets to stop.

    Raises:
        UserError: it ended or stayed silent.
    """
    with log.open("ab") if log is not None else contextlib.nullcontext(2) as errors:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "server.child", module, stdin=asyncio.subprocess.PIPE, stdout=errors, stderr=errors, env=dict(variables), **GROUP
        )
    try:
        await _answers(process, module, health, log)
        yield process
    finally:
        await _stop(process, farewell)


@asynccontextmanager
async def companion(words: Sequence[str], variables: Mapping[str, str], ended: Callable[[int], None]) -> AsyncIterator[None]:
    """A Python module that works beside this process, and is stopped when the block is left or this process ends.

    Args:
        words: What follows `python -m`; its stdout is dropped.
        variables: The whole environment of the process.
        ended: Told the exit code if it ends by itself.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "server.child", *words, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL, env=dict(variables), **GROUP
    )

    async def watch() -> None:
        ended(await process.wait())

    watching = asyncio.create_task(watch())
    try:
        yield
    finally:
        watching.cancel()
        await _stop(process)


async def _answers(process: asyncio.subprocess.Process, module: str, health: str, log: Path | None) -> None:
    async with httpx.AsyncClient(trust_env=False, timeout=2) as client:
        try:
            async with asyncio.timeout(PATIENCE):
                while process.returncode is None:
                    with contextlib.suppress(httpx.HTTPError):
                        if (await client.get(health)).is_success:
                            return
                    await asyncio.sleep(LOOK)
        except TimeoutError:
            raise UserError(f"{module}: expected an answer from {health} within {PATIENCE:.0f} seconds, got none. {_messages(log)}") from None
    raise UserError(f"{module}: expected a process that serves, but it ended with exit code {process.returncode}. {_messages(log)}")


def _messages(log: Path | None) -> str:
    """Where its messages are, and the last of them."""
    if log is None:
        return "See its messages above."
    with contextlib.suppress(OSError):
        said = log.read_text(encoding="utf-8", errors="replace").strip().rpartition("\n")[2]
        if said:
            return f"Its last message: {said[:LAST]} (all of them: {log})"
    return f"Its messages: {log}"


async def _stop(process: asyncio.subprocess.Process, farewell: float = FAREWELL) -> None:
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGTERM)
        try:
            await asyncio.wait_for(process.wait(), farewell)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    if process.stdin is not None:
        process.stdin.close()
