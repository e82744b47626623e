"""Many packages in one process."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from bench.cpu import cpu_seconds, resident_bytes
from bench.figures import Figure, at_most
from bench.processes import ROOT
from bench.work import ENVIRONMENT

TOUCHED = 50


def catalogue_figures(home: Path, scratch: Path, count: int) -> Iterator[Figure]:
    """A process of its own catalogues copies of one package under many names, and calls a tool of some."""
    folder = scratch / "catalogue"
    for number in range(count):
        _copy(home / "environments" / ENVIRONMENT, folder / f"{ENVIRONMENT}_{number:04}")
    told = subprocess.run(
        [sys.executable, "-m", "bench.catalogue", str(folder), str(scratch / "catalogue_store")],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    boot, memory = json.loads(told.stdout)
    yield at_most(f"{count} packages catalogued: start of the process", boot, "CPU s", 5)
    yield at_most(f"{count} packages catalogued, {TOUCHED} touched: memory", memory / 1e6, "MB", 300)


def _copy(source: Path, target: Path) -> None:
    shutil.copytree(source, target)
    manifest = target / "env.toml"
    manifest.write_text(manifest.read_text(encoding="utf-8").replace(f'id = "{ENVIRONMENT}"', f'id = "{target.name}"', 1), encoding="utf-8")


async def _serve(folder: Path, store: Path) -> None:
    from registry.catalogue import Catalogue  # noqa: PLC0415 the import is part of what is measured
    from registry.config import RegistrySettings  # noqa: PLC0415
    from registry.episode import Episodes  # noqa: PLC0415
    from registry.store.sqlite import SqliteStore  # noqa: PLC0415
    from server.config import Settings  # noqa: PLC0415
    from server.farm import running_farm  # noqa: PLC0415
    from server.keyring import open_keyring  # noqa: PLC0415
    from server.offer import offered  # noqa: PLC0415

    catalogue = Catalogue(folder)
    episodes = Episodes(catalogue, SqliteStore(store), RegistrySettings())
    async with (
        episodes.running(),
        running_farm(Settings(), catalogue, episodes, open_keyring(store / "token_hashes", store / "tokens"), "http://127.0.0.1") as farm,
    ):
        found = offered(catalogue)
        boot = cpu_seconds(os.getpid())
        for one in found[:TOUCHED]:
            seat = await farm.agent.seats.find(one.id, "bench")
            assert seat is not None
            await episodes.call(seat.key, "get_owner", {"owner_id": "OWN-0001"})
        print(json.dumps([boot, resident_bytes(os.getpid())]))


if __name__ == "__main__":
    import asyncio

    asyncio.run(_serve(Path(sys.argv[1]), Path(sys.argv[2])))
