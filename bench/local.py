"""A call in this process, without HTTP."""

import gc
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

import envfarm
from bench.figures import Figure, at_most, plain
from bench.work import ENVIRONMENT, KINDS, Call, calls, circle

STRETCHES = 20


def local_figures(home: Path, rounds: int, count: int) -> Iterator[Figure]:
    """Microseconds of one call with validation and chained record.

    The least of many short stretches counts: whatever else the machine does can only make a stretch longer. Their median tells how much it did.
    Source: https://docs.python.org/3/library/timeit.html#timeit.Timer.repeat
    """
    environment = envfarm.open_environment(home / "environments" / ENVIRONMENT)
    for kind in (*KINDS, "search"):
        made = [Call(tool="search_owners", arguments={"name": "an", "limit": 5})] if kind == "search" else calls(environment, kind)
        episode = envfarm.LocalEpisode(environment, call_limit=0)
        found = []
        for _ in range(rounds * STRETCHES):
            listed = circle(made, count // STRETCHES)
            gc.collect()
            before = time.process_time()
            for one in listed:
                episode.call(one.tool, one.arguments)
            found.append((time.process_time() - before) / len(listed) * 1e6)
        yield at_most(f"in process: {kind}", min(found), "us CPU", 100)
        yield plain(f"in process: {kind}, median stretch", statistics.median(found), "us CPU")
