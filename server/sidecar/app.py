"""The sidecar's HTTP interface."""

from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Depends, FastAPI, Query, Request, Response, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from registry.errors import RegistryError
from registry.package.errors import PackageError
from registry.packs.narrowing import NameUnknown
from server.api_errors import ApiError, install
from server.control.body_limit import BodyLimit
from server.front_page import FrontDoor, sidecar_page
from server.hosts import HostCheck
from server.keyring import Doorkeeper
from server.sidecar.batches import batch_routes
from server.sidecar.curriculum_routes import curriculum_routes
from server.sidecar.errors import FarmFailed, RunNotFound, RunRefused, TaskNotFound
from server.sidecar.grader import Grader
from server.sidecar.shapes import (
    EndedRun,
    Failed,
    Filters,
    GoldTold,
    NewRun,
    PackLine,
    PackList,
    Report,
    RunList,
    RunShown,
    StartedRun,
    TaskList,
    Trace,
)
from server.tokens import Role

KNOWN: dict[type[Exception], tuple[int, str]] = {
    TaskNotFound: (404, "TASK_NOT_FOUND"),
    NameUnknown: (422, "INVALID_REQUEST"),
    RunNotFound: (404, "RUN_NOT_FOUND"),
    RunRefused: (409, "RUN_REFUSED"),
    FarmFailed: (502, "FARM_FAILED"),
    PackageError: (503, "PACKAGE_UNUSABLE"),
    RegistryError: (503, "PACKAGE_UNUSABLE"),
}
BODY_BYTES = 4 * 1024 * 1024

_scheme = HTTPBearer(auto_error=False, description="The token `grader` of the home's token file; `observer` may read.")
Credentials = Annotated[HTTPAuthorizationCredentials | None, Security(_scheme)]


async def _grader(request: Request) -> Grader:
    grader: Grader = request.app.state.grader
    return grader


def _check(request: Request, given: HTTPAuthorizationCredentials | None, *roles: Role) -> None:
    tokens: Doorkeeper = request.app.state.tokens
    if not tokens.allows(given.credentials if given else "", *roles):
        raise ApiError(401, "UNAUTHORIZED", "Authorization: expected a bearer token of this sidecar. See the token file of its home.")


async def may_read(request: Request, given: Credentials) -> None:
    """Lets in who may look."""
    _check(request, given, "grader", "observer")


async def may_grade(request: Request, given: Credentials) -> None:
    """Lets in who may start and score."""
    _check(request, given, "grader")


Served = Annotated[Grader, Depends(_grader)]
ERRORS: dict[int | str, dict[str, Any]] = {status: {"model": Failed} for status in (401, 404, 409, 422, 502, 503)}
reading = APIRouter(prefix="/v1", dependencies=[Depends(may_read)], responses=ERRORS)
grading = APIRouter(prefix="/v1", dependencies=[Depends(may_grade)], responses=ERRORS)
health = APIRouter(tags=["health"])


@health.get("/healthz")
async def healthy() -> dict[str, str]:
    """Whether the sidecar serves."""
    return {"status": "ok"}


@health.get("/readyz")
async def ready(grader: Served, response: Response) -> dict[str, str]:
    """Whether the farm behind it answers too."""
    if await grader.farm.alive():
        return {"status": "ok"}
    response.status_code = 503
    return {"status": "the farm does not answer"}


@reading.get("/tasks", tags=["tasks"])
async def list_tasks(grader: Served, wanted: Annotated[Filters, Query()]) -> TaskList:
    """Tasks, narrowed by what is given; a name that there is not, and a split that no pack is of, are refused."""
    return TaskList(tasks=grader.lines(wanted.narrowing()))


@reading.get("/packs", tags=["tasks"])
async def list_packs(grader: Served) -> PackList:
    """Every task pack, as a report names it."""
    told = (
        PackLine(digest=digest, pack=one.id, tasks=one.tasks, **one.model_dump(include={"environment", "environment_digest", "split", "generator"}))
        for digest, one in ((digest, pack.manifest) for digest, pack in grader.packs.by_digest().items())
    )
    return PackList(packs=tuple(sorted(told, key=lambda one: one.pack)))


@grading.get("/tasks/{task}/gold", responses={200: {"model": GoldTold}}, tags=["tasks"])
async def show_gold(task: str, grader: Served, *, played: bool = True) -> Response:
    """What is right in a task, for baselines; without `writes` and `ids`, which take a play of gold, if `played` is false."""
    return Response(orjson.dumps(grader.gold(task, played=played)), media_type="application/json")


@grading.get("/runs/{run}/trace", tags=["runs"])
async def trace_run(run: str, grader: Served) -> Trace:
    """Each call of a run, with the rows that it changed."""
    return Trace(calls=tuple(await grader.trace(run)))


@grading.post("/runs", status_code=201, tags=["runs"])
async def start_run(wanted: NewRun, grader: Served) -> StartedRun:
    """Makes an episode of a task, with the task's initial state."""
    terms = {name: getattr(wanted, name) for name in ("again", "rewindable", "call_limit", "noise", "user")}
    run = await grader.start(wanted.task, **terms)
    return StartedRun.of(run)


@grading.post("/runs/{run}/end", responses={200: {"model": EndedRun}}, tags=["runs"])
async def end_run(run: str, grader: Served) -> Response:
    """Ends the run, judges it, and tells its calls: the answers of `score` and `trace` in one."""
    report, calls = await grader.end(run)
    return Response(orjson.dumps({"report": report, "calls": calls}), media_type="application/json")


@reading.get("/runs", tags=["runs"])
async def list_runs(grader: Served, task: str = "") -> RunList:
    """All runs, or those of one task."""
    return RunList(runs=tuple(RunShown.whole(run, report) for run, report in grader.store.all(task)))


@reading.get("/runs/{run}", tags=["runs"])
async def show_run(run: str, grader: Served) -> RunShown:
    """One run with its report, if it was scored."""
    return RunShown.whole(*grader.store.get(run))


@grading.post("/runs/{run}/score", tags=["runs"])
async def score_run(run: str, grader: Served) -> Report:
    """Ends the run and judges it; asked again, gives the same report."""
    return Report.model_validate(await grader.score(run))


def make_app(grader: Grader, tokens: Doorkeeper, hosts: frozenset[str] = frozenset({"*"})) -> FastAPI:
    """The application; `hosts` are accepted values of the Host header."""
    app = FastAPI(title="envfarm sidecar", version="1", description="Gives out tasks, judges runs by their final state. Not for agents.")
    app.state.grader, app.state.tokens = grader, tokens
    options: dict[str, Any] = {"dependencies": [Depends(may_grade)], "responses": ERRORS}
    for router in (health, reading, grading, batch_routes(KNOWN, **options), curriculum_routes(**options)):
        app.include_router(router)
    app.add_middleware(BodyLimit, most=BODY_BYTES)
    app.add_middleware(FrontDoor, page=sidecar_page())
    app.add_middleware(HostCheck, hosts=hosts)
    install(app, KNOWN)
    return app
