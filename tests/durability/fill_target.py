"""A process that plays calls under a limit on the size of its files: says what was answered, then how the first failure was told."""

import asyncio
import resource
import sys
from pathlib import Path

from registry.catalogue import Catalogue
from registry.episode import Episodes, EpisodeSpec
from registry.errors import StoreError
from registry.store.sqlite import SqliteStore


async def main(home, most):
    async with Episodes(Catalogue(home / "environments"), SqliteStore(home / "store")).running() as episodes:
        await episodes.create(EpisodeSpec(environment="small", key="full", call_limit=0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
        failures = 0
        while failures < 5:
            try:
                made = await episodes.call("full", "add_note", {"owner_id": "OWN-1", "text": "x" * 1000})
            except StoreError as error:
                failures += 1
                print("failed", str(error), flush=True)
            else:
                print("answered", made.result["id"], flush=True)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        made = await episodes.call("full", "add_note", {"owner_id": "OWN-1", "text": "room again"})
        print("answered", made.result["id"], flush=True)


asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
