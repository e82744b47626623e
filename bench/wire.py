"""Server CPU per call over HTTP: farm, bare route and SDK in one run, in rounds that take turns."""

import statistics
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from bench.cpu import cpu_seconds
from bench.figures import Figure, at_most, plain
from bench.processes import Client, Served, client, farm, peer
from bench.work import ENVIRONMENT, KINDS, Call, bare_request, calls, circle, mcp_request
from registry.catalogue import open_folder

CLIENTS = (1, 16)
SYNCS = ("normal", "full")
WARM_UP = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounds:
    """How much is measured.

    Attributes:
        rounds: Of which the median is taken.
        calls: In each, over all clients.
    """

    rounds: int
    calls: int


def wire_figures(home: Path, scratch: Path, rounds: Rounds) -> Iterator[Figure]:
    """Microseconds for each server, and how the farm compares."""
    environment = open_folder(home / "environments" / ENVIRONMENT)
    database = scratch / "start.sqlite"
    database.write_bytes(environment.template())
    with ExitStack() as stack:
        servers = [stack.enter_context(peer(kind, database)) for kind in ("bare", "sdk")]
        servers += [stack.enter_context(farm(home, scratch, sync)) for sync in SYNCS]
        caller = stack.enter_context(client())
        for kind in KINDS:
            made = calls(environment, kind)
            for count in CLIENTS:
                yield from _compared(kind, count, _measure(caller, servers, made, count, f"{kind}-{count}", rounds))


def _measure(caller: Client, servers: list[Served], made: list[Call], clients: int, key: str, rounds: Rounds) -> dict[str, float]:
    """Median microseconds by server."""
    found: dict[str, list[float]] = defaultdict(list)
    each = max(1, rounds.calls // clients)
    each -= each % len(made) if each > len(made) else 0
    for server in servers:
        caller.play(server.port, [_requests(server, circle(made, max(len(made), WARM_UP // clients)), f"{key}-{one}") for one in range(clients)])
    for _ in range(rounds.rounds):
        for server in servers:
            requests = [_requests(server, circle(made, each), f"{key}-{one}") for one in range(clients)]
            before = cpu_seconds(server.pid)
            caller.play(server.port, requests)
            found[server.name].append((cpu_seconds(server.pid) - before) / (each * clients) * 1e6)
    return {name: statistics.median(values) for name, values in found.items()}


def _requests(server: Served, made: list[Call], key: str) -> list[bytes]:
    if server.name == "bare":
        return [bare_request(f"/{key}", one) for one in made]
    path = f"/{key}" if server.name == "sdk" else f"/env/{ENVIRONMENT}/e/{key}/mcp"
    return [mcp_request(path, one, number) for number, one in enumerate(made)]


def _compared(kind: str, clients: int, micros: dict[str, float]) -> Iterator[Figure]:
    what = f"{kind}, {clients} client{'s' if clients > 1 else ''}"
    for name, value in micros.items():
        yield plain(f"{what}: {name}", value, "us CPU")
    for sync in SYNCS:
        ours = micros[f"farm, sync {sync}"]
        times = ours / micros["bare"]
        yield (
            at_most(f"{what}: farm over bare route, sync {sync}", times, "x", 2.0)
            if sync == "normal"
            else plain(f"{what}: farm over bare route, sync {sync}", times, "x")
        )
    yield at_most(f"{what}: farm over SDK", micros["farm, sync normal"] / micros["sdk"], "x", 1.0)
