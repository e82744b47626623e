"""Listening sockets, and several uvicorn servers in one process under one pair of signals."""

import asyncio
import contextlib
import errno
import os
import socket
from collections.abc import AsyncIterator, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import uvicorn

from server.connections import BoundedProtocol, watched
from server.errors import UserError

BACKLOG = 2048


def bind(host: str, port: int, option: str) -> socket.socket:
    """A listening socket; port 0 takes a free one.

    Args:
        host: Address or name.
        port: 0 to 65535.
        option: The command's option that names the port, for the error sentence.

    Raises:
        UserError: the port is in use, or the address is not one of this machine.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # accepted sockets inherit it
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise UserError(
                f"{option}: expected a free port, got {port} on {host}, which is in use. Stop what listens there, or give another."
            ) from error
        raise UserError(
            f"{option}: expected an address of this machine, got {host}:{port} ({os.strerror(error.errno or 0)}). Give another."
        ) from error
    listener.listen(BACKLOG)
    listener.setblocking(False)  # noqa: FBT003
    return listener


def address(listener: socket.socket) -> str:
    """`host:port` as it stands in a URL; the unspecified address is shown as loopback."""
    host, port = listener.getsockname()[:2]
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104
    return f"[{shown}]:{port}" if ":" in shown else f"{shown}:{port}"


class QuietServer(uvicorn.Server):
    """A uvicorn server that leaves signals to its owner."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Installs nothing: two servers in one loop would fight over the same signals."""
        yield


def make_server(app: Any, *, grace: float, root_path: str = "", connections: int | None = None) -> QuietServer:
    """A uvicorn server for one application, with the fastest loop and parser there is.

    Args:
        app: The ASGI application.
        grace: Seconds that open streams get to end.
        root_path: Prefix under which a proxy serves it.
        connections: How many are served at once; on further ones requests answer 503.
    """
    config = uvicorn.Config(
        _quiet_when_cut(app),
        http=BoundedProtocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        root_path=root_path,
        limit_concurrency=connections,
        timeout_graceful_shutdown=max(1, round(grace)),
        timeout_keep_alive=75,
        proxy_headers=False,
    )
    return QuietServer(config)


@asynccontextmanager
async def served(pairs: Sequence[tuple[QuietServer, socket.socket]], grace: float | None = None) -> AsyncIterator[None]:
    """Serves all of them while entered, then stops them together.

    Args:
        pairs: Each with its listening socket.
        grace: Seconds after which what is still open then is cut off, whatever it is; the server's own, in whole seconds, when left out.
    """
    tasks = [asyncio.create_task(server.serve(sockets=[listener])) for server, listener in pairs]
    try:
        async with contextlib.AsyncExitStack() as stack:
            for server, _ in pairs:
                await stack.enter_async_context(watched(server.server_state.connections))
            yield
    finally:
        for server, _ in pairs:
            server.should_exit = True
        cut = None if grace is None else asyncio.get_running_loop().call_later(grace, _cut, [server for server, _ in pairs])
        done = await asyncio.gather(*tasks, return_exceptions=True)
        if cut is not None:
            cut.cancel()
        for error in done:
            if isinstance(error, Exception):
                raise error


def _quiet_when_cut(app: Any) -> Any:
    """The application; a request that is cut off at the end is no error of it, which uvicorn would log with a traceback."""

    async def served_or_cut(scope: Any, receive: Any, send: Any) -> None:
        try:
            await app(scope, receive, send)
        except asyncio.CancelledError:  # nobody else cancels the task of a request
            return

    return served_or_cut


def _cut(servers: Sequence[QuietServer]) -> None:
    """Ends connections, then the requests that do not see it."""
    loop = asyncio.get_running_loop()
    for server in servers:
        for connection in list(server.server_state.connections):
            connection.transport.abort()
        for task in list(server.server_state.tasks):
            loop.call_soon(task.cancel)


def run_loop(main: Coroutine[Any, Any, int]) -> int:
    """Runs `main` on uvloop, where there is one."""
    try:
        import uvloop  # noqa: PLC0415 (not on every platform)
    except ImportError:
        return asyncio.run(main)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(main)
