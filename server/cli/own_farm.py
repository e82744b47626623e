"""A farm of its own for one command: free ports, records that go with it."""

import asyncio
import contextlib
import json
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from registry.home import Home
from server.config import Settings, child_variables
from server.errors import UserError

START_SECONDS = 60.0
STOP_SECONDS = 10.0
PREFIX, HELD = "envfarm-demo-", "held"
OPTIONS = ("--json", "--no-build", "--port", "0", "--control-port", "0", "--sidecar-port", "0", "--no-free-play", "--host", "127.0.0.1")


@asynccontextmanager
async def own_farm(home: Home, settings: Settings) -> AsyncIterator[tuple[dict[str, Any], Home]]:
    """What `envfarm up --json` says of a farm on the packages and packs of `home`, and the farm's own home.

    The farm ends with the block, and with this process however that ends. Its records and tokens lie in a folder that is removed.

    Raises:
        UserError: It did not start; what it said is on stderr.
    """
    drop_left(Path(tempfile.gettempdir()))
    with tempfile.TemporaryDirectory(prefix=PREFIX) as folder, held(Path(folder)):
        own = Home(root=Path(folder))
        for place, source in ((own.environments, home.environments), (own.packs, home.packs)):
            _shared(place, source)
        variables = child_variables(
            settings, ENVFARM_HOME=folder, ENVFARM_TOKENS="", ENVFARM_TOKEN_HASHES="", ENVFARM_PUBLIC_URL="", ENVFARM_STORE="", ENVFARM_ROOT_PATH=""
        )
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "server.child", "server.cli.main", "up", *OPTIONS),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env=variables,
            limit=1 << 24,
            start_new_session=True,  # a Ctrl-C at the terminal is for the command, which ends the farm when it needs it no more
        )
        try:
            yield await _ready(process), own
        finally:
            await _stopped(process)


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Marks a folder as in use for as long as the block, or this process, lasts."""
    try:
        import fcntl  # not on every system
    except ImportError:
        yield
        return
    with (folder / f"{HELD}.part").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        # Under its name it is never seen without its lock.
        Path(file.name).rename(folder / HELD)
        yield


def drop_left(place: Path) -> None:
    """Removes folders of farms whose commands were killed: nobody else would, and they hold records and tokens."""
    try:
        import fcntl  # not on every system
    except ImportError:
        return
    for mark in sorted(place.glob(f"{PREFIX}*/{HELD}")):
        with contextlib.suppress(OSError), mark.open("r+") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(mark.parent, ignore_errors=True)


def _shared(place: Path, source: Path) -> None:
    source.mkdir(parents=True, exist_ok=True)
    try:
        place.symlink_to(source.absolute(), target_is_directory=True)
    except OSError:  # where links need a privilege
        shutil.copytree(source, place)


async def _ready(process: asyncio.subprocess.Process) -> dict[str, Any]:
    assert process.stdout is not None
    try:
        line = await asyncio.wait_for(process.stdout.readline(), START_SECONDS)
    except TimeoutError:
        line = b""
    if not line:
        raise UserError("farm: expected a farm that starts, got none. See its messages above.")
    told: dict[str, Any] = json.loads(line)
    return told


async def _stopped(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.terminate()
        try:
            await asyncio.wait_for(process.wait(), STOP_SECONDS)
        except TimeoutError:
            process.kill()
            await process.wait()
    if process.stdin is not None:
        process.stdin.close()
