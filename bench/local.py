"""A call in this process, without HTTP."""

import gc
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

import envfarm
from bench.figures import Figure, at_most
from bench.work import ENVIRONMENT, KINDS, Call, calls, circle


def local_figures(home: Path, rounds: int, count: int) -> Iterator[Figure]:
    """Microseconds of one call with validation and chained record."""
    environment = envfarm.open_environment(home / "environments" / ENVIRONMENT)
    for kind in (*KINDS, "search"):
        made = [Call(tool="search_owners", arguments={"name": "an", "limit": 5})] if kind == "search" else calls(environment, kind)
        episode = envfarm.LocalEpisode(environment, call_limit=0)
        found = []
        for _ in range(rounds):
            listed = circle(made, count)
            gc.collect()
            before = time.process_time()
            for one in listed:
                episode.call(one.tool, one.arguments)
            found.append((time.process_time() - before) / count * 1e6)
        yield at_most(f"in process: {kind}", statistics.median(found), "us CPU", 100)
