"""A client for those who train agents: thousands of episodes, many requests in one."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self, TypeVar

import httpx

from envfarm.asking import CONTROL_URL, SIDECAR_URL, FarmError, Plane, Planes, answer, narrowed, part, told_terms
from envfarm.replies import Episode, NextTask, Report, Run, Stepped, Task
from registry.package.noise import NoiseWanted
from registry.package.user import UserWanted

IN_ONE = 256
"""Items in one request; more go as several requests."""
AT_ONCE = 4
"""Requests of one batch under way at a time."""
SCORED_IN_ONE = 32
"""Runs scored in one request, which takes longer."""

Result = TypeVar("Result")


class Call(NamedTuple):
    """One tool call for one episode, named by its key (`Run.episode`, `Episode.key`)."""

    episode: str
    tool: str
    arguments: Mapping[str, Any] = {}


class AsyncClient:
    """Starts, steps, forks, resets and scores many episodes at a time.

    A batch may have any length; it is sent in several requests where that is needed, and the answers come in the order of what was asked.
    `step` tells of each call that could not be made; the others raise the first error.

    Args:
        control_token: Opens the control plane.
        grader_token: Opens the sidecar; may be empty where no task is run.
        control_url: Of the control plane.
        sidecar_url: Of the sidecar.
        timeout: Seconds that one request may take.
        transport: Another way to carry requests, such as a proxy or a server in this process.
    """

    def __init__(
        self,
        control_token: str,
        grader_token: str = "",
        *,
        control_url: str = CONTROL_URL,
        sidecar_url: str = SIDECAR_URL,
        timeout: float = 300.0,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._http = httpx.AsyncClient(timeout=timeout, transport=transport)
        self._planes = Planes(control_url=control_url, control_token=control_token, sidecar_url=sidecar_url, grader_token=grader_token)

    @classmethod
    def local(cls, home: Path | None = None, *, control_url: str = "", sidecar_url: str = "") -> Self:
        """A client of the farm that runs on this machine, as `Client.local`.

        Raises:
            UserError: There is no token file: no farm was ever started with this home.
        """
        found = Planes.of_home(home, control_url, sidecar_url)
        return cls(found.control_token, found.grader_token, control_url=found.control_url, sidecar_url=found.sidecar_url)

    async def tasks(self, environment: str = "", *, kind: str = "", level: int | None = None, split: str = "") -> tuple[Task, ...]:
        """Tasks that the sidecar has, narrowed by what is given; as `Client.tasks`."""
        found = await self._ask("sidecar", "GET", "/v1/tasks", parameters=narrowed(environment, kind, level, split))
        return tuple(Task.model_validate(one) for one in found["tasks"])

    async def group(
        self,
        task: str,
        runs: int = 1,
        *,
        rewindable: bool = False,
        call_limit: int = 0,
        noise: NoiseWanted | None = None,
        user: UserWanted | None = None,
    ) -> tuple[Run, ...]:
        """So many runs of one task, all from the same start; as `groups`."""
        return (await self.groups([task], runs, rewindable=rewindable, call_limit=call_limit, noise=noise, user=user))[0]

    async def groups(
        self,
        tasks: Sequence[str],
        runs: int = 1,
        *,
        rewindable: bool = False,
        call_limit: int = 0,
        noise: NoiseWanted | None = None,
        user: UserWanted | None = None,
    ) -> tuple[tuple[Run, ...], ...]:
        """A group of runs for each task; a task may stand there more than once.

        Args:
            tasks: Their ids.
            runs: How many of each.
            rewindable: Whether they may be scored after a rewind.
            call_limit: Fewer calls than the task allows; 0 for those.
            noise: What disturbs the calls: the same in the runs of one group, other things in other tasks.
            user: How the user of a multi-turn task speaks.
        """
        terms = {"runs": runs, "rewindable": rewindable, "call_limit": call_limit, **told_terms(noise, user)}
        items = [{"task": task, **terms} for task in tasks]
        found = await self._batch("sidecar", "runs", items, _checked, in_one=max(1, IN_ONE // runs))
        return tuple(_runs(one) for one in found)

    async def fork(self, run: str, at: int | None = None, runs: int = 1) -> tuple[Run, ...]:
        """New runs of the same task that begin with the first `at` calls of this run (all by default)."""
        (found,) = await self._batch("sidecar", "forks", [{"run": run, "at": at, "runs": runs}], _checked)
        return _runs(found)

    async def step(self, calls: Iterable[Call | tuple[str, str, Mapping[str, Any]]]) -> tuple[Stepped, ...]:
        """Calls tools: those of one episode in the order given, those of different ones at the same time."""
        items = [{"key": key, "tool": tool, "arguments": dict(arguments)} for key, tool, arguments in calls]
        # The calls of one episode stay in one request, or two requests could overtake each other.
        order = sorted(range(len(items)), key=lambda number: str(items[number]["key"]))
        shares = _shares([str(items[number]["key"]) for number in order])
        bodies = [[items[number] for number in order[start:end]] for start, end in shares]
        found = [one for share in await self._requests("control plane", "steps", bodies) for one in share]
        told = dict(zip(order, found, strict=True))
        return tuple(_stepped(told[number]) for number in range(len(items)))

    async def reset(self, keys: Sequence[str]) -> tuple[Episode, ...]:
        """Takes episodes back to their start.

        Raises:
            FarmError: One is of a run that was not started as `rewindable`: it could not be scored afterwards, and stays as it is.
        """
        return await self._episodes("resets", [{"key": key} for key in keys])

    async def fork_episodes(self, keys: Sequence[str], at: int | None = None) -> tuple[Episode, ...]:
        """A new episode for each, with its first `at` calls (all by default); the same key may stand there many times."""
        return await self._episodes("forks", [{"key": key, "at": at} for key in keys])

    async def create(self, environment: str, *, world: str = "0", call_limit: int = 200, rewindable: bool = False) -> Episode:
        """A new episode without a task."""
        wanted = {"environment": environment, "world": world, "call_limit": call_limit, "rewindable": rewindable}
        return Episode.model_validate(await self._ask("control plane", "POST", "/v1/episodes", wanted))

    async def score(self, runs: Sequence[str]) -> tuple[Report, ...]:
        """Ends runs and judges them; asked again, the reports are the same."""
        found = await self._batch("sidecar", "scores", list(runs), _checked, in_one=SCORED_IN_ONE)
        return tuple(Report.model_validate(one["report"]) for one in found)

    async def next_tasks(
        self,
        curriculum: str,
        count: int = 1,
        *,
        target: float = 0.5,
        seed: int = 0,
        environment: str = "",
        kind: str = "",
        level: int | None = None,
        split: str = "",
    ) -> tuple[NextTask, ...]:
        """Tasks near a rate of success.

        Args:
            curriculum: Its name; one that is new begins empty.
            count: How many at most, each once.
            target: The wanted rate of success.
            seed: Same seed, same history: same tasks.
            environment: Of this environment alone.
            kind: do, do-if-else, answer, decline, repair, bulk or multi-turn.
            level: 1 to 5.
            split: train, val or test. Train on `train` alone: what is learnt from `test` is measured by nothing any more.

        Raises:
            FarmError: A name is none of the known ones, or no pack is of that split.
        """
        wanted = {"count": count, "target": target, "seed": seed, **narrowed(environment, kind, level, split)}
        found = await self._ask("sidecar", "POST", f"/v1/curricula/{part('curriculum', curriculum)}/next", wanted)
        return tuple(NextTask.model_validate(one) for one in found["tasks"])

    async def tell(self, curriculum: str, runs: Sequence[str] = (), rewards: Sequence[tuple[str, float]] = ()) -> int:
        """Tells a curriculum how runs went, or (task, reward) of tries elsewhere; gives how many were counted, each run once."""
        items = [{"run": run} for run in runs] + [{"task": task, "reward": reward} for task, reward in rewards]
        return int((await self._ask("sidecar", "POST", f"/v1/curricula/{part('curriculum', curriculum)}/outcomes", {"items": items}))["counted"])

    async def disconnect(self) -> None:
        """Closes the connections; episodes stay as they are."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.disconnect()

    async def _episodes(self, action: str, items: Sequence[Any]) -> tuple[Episode, ...]:
        return tuple(Episode.model_validate(one["episode"]) for one in await self._batch("control plane", action, items, _checked))

    async def _batch(self, plane: Plane, action: str, items: Sequence[Any], read: Callable[[Any], Result], *, in_one: int = IN_ONE) -> list[Result]:
        bodies = [items[start : start + in_one] for start in range(0, len(items), in_one)]
        return [read(one) for share in await self._requests(plane, action, bodies) for one in share]

    async def _requests(self, plane: Plane, action: str, bodies: Sequence[Sequence[Any]]) -> list[list[Any]]:
        room = asyncio.Semaphore(AT_ONCE)

        async def one(items: Sequence[Any]) -> list[Any]:
            async with room:
                return list((await self._ask(plane, "POST", f"/v1/batch/{action}", {"items": list(items)}))["items"])

        return await asyncio.gather(*(one(items) for items in bodies))

    async def _ask(self, plane: Plane, method: str, path: str, body: Any = None, *, parameters: Mapping[str, str | int] | None = None) -> Any:
        _, url, headers = self._planes.ask(plane, method, path)
        try:
            reply = await self._http.request(method, url, json=body, params=parameters, headers=headers)
        except httpx.HTTPError as error:
            raise self._planes.away(plane, error) from error
        return answer(plane, reply)


def _shares(keys: Sequence[str]) -> list[tuple[int, int]]:
    """Ranges of about `IN_ONE` sorted keys, none of which parts equal ones."""
    shares, start = [], 0
    while start < len(keys):
        end = min(start + IN_ONE, len(keys))
        while end < len(keys) and keys[end] == keys[end - 1]:
            end += 1
        shares.append((start, end))
        start = end
    return shares


def _checked(told: dict[str, Any]) -> dict[str, Any]:
    error = told.get("error")
    if error:
        raise FarmError(error["code"], error["message"], 0)
    return told


def _runs(told: Mapping[str, Any]) -> tuple[Run, ...]:
    return tuple(Run.model_validate(one) for one in told["runs"])


def _stepped(told: Mapping[str, Any]) -> Stepped:
    error = told.get("error")
    return Stepped(kind="error", code=error["code"], text=error["message"]) if error else Stepped.model_validate(told)
