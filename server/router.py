"""The control plane of a farm of several workers: each request goes to the worker that the key names."""

import asyncio
import itertools
import json
import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import httpx
import orjson
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from server.api_errors import failed
from server.control.app import BODY_BYTES
from server.front_page import HEADERS

KEY = re.compile(r"/v1/episodes/w(?P<worker>[1-9][0-9]{0,3})-")
PASSED = ("accept", "authorization", "content-type", "host", "origin")
KEPT = ("content-type", "retry-after", "allow", *(name.decode() for name, _ in HEADERS if name != b"content-type"))
ALL = ("/v1/gc", "/v1/metrics", "/readyz")
BATCH = "/v1/batch/"


def worker_of(key: str) -> int:
    """The number in a key; 1 where there is none."""
    found = KEY.match(f"/v1/episodes/{key}")
    return int(found["worker"]) if found else 1


class Router:
    """ASGI application over the control planes of the workers, which check tokens and names themselves.

    Args:
        workers: URLs of their control planes, the first worker's first.
        http: Carries the requests; closed by its owner.
    """

    def __init__(self, workers: Sequence[str], http: httpx.AsyncClient) -> None:
        self._workers = tuple(workers)
        self._http = http
        self._turns = itertools.cycle(range(1, len(workers) + 1))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one request."""
        if scope["type"] == "http":
            response = await self._respond(Request(scope, receive))
            await response(scope, receive, send)

    async def _respond(self, request: Request) -> Response:
        if int(request.headers.get("content-length") or 0) > BODY_BYTES:
            return failed(413, "TOO_LARGE", f"body: expected at most {BODY_BYTES} bytes. Send less.")
        body = await request.body()
        path = request.url.path
        if path in ALL:
            answers = await asyncio.gather(*(self._ask(worker, request, body) for worker in range(1, len(self._workers) + 1)))
            worst = max(answers, key=lambda one: one.status_code)
            return worst if worst.status_code != 200 else _merged(path, answers)
        if path.startswith(BATCH):
            return await self._batch(request, body)
        worker = self._worker(request.method, path, body)
        if worker <= len(self._workers):
            return await self._ask(worker, request, body)
        if path == "/v1/episodes":
            there = len(self._workers)
            return failed(409, "EPISODE_REFUSED", f"key: expected one of {there} workers, got one of worker {worker}. Choose another.")
        return await self._ask(1, request, body)  # of a farm with more workers: the first serves what they kept

    def _worker(self, method: str, path: str, body: bytes) -> int:
        found = KEY.match(path)
        if found:
            return int(found["worker"])
        if (method, path) != ("POST", "/v1/episodes"):
            return 1
        try:
            key = orjson.loads(body).get("key")
        except (ValueError, AttributeError):
            key = None
        return worker_of(key) if isinstance(key, str) else next(self._turns)

    async def _batch(self, request: Request, body: bytes) -> Response:
        """Each item at the worker of its key; answers in the order of the items."""
        try:
            items = json.loads(body)["items"]  # not orjson, which refuses what only tools may refuse
            workers = [worker_of(item["key"]) for item in items]
        except (ValueError, KeyError, TypeError):
            return await self._ask(1, request, body)  # which says what is wrong with it
        places: defaultdict[int, list[int]] = defaultdict(list)
        for number, worker in enumerate(workers):
            places[worker if worker <= len(self._workers) else 1].append(number)
        shares = [json.dumps({"items": [items[number] for number in numbers]}).encode() for numbers in places.values()]
        answers = await asyncio.gather(*(self._ask(worker, request, share) for worker, share in zip(places, shares, strict=True)))
        failure = next((one for one in answers if one.status_code != 200), None)
        if failure is not None or not answers:
            return failure or await self._ask(1, request, body)
        told: dict[int, Any] = {}
        for numbers, answer in zip(places.values(), answers, strict=True):
            told |= zip(numbers, json.loads(bytes(answer.body))["items"], strict=True)
        return JSONResponse({"items": [told[number] for number in range(len(items))]})

    async def _ask(self, worker: int, request: Request, body: bytes) -> Response:
        headers = {name: value for name, value in request.headers.items() if name in PASSED}
        url = f"{self._workers[worker - 1]}{request.scope['raw_path'].decode()}"
        try:
            answer = await self._http.request(request.method, url, params=request.url.query, content=body, headers=headers)
        except httpx.HTTPError as error:
            return failed(
                503, "WORKER_AWAY", f"worker {worker}: expected an answer, got {type(error).__name__}. It is started again.", {"retry-after": "1"}
            )
        kept = {name: answer.headers[name] for name in KEPT if name in answer.headers}
        return Response(answer.content, status_code=answer.status_code, headers=kept)


def _merged(path: str, answers: Sequence[Response]) -> Response:
    """One answer for all workers: lists are joined, numbers added."""
    bodies = [bytes(answer.body) for answer in answers]
    if path == "/readyz":
        return answers[0]
    if path == "/v1/gc":
        told = [orjson.loads(body) for body in bodies]
        return JSONResponse({name: [key for one in told for key in one[name]] for name in ("closed", "removed")})
    sums: defaultdict[str, float] = defaultdict(float)
    lines: list[str] = []
    for body in bodies:
        for line in body.decode().splitlines():
            name, _, value = line.rpartition(" ")
            if line.startswith("#"):
                name = line
            if name not in sums:
                lines.append(name)
            sums[name] += 0 if line.startswith("#") else float(value)
    text = "".join(f"{name}\n" if name.startswith("#") else f"{name} {sums[name]}\n" for name in lines)
    return Response(text, headers={"content-type": answers[0].headers["content-type"]})
