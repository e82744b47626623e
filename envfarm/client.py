"""A client of a running farm's control plane and of its sidecar."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar, overload

import httpx

from envfarm import routes
from envfarm.asking import CONTROL_URL, SIDECAR_URL, Planes, answer
from envfarm.replies import Curriculum, Episode, NextTask, Report, Run, Stepped, Task
from envfarm.routes import Call
from registry.package.change import RowChange
from registry.package.noise import NoiseWanted
from registry.package.pack import WorldRow
from registry.package.stored_form import Columns
from registry.package.user import UserWanted

Result = TypeVar("Result")


class Client:
    """Creates, inspects, steps, forks and rewinds episodes; starts and scores runs of tasks. `AsyncClient` has the same methods.

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
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._http = httpx.Client(timeout=timeout, transport=transport)
        self._planes = Planes(control_url=control_url, control_token=control_token, sidecar_url=sidecar_url, grader_token=grader_token)

    @classmethod
    def local(cls, home: Path | None = None, *, control_url: str = "", sidecar_url: str = "") -> Self:
        """A client of the farm that runs on this machine, with the addresses and tokens of its home.

        Args:
            home: As `ENVFARM_HOME`, which is used when this is left out; then `.envfarm/` of the checkout that envfarm runs from, else the
                user's data folder.
            control_url: Of the control plane, if not where the home says.
            sidecar_url: Of the sidecar, likewise.

        Raises:
            UserError: There is no token file: no farm was ever started with this home.
        """
        found = Planes.of_home(home, control_url, sidecar_url)
        return cls(found.control_token, found.grader_token, control_url=found.control_url, sidecar_url=found.sidecar_url)

    def environments(self) -> tuple[dict[str, Any], ...]:
        """What the farm serves, ordered by id."""
        return self._one(routes.environments())

    def tools(self, environment: str, *, multi_turn: bool = False) -> tuple[dict[str, Any], ...]:
        """The tools that an agent has in an environment, as MCP tells them: `name`, `description`, `inputSchema`, `outputSchema`.

        Args:
            environment: Its id.
            multi_turn: Whether `ask_user` is among them, as in multi-turn tasks (`Task.multi_turn`); `submit_answer` always is.

        Raises:
            FarmError: There is no such environment.
        """
        return self._one(routes.tools(environment, multi_turn=multi_turn))

    def policy(self, environment: str) -> str:
        """The rules of an environment as agents read them, Markdown."""
        return self._one(routes.policy(environment))

    def instructions(self, environment: str) -> str:
        """What MCP clients show to their model of an environment: how to end and to decline, the rules that no tool checks, then the policy."""
        return self._one(routes.instructions(environment))

    def columns(self, environment: str) -> Columns:
        """The columns whose values in `changes`, `snapshot` and scores are not as tools show them, by table: `{"kind", "places"}`.

        Money and decimals are integers there (value * 10**places), bools 0 and 1.
        """
        return self._one(routes.columns(environment))

    def create(self, environment: str, *, world: str = "0", instruction: str = "", call_limit: int = 200, rewindable: bool = False) -> Episode:
        """A new episode without a task.

        Args:
            environment: Its id.
            world: Of the package.
            instruction: What the agent reads as its task.
            call_limit: Calls after which it refuses; 0 for no limit.
            rewindable: Whether the episode says of itself that it may be scored after a rewind.

        Raises:
            FarmError: There is no such environment or world, or no room for another episode.
        """
        return self._one(routes.create(environment, world, instruction, call_limit, rewindable=rewindable))

    def episode(self, key: str) -> Episode:
        """The episode as it is now."""
        return self._one(routes.episode(key))

    def log(self, key: str) -> tuple[dict[str, Any], ...]:
        """All calls so far, oldest first, as log records."""
        return self._one(routes.log(key))

    def changes(self, key: str) -> tuple[RowChange, ...]:
        """Net row changes since the start, ordered by table, then key."""
        return self._one(routes.changes(key))

    def snapshot(self, key: str) -> tuple[WorldRow, ...]:
        """All rows in stored form, ordered by table, then key."""
        return self._one(routes.snapshot(key))

    def step(self, calls: Iterable[Call | tuple[str, str, Mapping[str, Any]]]) -> tuple[Stepped, ...]:
        """Calls tools: those of one episode in the order given, those of different ones at the same time."""
        return self._all(routes.step(calls))

    def fork_episodes(self, keys: Sequence[str], at: int | None = None) -> tuple[Episode, ...]:
        """A new episode for each, with its first `at` calls (all by default); the same key may stand there many times."""
        return self._all(routes.fork_episodes(keys, at))

    def rewind(self, key: str, to: int) -> Episode:
        """The episode, back after its first `to` calls; the log keeps what was undone.

        Raises:
            FarmError: There are not so many, or it is of a run that was not started as `rewindable`, which could not be scored afterwards.
        """
        return self._one(routes.act(key, "rewind", to=to))

    @overload
    def reset(self, key: str) -> Episode: ...
    @overload
    def reset(self, key: list[str] | tuple[str, ...]) -> tuple[Episode, ...]: ...
    def reset(self, key: str | list[str] | tuple[str, ...]) -> Episode | tuple[Episode, ...]:
        """An episode, or each of many, back at its start; the log keeps what was undone.

        Raises:
            FarmError: One is of a run that was not started as `rewindable`: it could not be scored afterwards, and stays as it is.
        """
        if isinstance(key, str):
            return self._one(routes.act(key, "reset"))
        return self._all(routes.resets(key))

    def close(self, key: str) -> Episode:
        """The episode, closed: later calls are refused."""
        return self._one(routes.act(key, "close"))

    def tasks(self, environment: str = "", *, kind: str = "", level: int | None = None, split: str = "") -> tuple[Task, ...]:
        """Tasks that the sidecar has, narrowed by what is given.

        Args:
            environment: Its id.
            kind: do, do-if-else, answer, decline, repair, bulk or multi-turn.
            level: 1 to 5.
            split: train, val or test.

        Raises:
            FarmError: A name is none of the known ones, or no pack is of that split.
        """
        return self._one(routes.tasks(environment, kind, level, split))

    def start(
        self,
        task: str,
        *,
        rewindable: bool = False,
        call_limit: int = 0,
        noise: NoiseWanted | None = None,
        user: UserWanted | None = None,
    ) -> Run:
        """A new run of a task, with an episode of its own.

        Args:
            task: Its id.
            rewindable: Whether it may be rewound and reset, and be scored all the same.
            call_limit: Fewer calls than the task allows; 0 for those.
            noise: What disturbs the agent's calls.
            user: How the user of a multi-turn task speaks.
        """
        return self._one(routes.start(task, call_limit, noise, user, rewindable=rewindable))

    def group(
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
        return (self._all(routes.groups([task], runs, call_limit, noise, user, rewindable=rewindable)))[0]

    def groups(
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
            rewindable: Whether they may be rewound and reset, and be scored all the same.
            call_limit: Fewer calls than the task allows; 0 for those.
            noise: What disturbs the calls: the same in the runs of one group, other things in other tasks.
            user: How the user of a multi-turn task speaks.
        """
        return self._all(routes.groups(tasks, runs, call_limit, noise, user, rewindable=rewindable))

    def fork(self, run: str, at: int | None = None, runs: int = 1) -> tuple[Run, ...]:
        """New runs of the same task that begin with the first `at` calls of this run (all by default). Episodes without a task: `fork_episodes`."""
        return self._all(routes.fork(run, at, runs))

    @overload
    def score(self, run: str) -> Report: ...
    @overload
    def score(self, run: list[str] | tuple[str, ...]) -> tuple[Report, ...]: ...
    def score(self, run: str | list[str] | tuple[str, ...]) -> Report | tuple[Report, ...]:
        """Ends a run, or each of many, and judges it by its final state; asked again, the report is the same."""
        if isinstance(run, str):
            return self._one(routes.score(run))
        return self._all(routes.scores(run))

    def next_tasks(
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
            split: train, val or test. Train on `train` alone: what is trained on `test` is measured by nothing any more.

        Raises:
            FarmError: A name is none of the known ones, or no pack is of that split.
        """
        return self._one(routes.next_tasks(curriculum, count, target, seed, environment, kind, level, split))

    def tell(self, curriculum: str, runs: Sequence[str] = (), rewards: Sequence[tuple[str, float]] = ()) -> int:
        """Tells a curriculum how runs went, or (task, reward) of tries elsewhere; gives how many were counted, each run once."""
        return self._one(routes.tell(curriculum, runs, rewards))

    def curriculum(self, name: str) -> Curriculum:
        """What a curriculum knows so far: how many tasks it gave out, tries and estimates; of a name that is new, that it knows nothing."""
        return self._one(routes.curriculum(name))

    def disconnect(self) -> None:
        """Closes the connections; episodes stay as they are."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.disconnect()

    def _all(self, batch: routes.Batch[Result]) -> Result:
        return batch.read([one for request in batch.requests for one in self._one(request)])

    def _one(self, request: routes.Request[Result]) -> Result:
        _, url, headers = self._planes.ask(request.plane, request.method, request.path)
        try:
            reply = self._http.request(request.method, url, json=request.body, params=request.parameters, headers=headers)
        except httpx.HTTPError as error:
            raise self._planes.away(request.plane, error) from error
        return request.read(answer(request.plane, reply))
