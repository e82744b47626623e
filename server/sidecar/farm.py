"""What the sidecar asks of the farm's control plane."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import httpx
import orjson
from pydantic import BaseModel, ConfigDict, ValidationError

from registry.dispatch.user import PLAIN
from registry.episode.spec import pack_rows
from registry.package.change import RowChange
from registry.package.digest import file_digest
from registry.package.noise import NoiseSpec
from registry.package.pack import TaskPublic, WorldRow
from registry.package.user import UserWanted
from registry.plain_http import Http
from registry.record import LogRecord
from server.sidecar.errors import FarmFailed
from server.told import silent, told

SCENARIO_NOT_FOUND = "SCENARIO_NOT_FOUND"


class EpisodeState(BaseModel):
    """An episode as the control plane tells it."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    key: str
    environment: str
    environment_digest: str
    state_digest: str
    mcp_url: str
    sse_url: str
    calls: int
    status: Literal["open", "closed", "interrupted", "invalid"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """What the farm says happened: its log, its changes, its digests."""

    records: tuple[LogRecord, ...]
    changes: tuple[RowChange, ...]
    digest: str
    state_digest: str


@dataclass(frozen=True, slots=True)
class Scenario:
    """The initial rows of a task; JSON and digest of them as farms keep them."""

    rows: tuple[WorldRow, ...]
    body: bytes
    digest: str

    @classmethod
    def of(cls, rows: tuple[WorldRow, ...]) -> "Scenario":
        """The scenario of these rows."""
        body = pack_rows(rows)
        return cls(rows, body, file_digest(body))


class _ScenarioNotFound(FarmFailed):
    """The farm does not have the rows of that digest, or has them no more."""


class Farm:
    """A client of one control plane.

    Args:
        url: Of the control plane.
        token: Gives the token `control`; asked each time, as it may be rotated.
        http: Carries the requests; closed by its owner.
    """

    def __init__(self, url: str, token: Callable[[], str], http: Http) -> None:
        self._url, self._token, self._http = url.rstrip("/"), token, http
        self._sent: set[str] = set()

    async def create(
        self,
        task: TaskPublic,
        scenario: Scenario,
        *,
        rewindable: bool,
        call_limit: int,
        noise: NoiseSpec | None = None,
        user: UserWanted = PLAIN,
    ) -> EpisodeState:
        """A new episode of the task.

        Raises:
            FarmFailed: The farm does not answer, or refuses.
        """
        body = {
            "environment": task.environment,
            "instruction": task.instruction,
            "call_limit": call_limit,
            "rewindable": rewindable,
            "multi_turn": task.multi_turn,
            "held_back": [one.model_dump(mode="json") for one in task.held_back],
            "user": user.model_dump(mode="json"),
            "noise": None if noise is None else noise.model_dump(mode="json"),
        }
        # Its rows are most of a request, and the same in many: sent only where the farm does not have them.
        if scenario.digest in self._sent:
            try:
                return self._shaped(await self._ask("POST", "/v1/episodes", {**body, "scenario_digest": scenario.digest}))
            except _ScenarioNotFound:
                pass
        made = self._shaped(await self._ask("POST", "/v1/episodes", {**body, "scenario": orjson.Fragment(scenario.body)}))
        self._sent.add(scenario.digest)
        return made

    async def forks(self, key: str, at: int | None, copies: int) -> tuple[EpisodeState, ...]:
        """So many new episodes, each with the first `at` calls of that one (None for all)."""
        told = await self._ask("POST", "/v1/batch/forks", {"items": [{"key": key, "at": at}] * copies})
        for one in told["items"]:
            if one.get("error"):
                raise FarmFailed(f"control plane: {one['error']['message']}")
        return tuple(self._shaped(one["episode"]) for one in told["items"])

    async def end(self, key: str) -> tuple[EpisodeState, Recorded]:
        """Ends the episode, so that what is scored cannot change any more, and tells what happened; nothing of one that cannot be scored."""
        told = await self._ask("POST", f"/v1/episodes/{key}/end", {})
        return self._shaped(told.get("episode")), _recorded(told.get("log"), told.get("changes"))

    async def recorded(self, key: str) -> Recorded:
        """Log and changes of an episode."""
        log = await self._ask("GET", f"/v1/episodes/{key}/log")
        changes = await self._ask("GET", f"/v1/episodes/{key}/changes")
        return _recorded({**log, "state_digest": changes.get("state_digest")}, changes.get("changes"))

    async def alive(self) -> bool:
        """Whether the farm answers."""
        try:
            reply = await self._http.request("GET", f"{self._url}/healthz")
        except httpx.HTTPError:
            return False
        return reply.is_success

    def _shaped(self, body: Any) -> EpisodeState:
        try:
            return EpisodeState.model_validate(body)
        except ValidationError as error:
            raise FarmFailed(
                f"control plane: expected an episode, got something else ({error.errors()[0]['loc']}). Is it another version?"
            ) from error

    async def _ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        try:
            content = None if body is None else orjson.dumps(body)
            headers = {"Authorization": f"Bearer {self._token()}", "Content-Type": "application/json"}
            reply = await self._http.request(method, self._url + path, content=content, headers=headers)
        except httpx.HTTPError as error:
            raise FarmFailed(silent(error, "control plane", self._url).message) from error
        if reply.is_success:
            return orjson.loads(reply.content)
        found = told(reply, "farm")
        raise (_ScenarioNotFound if found.code == SCENARIO_NOT_FOUND else FarmFailed)(f"control plane: {found.message}")


def _recorded(log: Any, changes: Any) -> Recorded:
    try:
        return Recorded(
            records=tuple(LogRecord.from_json(one) for one in log["records"]),
            changes=tuple(RowChange.model_validate(one) for one in changes),
            digest=log["digest"],
            state_digest=log["state_digest"],
        )
    except (KeyError, TypeError, ValueError, ValidationError) as error:
        raise FarmFailed(f"control plane: expected a log and changes, got something else ({error}). Is the farm of another version?") from error
