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
from bench.processes import Client, client, first_line, running
from bench.work import ENVIRONMENT, Call, calls, circle, mcp_request
from registry.catalogue import open_folder
from server.tokens import read_tokens

EPISODES = 8
PLAYERS = 2
KIND = "read"


def worker_figures(home: Path, scratch: Path, amount: int) -> Iterator[Figure]:
    """Calls per second by number of workers, and how they compare.

    Args:
        home: With the environment.
        scratch: For records.
        amount: Calls in all.
    """
    made = calls(open_folder(home / "environments" / ENVIRONMENT), KIND)
    found = {}
    for workers in (1, 2):
        with _farm(home, scratch / f"workers-{workers}", workers) as urls, ExitStack() as stack:
            players = [stack.enter_context(client()) for _ in range(PLAYERS)]
            _play(players, urls, made, amount // 10)
            started = time.perf_counter()
            _play(players, urls, made, amount)
            found[workers] = amount / (time.perf_counter() - started)
        yield plain(f"{KIND}, {PLAYERS} clients, {workers} worker{'s' if workers > 1 else ''}", found[workers], "calls/s")
    yield plain("2 workers over 1", found[2] / found[1], "x")


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


def _play(players: list[Client], urls: list[str], made: list[Call], amount: int) -> None:
    """All calls, spread over the episodes; episodes of one worker are played by one client."""
    each = max(1, amount // len(urls))

    def play(number: int) -> None:
        mine = sorted(urls, key=lambda url: urlsplit(url).port or 0)[number * len(urls) // PLAYERS : (number + 1) * len(urls) // PLAYERS]
        requests = [[mcp_request(urlsplit(url).path, one, index) for index, one in enumerate(circle(made, each))] for url in mine]
        players[number].play(urlsplit(mine[0]).port or 0, requests)

    with ThreadPoolExecutor(PLAYERS) as pool:
        list(pool.map(play, range(PLAYERS)))
