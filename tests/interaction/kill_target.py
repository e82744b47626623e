"""A process that is meant to be killed: plays calls in several episodes and says on stdout what was answered."""

import asyncio
import sys
from pathlib import Path

from registry.catalogue import Catalogue
from registry.episode import Episodes, EpisodeSpec
from registry.store.sqlite import SqliteStore

CALLS = 200


async def play(episodes, key):
    for number in range(CALLS):
        outcome = await episodes.call(key, "add_note", {"owner_id": "OWN-1", "text": f"note {number}"})
        print(key, number + 1, outcome.result["id"], flush=True)


async def main(home, sync):
    async with Episodes(Catalogue(home / "environments"), SqliteStore(home / "store", sync=sync)).running() as episodes:
        keys = [(await episodes.create(EpisodeSpec(environment="small", key=f"k{number}"))).key for number in range(3)]
        await asyncio.gather(*(play(episodes, key) for key in keys))


asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
