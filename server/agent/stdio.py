"""One seat on stdin and stdout, both protocol eras."""

from collections.abc import AsyncIterable, AsyncIterator, Sequence
from typing import Any

import anyio
import anyio.to_thread
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp import types
from mcp.server import Server
from mcp.shared.message import SessionMessage
from mcp.types import jsonrpc_message_adapter
from pydantic import ValidationError

from server.agent.both_eras import BothEras
from server.agent.early_stdio import Lines
from server.agent.guard import deeper_than
from server.agent.opening import Said
from server.agent.parent import watch_parent
from server.agent.wire import takes_now, write_line

NOTHING_SAID = Said((), None)
DRAIN = 30.0
"""Seconds in which calls that were read before the end of the input are answered."""


async def serve_stdio(
    server: Server[Any],
    *,
    out: int,
    lines: AsyncIterable[bytes] | None = None,
    said: Said = NOTHING_SAID,
    max_line: int = 1_048_576,
    max_depth: int = 64,
) -> None:
    """Serves until the input ends, the reader leaves or the parent process dies.

    Args:
        server: Has a fixed seat.
        out: The private copy of stdout.
        lines: The input; stdin by default.
        said: What was said before, and answered by another.
        max_line: Bytes of one message.
        max_depth: Levels of nesting of one message.
    """
    messages, read = anyio.create_memory_object_stream[SessionMessage](0)
    write, answers = anyio.create_memory_object_stream[SessionMessage](0)
    taken = _Lines(messages, write.clone(), max_line=max_line, max_depth=max_depth)
    greeted = anyio.Event()
    with messages, answers, read:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(watch_parent, tasks.cancel_scope)
            tasks.start_soon(taken.run, said.lines, greeted, lines or Lines(0))
            async with anyio.create_task_group() as wire:
                wire.start_soon(_write_out, _but_greeting(answers, said.number, greeted), out, tasks.cancel_scope)
                await BothEras(server, write, drain=DRAIN).run(read)
                taken.close()
            tasks.cancel_scope.cancel()


class _Lines:
    """Turns lines into messages; answers what is no message itself."""

    def __init__(
        self, messages: MemoryObjectSendStream[SessionMessage], write: MemoryObjectSendStream[SessionMessage], *, max_line: int, max_depth: int
    ) -> None:
        self._messages = messages
        self._write = write
        self._max_line = max_line
        self._max_depth = max_depth

    async def run(self, said: Sequence[bytes], greeted: anyio.Event, lines: AsyncIterable[bytes]) -> None:
        """Takes what was said before (the rest of it when its greeting was answered), then all lines to the end of the input."""
        for number, line in enumerate(said):
            await self._take(line)
            if number == 0:
                await greeted.wait()
        async for line in lines:
            await self._take(line)
        self._messages.close()

    def close(self) -> None:
        """Writes nothing more."""
        self._write.close()

    async def _take(self, line: bytes) -> None:
        try:
            if len(line) > self._max_line or deeper_than(line, self._max_depth):
                await self._refuse(types.INVALID_REQUEST, f"A message may have {self._max_line} bytes and {self._max_depth} levels of nesting.")
            else:
                await self._messages.send(SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False)))
        except ValidationError as error:
            parsed = all(one["type"] != "json_invalid" for one in error.errors(include_url=False, include_input=False, include_context=False))
            if parsed:
                await self._refuse(types.INVALID_REQUEST, "Expected one JSON-RPC 2.0 request, notification or response a line.")
            else:
                await self._refuse(types.PARSE_ERROR, "Parse error: expected one JSON object a line.")
        except (anyio.ClosedResourceError, anyio.BrokenResourceError):
            return

    async def _refuse(self, code: int, message: str) -> None:
        await self._write.send(SessionMessage(types.JSONRPCError(jsonrpc="2.0", id=None, error=types.ErrorData(code=code, message=message))))


async def _but_greeting(
    answers: MemoryObjectReceiveStream[SessionMessage], number: str | int | None, greeted: anyio.Event
) -> AsyncIterator[SessionMessage]:
    """The answers without that to a greeting which was answered before; None if there was none."""
    async for item in answers:
        if number is None or greeted.is_set():
            yield item
        elif isinstance(item.message, types.JSONRPCResponse | types.JSONRPCError) and item.message.id == number:
            greeted.set()


async def _write_out(answers: AsyncIterable[SessionMessage], out: int, scope: anyio.CancelScope) -> None:
    async for item in answers:
        line = item.message.model_dump_json(by_alias=True, exclude_unset=True).encode()
        try:
            if takes_now(out, len(line) + 1):
                write_line(out, line)
            else:
                await anyio.to_thread.run_sync(write_line, out, line, abandon_on_cancel=True)
        except OSError:
            scope.cancel()
            return
