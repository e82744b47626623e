"""What the sidecar asks of the farm's control plane."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import httpx
from pydantic import BaseModel, ConfigDict, ValidationError

from registry.dispatch.user import PLAIN
from registry.episode.record import LogRecord
from registry.package.change import RowChange
from registry.package.noise import NoiseSpec
from registry.package.pack import TaskPublic, WorldRow
from registry.package.user import UserWanted
from server.sidecar.errors import FarmFailed
from server.told import silent, told


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


class Farm:
    """A client of one control plane.

    Args:
        url: Of the control plane.
        token: Gives the token `control`; asked each time, as it may be rotated.
        http: Carries the requests; closed by its owner.
    """

    def __init__(self, url: str, token: Callable[[], str], http: httpx.AsyncClient) -> None:
        self._url, self._token, self._http = url.rstrip("/"), token, http

    async def create(
        self,
        task: TaskPublic,
        scenario: Sequence[WorldRow],
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
            "scenario": [[table, values] for table, values in scenario],
            "instruction": task.instruction,
            "call_limit": call_limit,
            "rewindable": rewindable,
            "multi_turn": task.multi_turn,
            "held_back": [one.model_dump(mode="json") for one in task.held_back],
            "user": user.model_dump(mode="json"),
            "noise": None if noise is None else noise.model_dump(mode="json"),
        }
        return self._shaped(await self._ask("POST", "/v1/episodes", body))

    async def forks(self, key: str, at: int | None, copies: int) -> tuple[EpisodeState, ...]:
        """So many new episodes, each with the first `at` calls of that one (None for all)."""
        told = await self._ask("POST", "/v1/batch/forks", {"items": [{"key": key, "at": at}] * copies})
        for one in told["items"]:
            if one.get("error"):
                raise FarmFailed(f"control plane: {one['error']['message']}")
        return tuple(self._shaped(one["episode"]) for one in told["items"])

    async def episode(self, key: str) -> EpisodeState:
        """The episode as it is now."""
        return self._shaped(await self._ask("GET", f"/v1/episodes/{key}"))

    async def close(self, key: str) -> EpisodeState:
        """Ends the episode, so that what is scored cannot change any more."""
        return self._shaped(await self._ask("POST", f"/v1/episodes/{key}/close", {}))

    async def recorded(self, key: str) -> Recorded:
        """Log and changes of an episode."""
        log = await self._ask("GET", f"/v1/episodes/{key}/log")
        changes = await self._ask("GET", f"/v1/episodes/{key}/changes")
        try:
            return Recorded(
                records=tuple(LogRecord.from_json(one) for one in log["records"]),
                changes=tuple(RowChange.model_validate(one) for one in changes["changes"]),
                digest=log["digest"],
                state_digest=changes["state_digest"],
            )
        except (KeyError, TypeError, ValueError, ValidationError) as error:
            raise FarmFailed(f"control plane: expected a log and changes, got something else ({error}). Is the farm of another version?") from error

    async def alive(self) -> bool:
        """Whether the farm answers."""
        try:
            reply = await self._http.get(f"{self._url}/healthz")
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
            reply = await self._http.request(method, self._url + path, json=body, headers={"Authorization": f"Bearer {self._token()}"})
        except httpx.HTTPError as error:
            raise FarmFailed(silent(error, "control plane", self._url).message) from error
        if reply.is_success:
            return reply.json()
        raise FarmFailed(f"control plane: {told(reply, 'farm').message}")
