"""Many requests in one: steps, forks and resets of thousands of episodes for those who train agents."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Annotated, Any, TypeVar

import orjson
from fastapi import APIRouter, Depends, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from registry.dispatch.outcome import Outcome
from registry.episode import EpisodeInfo
from server.control.shapes import Episode, Failure

AT_ONCE = 64
"""Items under way at a time; other requests come between them."""
MOST = 10_000

Item = TypeVar("Item", bound="_Item")


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Item(_Shape):
    key: str = Field(max_length=200, description="Key of the episode.")


class Step(_Item):
    """One tool call."""

    tool: str = Field(max_length=200)
    arguments: Any = Field(default_factory=dict, description="As an agent would send them; what does not fit the tool is an outcome, not an error.")


class Fork(_Item):
    """One new episode."""

    at: int | None = Field(None, ge=0, description="How many calls it begins with; all by default.")


class Steps(_Shape):
    """Calls; those of one episode are made in the order given, those of different ones at the same time."""

    items: tuple[Step, ...] = Field(max_length=MOST)


class Forks(_Shape):
    """Forks; the same episode may stand there many times."""

    items: tuple[Fork, ...] = Field(max_length=MOST)


class Keys(_Shape):
    """Episodes to take back to their start."""

    items: tuple[_Item, ...] = Field(max_length=MOST)


class Stepped(_Shape):
    """What one call came to: `result` when `kind` is ok, else `code` and `text`; or an error, and then the call was not made."""

    kind: str = Field("", description="ok, refused, invalid or defect.")
    result: dict[str, Any] | None = None
    code: str = ""
    text: str = ""
    closed: bool = Field(default=False, description="Whether the episode takes no further call.")
    error: Failure | None = None


class SteppedAll(_Shape):
    """One for each step, in their order."""

    items: tuple[Stepped, ...]


class Placed(_Shape):
    """The episode, or why there is none."""

    episode: Episode | None = None
    error: Failure | None = None


class PlacedAll(_Shape):
    """One for each item, in their order."""

    items: tuple[Placed, ...]


async def _engine(request: Request) -> Any:
    return request.app.state.plane


Plane = Annotated[Any, Depends(_engine)]


def batch_routes(known: Mapping[type[Exception], tuple[int, str]], **options: Any) -> APIRouter:
    """The routes.

    Args:
        known: Exceptions that say no to one item only, with status and code.
        options: Of the router.
    """
    router = APIRouter(prefix="/v1/batch", tags=["batches"], **options)
    refusals = tuple(known)

    async def tried(work: Callable[[], Awaitable[Any]]) -> Any:
        try:
            return await work()
        except refusals as error:
            code = next(code for kind, (_, code) in known.items() if isinstance(error, kind))
            return {"error": {"code": code, "message": str(error)}}

    @router.post("/steps", responses={200: {"model": SteppedAll}})
    async def step_many(wanted: Steps, plane: Plane) -> Response:
        """Calls tools of many episodes."""

        async def made(step: Step) -> Any:
            return await tried(lambda: _step(plane.episodes.call(step.key, step.tool, step.arguments)))

        return _reply(await _by_episode(wanted.items, made))

    @router.post("/forks", responses={200: {"model": PlacedAll}})
    async def fork_many(wanted: Forks, plane: Plane) -> Response:
        """Makes many episodes, each from the first calls of another."""

        async def made(fork: Fork) -> Any:
            return await tried(lambda: _place(plane.episode, plane.episodes.fork(fork.key, fork.at)))

        return _reply(await _by_episode(wanted.items, made))

    @router.post("/resets", responses={200: {"model": PlacedAll}})
    async def reset_many(wanted: Keys, plane: Plane) -> Response:
        """Takes many episodes back to their start."""

        async def made(item: _Item) -> Any:
            return await tried(lambda: _place(plane.episode, plane.rewind(item.key, 0)))

        return _reply(await _by_episode(wanted.items, made))

    return router


async def _by_episode(items: Sequence[Item], made: Callable[[Item], Awaitable[Any]]) -> list[Any]:
    """What each item came to, in their order: one after the other for one episode, a bounded number of episodes at once."""
    places: dict[str, list[int]] = {}
    for number, item in enumerate(items):
        places.setdefault(item.key, []).append(number)
    told: list[Any] = [None] * len(items)
    room = asyncio.Semaphore(AT_ONCE)

    async def one(numbers: list[int]) -> None:
        async with room:
            for number in numbers:
                told[number] = await made(items[number])

    await asyncio.gather(*(one(numbers) for numbers in places.values()))
    return told


async def _step(calling: Awaitable[Outcome]) -> dict[str, Any]:
    outcome = await calling
    if outcome.kind == "ok":
        return {"kind": "ok", "result": orjson.Fragment(outcome.text), "closed": outcome.closed}
    # The text may quote what JSON can only say escaped.
    text = orjson.Fragment(json.dumps(outcome.text))
    return {"kind": outcome.kind, "code": outcome.code, "text": text, "closed": outcome.closed}


async def _place(shown: Callable[[EpisodeInfo], Episode], making: Awaitable[EpisodeInfo]) -> dict[str, Any]:
    return {"episode": shown(await making).model_dump()}


def _reply(items: list[Any]) -> Response:
    return Response(orjson.dumps({"items": items}), media_type="application/json")
