"""What an evaluation asks of the sidecar."""

import asyncio
from typing import Any, TypeVar

import httpx
import orjson
from pydantic import BaseModel, ConfigDict, ValidationError

from evals.errors import EvalError
from registry.package.pack import TaskKind
from registry.plain_http import Http, strange_token

WAITS = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Seconds between tries while farm or sidecar do not answer, as when they start anew."""
AWAY = (502, 503)
Shape = TypeVar("Shape", bound=BaseModel)


class SidecarSays(EvalError):
    """The sidecar refuses; `status` is that of its reply."""

    def __init__(self, sentence: str, status: int) -> None:
        super().__init__(sentence)
        self.status = status


class _Told(BaseModel):
    # A newer sidecar may say more.
    model_config = ConfigDict(extra="ignore", frozen=True)


class TaskLine(_Told):
    """A task that can be played."""

    task: str
    environment: str
    kind: TaskKind
    level: int
    instruction: str
    pack: str
    split: str = ""
    multi_turn: bool
    twin: str = ""


class PackLine(_Told):
    """A pack that tasks stand in."""

    pack: str
    digest: str
    environment: str
    environment_digest: str
    split: str
    generator: str


class StartedRun(_Told):
    """A run that was started."""

    run: str
    mcp_url: str
    instruction: str


class Sidecar:
    """A client of one sidecar.

    Args:
        url: Of the sidecar.
        token: `grader`.
        http: Carries the requests; closed by its owner.
    """

    def __init__(self, url: str, token: str, http: Http) -> None:
        self._url, self._http = url.rstrip("/"), http
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    async def tasks(self) -> tuple[TaskLine, ...]:
        """All tasks, ordered by environment, pack and id."""
        return tuple(self._shaped(TaskLine, one) for one in (await self._ask("GET", "/v1/tasks"))["tasks"])

    async def packs(self) -> tuple[PackLine, ...]:
        """All packs."""
        return tuple(self._shaped(PackLine, one) for one in (await self._ask("GET", "/v1/packs"))["packs"])

    async def gold(self, task: str, *, played: bool) -> dict[str, Any]:
        """What is right in a task: `gold` and `looks`, and if `played`, `writes` and `ids`."""
        told: dict[str, Any] = await self._ask("GET", f"/v1/tasks/{task}/gold?played={str(played).lower()}")
        return told

    async def start(self, task: str, *, again: str = "", **terms: Any) -> StartedRun:
        """A new run.

        Args:
            task: Its id.
            again: An INVALID run that this one repeats; a sidecar that does not know it any more starts a run all the same.
            terms: More members of the request.
        """
        body = {"task": task, **terms}
        if again:
            try:
                return self._shaped(StartedRun, await self._ask("POST", "/v1/runs", {**body, "again": again}))
            except SidecarSays as error:
                if error.status not in (404, 409):
                    raise
        return self._shaped(StartedRun, await self._ask("POST", "/v1/runs", body))

    async def score(self, run: str) -> dict[str, Any]:
        """Ends a run; its report."""
        told: dict[str, Any] = await self._ask("POST", f"/v1/runs/{run}/score", {})
        return told

    async def end(self, run: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """Ends a run; its report, and its calls, each with what it changed."""
        told = await self._ask("POST", f"/v1/runs/{run}/end", {})
        return told["report"], told["calls"]

    def _shaped(self, shape: type[Shape], body: Any) -> Shape:
        try:
            return shape.model_validate(body)
        except ValidationError as error:
            raise EvalError(
                f"sidecar: expected a {shape.__name__}, got something else ({error.errors()[0]['loc']}). Is it another version?"
            ) from error

    async def _ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        content = None if body is None else orjson.dumps(body)
        for wait in (*WAITS, None):
            try:
                reply = await self._http.request(method, self._url + path, content=content, headers=self._headers)
            except httpx.HTTPError as error:
                if wait is None:
                    sentence = (
                        f"sidecar: expected an answer from {self._url}, got {type(error).__name__}. Run `envfarm up`, then go on with --resume."
                    )
                    raise EvalError(sentence) from error
            else:
                if reply.is_success:
                    return orjson.loads(reply.content)
                if reply.status_code not in AWAY or wait is None:
                    sentence = not_taken(self._url) if reply.status_code == httpx.codes.UNAUTHORIZED else f"sidecar: {_sentence(reply)}"
                    raise SidecarSays(sentence, reply.status_code)
            await asyncio.sleep(wait)
        raise AssertionError("the last try returns or raises")


def not_taken(url: str) -> str:
    """The sentence about a sidecar at `url` that does not take the token."""
    return strange_token("sidecar", url)


def _sentence(reply: httpx.Response) -> str:
    try:
        return str(reply.json()["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return f"expected a reply, got status {reply.status_code}. Is it another version?"
