"""The end of the process that started this one."""

import os

import anyio

WATCH = 1.0
"""Seconds between looks at whether the parent process still lives."""


async def watch_parent(scope: anyio.CancelScope) -> None:
    """Cancels `scope` when the parent has died.

    A parent that was killed may leave our stdin open in another child of its: then no end of input ever comes.
    """
    parent = os.getppid()
    while os.getppid() == parent:  # noqa: ASYNC110 (no event tells of it on every platform)
        await anyio.sleep(WATCH)
    scope.cancel()
