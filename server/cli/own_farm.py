"""A farm of its own for one command: free ports, records that go with it."""

import asyncio
import json
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from registry.home import Home
from server.config import Settings, child_variables
from server.errors import UserError

START_SECONDS = 60.0
STOP_SECONDS = 10.0
OPTIONS = ("--json", "--no-build", "--port", "0", "--control-port", "0", "--sidecar-port", "0", "--no-free-play", "--host", "127.0.0.1")


@asynccontextmanager
async def own_farm(home: Home, settings: Settings) -> AsyncIterator[tuple[dict[str, Any], Home]]:
    """What `envfarm up --json` says of a farm on the packages and packs of `home`, and the farm's own home.

    The farm ends with the block, and with this process however that ends. Its records and tokens lie in a folder that is removed.

    Raises:
        UserError: It did not start; what it said is on stderr.
    """
    with tempfile.TemporaryDirectory(prefix="envfarm-demo-") as folder:
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
        )
        try:
            yield await _ready(process), own
        finally:
            await _stopped(process)


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
