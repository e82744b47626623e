"""Groups, forks and scores of many runs in one request each, for those who train agents."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from registry.dispatch.user import PLAIN
from registry.package.noise import NoiseWanted
from registry.package.user import UserWanted
from server.sidecar.grader import Grader
from server.sidecar.shapes import Report, StartedRun
from server.sidecar.store import Run

AT_ONCE = 16
"""Items under way at a time."""
MOST = 10_000

Item = TypeVar("Item")


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Group(_Shape):
    """Runs of one task from one state."""

    task: str = Field(max_length=200)
    runs: int = Field(1, ge=1, le=MOST, description="How many.")
    rewindable: bool = Field(default=False, description="Whether they may be scored after a rewind.")
    call_limit: int = Field(0, ge=0, le=1_000_000, description="Calls that are served, where the task allows more; 0: those of the task.")
    noise: NoiseWanted | None = Field(None, description="What disturbs the agent's calls; the same in all runs of the group.")
    user: UserWanted = Field(PLAIN, description="How the user of a multi-turn task speaks; the same in all runs of the group.")


class Groups(_Shape):
    """Groups to start."""

    items: tuple[Group, ...] = Field(max_length=MOST)


class RunFork(_Shape):
    """New runs that begin as another one."""

    run: str = Field(max_length=100)
    at: int | None = Field(None, ge=0, description="After how many of its calls; all by default.")
    runs: int = Field(1, ge=1, le=MOST, description="How many.")


class RunForks(_Shape):
    """Forks to make."""

    items: tuple[RunFork, ...] = Field(max_length=MOST)


class RunNames(_Shape):
    """Runs to score."""

    items: tuple[str, ...] = Field(max_length=MOST)


class StartedGroup(_Shape):
    """The runs of one group, or why there are none."""

    runs: tuple[StartedRun, ...] = ()
    error: dict[str, str] | None = None


class StartedGroups(_Shape):
    """One for each item, in their order."""

    items: tuple[StartedGroup, ...]


class Scored(_Shape):
    """The report, or why there is none."""

    report: Report | None = None
    error: dict[str, str] | None = None


class ScoredAll(_Shape):
    """One for each run, in their order."""

    items: tuple[Scored, ...]


async def _served(request: Request) -> Grader:
    grader: Grader = request.app.state.grader
    return grader


Served = Annotated[Grader, Depends(_served)]


def batch_routes(known: Mapping[type[Exception], tuple[int, str]], **options: Any) -> APIRouter:
    """The routes.

    Args:
        known: Exceptions that say no to one item only, with status and code.
        options: Of the router.
    """
    router = APIRouter(prefix="/v1/batch", tags=["batches"], **options)
    refusals = tuple(known)

    async def each(items: Sequence[Item], made: Callable[[Item], Awaitable[dict[str, Any]]]) -> Response:
        room = asyncio.Semaphore(AT_ONCE)

        async def one(item: Item) -> dict[str, Any]:
            async with room:
                try:
                    return await made(item)
                except refusals as error:
                    code = next(code for kind, (_, code) in known.items() if isinstance(error, kind))
                    return {"error": {"code": code, "message": str(error)}}

        return JSONResponse({"items": await asyncio.gather(*(one(item) for item in items))})

    @router.post("/runs", responses={200: {"model": StartedGroups}})
    async def start_many(wanted: Groups, grader: Served) -> Response:
        """Starts groups of runs: those of one group have the same task and the same start."""

        async def made(group: Group) -> dict[str, Any]:
            terms = {name: getattr(group, name) for name in ("rewindable", "call_limit", "noise", "user")}
            return _told(await grader.group(group.task, group.runs, **terms))

        return await each(wanted.items, made)

    @router.post("/forks", responses={200: {"model": StartedGroups}})
    async def fork_many(wanted: RunForks, grader: Served) -> Response:
        """Starts runs that begin with the first calls of another."""

        async def made(fork: RunFork) -> dict[str, Any]:
            return _told(await grader.fork(fork.run, fork.at, fork.runs))

        return await each(wanted.items, made)

    @router.post("/scores", responses={200: {"model": ScoredAll}})
    async def score_many(wanted: RunNames, grader: Served) -> Response:
        """Ends runs and judges them."""

        async def made(run: str) -> dict[str, Any]:
            return {"report": await grader.score(run)}

        return await each(wanted.items, made)

    return router


def _told(runs: Sequence[Run]) -> dict[str, Any]:
    return {"runs": [StartedRun.of(run).model_dump() for run in runs]}
