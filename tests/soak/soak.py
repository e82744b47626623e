"""A farm under clients that behave badly: what it holds on to, and how it ends.

python -m tests.soak.soak [CALLS]        200,000 when left out; prints what it saw, exits 1 when something is wrong
"""

import asyncio
import contextlib
import json
import signal
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.farm import farm_process
from tests.soak.wild import Wild
from tests.unit.registry.small_package import write_package

CALLS = 200_000
WORKERS = 24
SESSIONS = 40
"""Sessions of the older protocol; few, so that those which nobody ends make room in this run already."""
STEPS = 4
WORKER_THREADS = 4
"""Those that write the log come with the first load."""
MEGABYTE = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Held:
    """What the farm's process holds when no client is there."""

    calls: int
    megabytes: float
    descriptors: int
    threads: int

    def __str__(self) -> str:
        return f"{self.calls:>9,} {self.megabytes:>10.1f} {self.descriptors:>12} {self.threads:>8}"


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What one run saw.

    Attributes:
        held: After the warm-up, then after each part of the run.
        wrong: What clients that behave did not get.
        lost: Calls that were answered and are not in the log.
        stop: Seconds from the signal to the end of the process, under load.
        code: Its exit code.
        kinds: How often each kind of client ran.
        errors: What the farm said on stderr.
    """

    held: tuple[Held, ...]
    wrong: tuple[str, ...]
    lost: tuple[str, ...]
    stop: float
    code: int
    kinds: dict[str, int]
    errors: str


async def soak(home: Path, calls: int, *, seed: int = 1, say=lambda line: None) -> Seen:
    """Runs `calls` to warm up, then as many again in parts, against a farm process on `home`; stops it while more are on their way; reads its log.

    Pages, arenas and caches fill during the first 150,000 calls.
    """
    write_package(home / "environments", "small")
    settings = {"ENVFARM_MAX_SESSIONS": str(SESSIONS), "ENVFARM_MAX_BODY": "60000"}
    held = []
    with farm_process(home, **settings) as farm:
        wild = Wild(int(farm.agent_url.rpartition(":")[2]), seed)
        for part in (calls, *[calls // STEPS] * STEPS):
            await wild.run(part, WORKERS)
            held.append(await at_rest(farm, wild.tally.sent))
            say(str(held[-1]))
        load = asyncio.create_task(wild.run(1 << 40, WORKERS))
        await wild.sent(200)
        began = time.monotonic()
        farm.process.send_signal(signal.SIGTERM)
        wild.over.set()
        code, ended = await asyncio.to_thread(lambda: (farm.process.wait(), time.monotonic()))
        stop = ended - began
        await load
    tally = wild.tally
    lost = await missing(home, tally.answered)
    errors = (home / "farm.err").read_text()
    return Seen(held=tuple(held), wrong=tuple(tally.wrong), lost=lost, stop=stop, code=code, kinds=dict(tally.kinds), errors=errors)


async def at_rest(farm, calls: int) -> Held:
    """Waits until the connections of all clients are gone, as the server sees it."""
    process = Path(f"/proc/{farm.process.pid}")
    async with httpx.AsyncClient(trust_env=False) as http, asyncio.timeout(60):
        fewest, same = 1 << 30, 0
        while same < 20:
            assert (await http.get(f"{farm.agent_url}/healthz")).status_code == 200
            now = len(list((process / "fd").iterdir()))
            same = same + 1 if now >= fewest else 0
            fewest = min(fewest, now)
            await asyncio.sleep(0.02)
    status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
    return Held(calls=calls, megabytes=int(status["VmRSS"].split()[0]) * 1024 / MEGABYTE, descriptors=fewest, threads=int(status["Threads"]))


async def missing(home: Path, answered: dict[str, list[str]]) -> tuple[str, ...]:
    """Names given by answered calls that the log of a farm started anew does not have."""
    lost: list[str] = []
    with farm_process(home) as farm:
        async with farm.control() as control:
            for key, names in answered.items():
                log = (await control.get(f"/v1/episodes/small~{key}/log", timeout=120)).json()
                known = {record["arguments"].get("name") for record in log["records"] if record["outcome"] == "ok"}
                lost += [name for name in names if name not in known]
    return tuple(lost)


def faults(seen: Seen, *, megabytes: float) -> list[str]:
    """What is wrong with it; memory may grow by so many megabytes after the warm-up."""
    first, last = seen.held[0], seen.held[-1]
    found = [f"a client that behaves did not get its answer: {one}" for one in seen.wrong[:5]]
    found += [f"answered and not in the log: {one}" for one in seen.lost[:5]]
    if last.megabytes - first.megabytes > megabytes:
        found.append(f"memory: expected at most {megabytes} MB more, got {last.megabytes - first.megabytes:.1f}")
    if last.descriptors > first.descriptors + 2:
        found.append(f"descriptors: expected {first.descriptors}, got {last.descriptors}")
    if last.threads > max(first.threads, WORKER_THREADS):
        found.append(f"threads: expected at most {max(first.threads, WORKER_THREADS)}, got {last.threads}")
    if seen.code != 0:
        found.append(f"exit code: expected 0, got {seen.code}")
    found += [f"stderr: {line[:4000]}" for line in seen.errors.splitlines() if not _expected(line)][:5]
    return found


def _expected(line: str) -> bool:
    """Whether a farm may say this: notes for a person, and warnings of one line; never an error, a traceback, or what is no line of its log."""
    if line.startswith("envfarm: "):
        return True
    with contextlib.suppress(ValueError):
        told = json.loads(line)
        return told["level"] == "WARNING" and "traceback" not in told
    return False


async def main() -> int:
    calls = int(sys.argv[1].replace(",", "")) if len(sys.argv) > 1 else CALLS
    print(f"{'calls':>9} {'memory MB':>10} {'descriptors':>12} {'threads':>8}", flush=True)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        seen = await soak(Path(folder), calls, say=lambda line: print(line, flush=True))
    print("clients: " + ", ".join(f"{name} {count}" for name, count in sorted(seen.kinds.items())))
    print(f"shutdown under load: {seen.stop:.2f} s, exit code {seen.code}; answered calls that the log does not have: {len(seen.lost)}")
    found = faults(seen, megabytes=16)
    if seen.stop > 3:
        found.append(f"shutdown: expected at most 3 s, got {seen.stop:.2f}")
    for one in found:
        print(f"soak: {one}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
