"""stdio from its first line on: the opening is answered at once, the SDK is imported when it is needed."""

import asyncio
import contextlib
import os
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

from server.agent.guard import deeper_than
from server.agent.opening import Opening, Unknown
from server.agent.wire import read_lines, takes_now, write_line

LOOK = 1.0
"""Seconds between looks at whether the parent process still lives; the SDK's part looks by itself."""


class Lines:
    """Lines of the input in order; at most one waits.

    Args:
        source: The descriptor that is read, in a thread of its own.
    """

    def __init__(self, source: int) -> None:
        self._waiting: asyncio.Queue[bytes | None] = asyncio.Queue(1)
        self._first: list[bytes] = []
        loop = asyncio.get_running_loop()

        def each(line: bytes) -> None:
            asyncio.run_coroutine_threadsafe(self._waiting.put(line), loop).result()

        def ended() -> None:
            with contextlib.suppress(RuntimeError):  # the loop has gone
                asyncio.run_coroutine_threadsafe(self._waiting.put(None), loop)

        read_lines(source, each, ended)

    def again(self, line: bytes) -> None:
        """Lets this line come first."""
        self._first.append(line)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Lines until the input ends."""
        while True:
            line = self._first.pop(0) if self._first else await self._waiting.get()
            if line is None:
                return
            yield line


async def serve_early(opening: Opening, make_server: Callable[[], Any], *, out: int, source: int = 0, max_line: int, max_depth: int) -> None:
    """Serves one connection until its input ends, its reader leaves or the parent process dies.

    Args:
        opening: Answers as long as it can.
        make_server: The MCP server, whose import takes long; called when `opening` cannot answer.
        out: The private copy of stdout.
        source: The descriptor that is read.
        max_line: Bytes of one message.
        max_depth: Levels of nesting of one message.
    """
    lines = Lines(source)
    opened = asyncio.ensure_future(_open(opening, lines, out, max_line, max_depth))
    watch = asyncio.ensure_future(_parent_gone())
    done, pending = await asyncio.wait({opened, watch}, return_when=asyncio.FIRST_COMPLETED)
    for one in pending:
        one.cancel()
    if opened not in done or not opened.result():
        return
    from server.agent.stdio import serve_stdio  # noqa: PLC0415 imported when it is needed: it takes most of a start

    await serve_stdio(make_server(), out=out, lines=lines, said=opening.said(), max_line=max_line, max_depth=max_depth)


async def _open(opening: Opening, lines: Lines, out: int, max_line: int, max_depth: int) -> bool:
    """Answers until the input ends or the reader leaves; True if somebody else must go on."""
    async for line in lines:
        try:
            if len(line) > max_line or deeper_than(line, max_depth):
                raise Unknown
            answer = await opening.answer(line)
        except Unknown:
            lines.again(line)
            return True
        try:
            if answer and takes_now(out, len(answer) + 1):
                write_line(out, answer)
            elif answer:
                await _write_apart(out, answer)
        except OSError:
            return False
    return False


async def _write_apart(out: int, line: bytes) -> None:
    """Writes in a thread that nobody waits for at the end of the process: the reader may never read on.

    Raises:
        OSError: Nobody reads any more.
    """
    loop = asyncio.get_running_loop()
    written: asyncio.Future[OSError | None] = loop.create_future()

    def settle(error: OSError | None) -> None:
        if not written.done():
            written.set_result(error)

    def tell(error: OSError | None) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has gone
            loop.call_soon_threadsafe(settle, error)

    def work() -> None:
        try:
            write_line(out, line)
        except OSError as error:
            tell(error)
        else:
            tell(None)

    threading.Thread(target=work, name="stdout", daemon=True).start()
    error = await written
    if error is not None:
        raise error


async def _parent_gone() -> None:
    """Returns when the parent has died: it may have left our stdin open in another child of its."""
    parent = os.getppid()
    while os.getppid() == parent:  # noqa: ASYNC110 (no event tells of it on every platform)
        await asyncio.sleep(LOOK)
