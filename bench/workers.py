"""Calls per second of a farm with one and with two workers, under the same load from two client processes."""

import json
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from bench.figures import Figure, plain
from bench.processes import client, first_line, running
from bench.work import ENVIRONMENT, Call, calls, circle, mcp_request
from registry.catalogue import open_folder
from server.tokens import read_tokens

EPISODES = 8
PLAYERS = 2
ROUNDS = 20
KIND = "read"


def worker_figures(home: Path, scratch: Path, amount: int) -> Iterator[Figure]:
    """Calls per second by number of workers, and how they compare.

    Both farms are there all the time and take turns; the best round of each counts, which is the one that other programs disturbed least.

    Args:
        home: With the environment.
        scratch: For records.
        amount: Calls to each farm in all.
    """
    made = calls(open_folder(home / "environments" / ENVIRONMENT), KIND)
    best = {1: 0.0, 2: 0.0}
    with ExitStack() as stack:
        farms = {
            workers: _jobs(stack.enter_context(_farm(home, scratch / f"workers-{workers}", workers)), made, amount // ROUNDS) for workers in best
        }
        players = [stack.enter_context(client()) for _ in range(PLAYERS)]
        pool = stack.enter_context(ThreadPoolExecutor(PLAYERS))
        for number in range(ROUNDS + 1):
            for workers, jobs in farms.items():
                started = time.perf_counter()
                list(pool.map(lambda player, job: player.play(*job), players, jobs))
                seconds = time.perf_counter() - started
                if number:  # the first round warms up
                    best[workers] = max(best[workers], sum(len(one) for _, requests in jobs for one in requests) / seconds)
    for workers, speed in best.items():
        yield plain(f"{KIND}, {PLAYERS} clients, {workers} worker{'s' if workers > 1 else ''}", speed, "calls/s")
    yield plain("2 workers over 1", best[2] / best[1], "x")


@contextmanager
def _farm(home: Path, place: Path, workers: int) -> Iterator[list[str]]:
    """The farm; gives the addresses of its episodes, half of them for each client."""
    place.mkdir()
    (place / "environments").symlink_to(home / "environments")
    ports = ["--port", "0", "--control-port", "0", "--worker-port", "0"]
    command = [sys.executable, "-m", "server.cli.main", "up", "--json", "--no-build", "--no-sidecar", "--workers", str(workers), *ports]
    with running(command, ENVFARM_HOME=str(place)) as process:
        ready = json.loads(first_line(process, "envfarm up"))
        headers = {"authorization": f"Bearer {read_tokens(Path(ready['tokens'])).control}"}
        with httpx.Client(base_url=ready["control_url"], headers=headers, trust_env=False, timeout=30) as control:
            wanted = {"environment": ENVIRONMENT, "call_limit": 0}
            yield [str(control.post("/v1/episodes", json=wanted).json()["mcp_url"]) for _ in range(EPISODES)]


def _jobs(urls: list[str], made: list[Call], amount: int) -> list[tuple[int, list[list[bytes]]]]:
    """For each player a port, and the requests of each of its episodes; episodes of one worker are played by one client."""
    places = sorted((urlsplit(url) for url in urls), key=lambda place: place.port or 0)
    each = max(1, amount // len(places))
    jobs = []
    for number in range(PLAYERS):
        mine = places[number * len(places) // PLAYERS : (number + 1) * len(places) // PLAYERS]
        jobs.append((mine[0].port or 0, [[mcp_request(place.path, one, index) for index, one in enumerate(circle(made, each))] for place in mine]))
    return jobs
