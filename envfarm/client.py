"""A client of a running farm's control plane and of its sidecar."""

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx

from envfarm.asking import CONTROL_URL, SIDECAR_URL, Plane, Planes, answer, narrowed, part, told_terms
from envfarm.replies import Episode, Report, Run, Task
from registry.package.change import RowChange
from registry.package.noise import NoiseWanted
from registry.package.pack import WorldRow
from registry.package.user import UserWanted


class Client:
    """Creates, inspects, forks and rewinds episodes; starts and scores runs of tasks.

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
        timeout: float = 60.0,
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
        return tuple(self._ask("control plane", "GET", "/v1/environments")["environments"])

    def create(self, environment: str, *, world: str = "0", instruction: str = "", call_limit: int = 200, rewindable: bool = False) -> Episode:
        """A new episode.

        Raises:
            FarmError: There is no such environment or world, or no room for another episode.
        """
        wanted = {"environment": environment, "world": world, "instruction": instruction, "call_limit": call_limit, "rewindable": rewindable}
        return Episode.model_validate(self._ask("control plane", "POST", "/v1/episodes", wanted))

    def episode(self, key: str) -> Episode:
        """The episode as it is now."""
        return Episode.model_validate(self._episode(key))

    def log(self, key: str) -> tuple[dict[str, Any], ...]:
        """All calls so far, oldest first, as log records."""
        return tuple(self._episode(key, "/log")["records"])

    def changes(self, key: str) -> tuple[RowChange, ...]:
        """Net row changes since the start, ordered by table, then key."""
        return tuple(RowChange.model_validate(one) for one in self._episode(key, "/changes")["changes"])

    def snapshot(self, key: str) -> tuple[WorldRow, ...]:
        """All rows in stored form, ordered by table, then key."""
        return tuple((table, row) for table, row in self._episode(key, "/snapshot")["rows"])

    def fork(self, key: str, at: int | None = None) -> Episode:
        """A new episode that made the first `at` calls of this one (all by default)."""
        return Episode.model_validate(self._act(key, "fork", {"at": self.episode(key).calls if at is None else at}))

    def rewind(self, key: str, to: int) -> Episode:
        """The episode, back after its first `to` calls; the log keeps what was undone. Refused for runs that were not started as `rewindable`."""
        return Episode.model_validate(self._act(key, "rewind", {"to": to}))

    def reset(self, key: str) -> Episode:
        """The episode, back at its start. Refused for runs that were not started as `rewindable`."""
        return Episode.model_validate(self._act(key, "reset"))

    def close(self, key: str) -> Episode:
        """The episode, closed: later calls are refused."""
        return Episode.model_validate(self._act(key, "close"))

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
        found = self._ask("sidecar", "GET", "/v1/tasks", parameters=narrowed(environment, kind, level, split))
        return tuple(Task.model_validate(one) for one in found["tasks"])

    def start(self, task: str, *, noise: NoiseWanted | None = None, user: UserWanted | None = None) -> Run:
        """A new run of a task, with an episode of its own.

        Args:
            task: Its id.
            noise: What disturbs the agent's calls.
            user: How the user of a multi-turn task speaks.
        """
        return Run.model_validate(self._ask("sidecar", "POST", "/v1/runs", {"task": task, **told_terms(noise, user)}))

    def score(self, run: str) -> Report:
        """The run's score by its final state."""
        return Report.model_validate(self._ask("sidecar", "POST", f"/v1/runs/{part('run', run)}/score", {}))

    def disconnect(self) -> None:
        """Closes the connections; episodes stay as they are."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.disconnect()

    def _episode(self, key: str, of: str = "") -> Any:
        return self._ask("control plane", "GET", f"/v1/episodes/{part('episode', key)}{of}")

    def _act(self, key: str, action: str, body: Mapping[str, Any] | None = None) -> Any:
        return self._ask("control plane", "POST", f"/v1/episodes/{part('episode', key)}/{action}", body or {})

    def _ask(
        self,
        plane: Plane,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        parameters: Mapping[str, str | int] | None = None,
    ) -> Any:
        _, url, headers = self._planes.ask(plane, method, path)
        try:
            reply = self._http.request(method, url, json=body, params=parameters, headers=headers)
        except httpx.HTTPError as error:
            raise self._planes.away(plane, error) from error
        return answer(plane, reply)
