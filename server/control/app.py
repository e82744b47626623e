"""The control plane: routes for those who run and grade episodes; each needs a bearer token."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, FastAPI, Request, Response, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from registry.catalogue import Catalogue
from registry.dispatch.harness import harness_tools
from registry.episode import EpisodeInfo, Episodes, EpisodeSpec
from registry.episode.upkeep import AgeLimits, Swept, sweep
from registry.errors import EnvNotFound, EpisodeCorrupt, EpisodeNotFound, EpisodeRefused, ScenarioNotFound, StoreError
from registry.package.errors import PackageError
from registry.package.stored_form import columns_of
from server.agent.seat import Seats
from server.api_errors import ApiError, install
from server.control.batches import batch_routes
from server.control.body_limit import BodyLimit
from server.control.metrics import Collected, Gauges, exposition
from server.control.shapes import (
    At,
    Collect,
    EnvironmentDetail,
    EnvironmentList,
    EnvironmentSummary,
    Episode,
    EpisodeChanges,
    EpisodeEnd,
    EpisodeLog,
    EpisodeRows,
    Failed,
    NewEpisode,
    SweptEpisodes,
    To,
)
from server.front_page import FrontDoor, control_page
from server.hosts import HostCheck
from server.keyring import Doorkeeper
from server.offer import offered
from server.tokens import Role

KNOWN: dict[type[Exception], tuple[int, str]] = {
    EnvNotFound: (404, "ENVIRONMENT_NOT_FOUND"),
    EpisodeNotFound: (404, "EPISODE_NOT_FOUND"),
    ScenarioNotFound: (404, "SCENARIO_NOT_FOUND"),
    EpisodeRefused: (409, "EPISODE_REFUSED"),
    EpisodeCorrupt: (409, "EPISODE_CORRUPT"),
    PackageError: (503, "PACKAGE_UNUSABLE"),
    StoreError: (503, "STORE_FAILED"),
}
NO_LIMITS = AgeLimits()
BODY_BYTES = 64 * 1024 * 1024
"""Room for a scenario with all its rows."""

_scheme = HTTPBearer(auto_error=False, description="The token `control` of the home's token file; `observer` may read.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlPlane:
    """What the routes work on.

    Args:
        catalogue: What can be served.
        episodes: The engine.
        seats: Told of episodes that are closed.
        tokens: Who may come in.
        agent_url: Where agents reach the agent plane.
        free_play: Whether shared episodes exist.
        hosts: Accepted Host values.
        ready: Whether calls can be served and recorded.
        gauges: Numbers of the agent plane.
        limits: How old episodes may get, where a request does not say.
    """

    catalogue: Catalogue
    episodes: Episodes
    seats: Seats
    tokens: Doorkeeper
    agent_url: str
    free_play: bool
    hosts: frozenset[str] = frozenset({"*"})
    ready: Callable[[], bool] = lambda: True
    gauges: Gauges = dict
    limits: AgeLimits = NO_LIMITS

    def episode(self, info: EpisodeInfo) -> Episode:
        """The episode as the API shows it; free-play keys stand in the URL without their environment."""
        place = f"{self.agent_url}/env/{info.environment}/e/{info.key.removeprefix(info.environment + '~')}"
        return Episode(
            key=info.key,
            environment=info.environment,
            environment_digest=info.environment_digest,
            state_digest=info.state_digest,
            mcp_url=f"{place}/mcp",
            sse_url=f"{place}/sse",
            calls=info.calls,
            status=info.status,
        )

    async def rewind(self, key: str, to: int) -> EpisodeInfo:
        """Back to the state after the first calls, where that ruins nothing.

        Raises:
            EpisodeRefused: It is the episode of a run that may not be scored after a rewind, or there are not so many calls.
        """
        kept = await self.episodes.about(key)
        # A world of the package is for play; what begins from rows of a scenario is the run of a task.
        if not kept.world and not kept.rewindable:
            raise EpisodeRefused(
                f"episode: expected one that may be rewound, got {key[:80]!r}, whose run could not be scored after it. "
                "Start the run with rewindable=True (`envfarm start TASK --rewindable`), or start another run of the task."
            )
        return await self.episodes.rewind(key, to)

    async def sweep(self, limits: AgeLimits, *, dry: bool = False) -> Swept:
        """Closes and forgets what is past its limits."""
        swept = await sweep(self.episodes, limits, dry=dry)
        if not dry:
            for key in (*swept.closed, *swept.removed):
                self.seats.forget(key)
        return swept

    def list(self) -> EnvironmentList:
        """The catalogue."""
        found = [EnvironmentSummary(**asdict(one), mcp_url=self._shared(one.id)) for one in offered(self.catalogue)]
        return EnvironmentList(environments=tuple(found))

    def detail(self, environment: str) -> EnvironmentDetail:
        """One environment with its tools."""
        loaded = self.catalogue.load(environment)
        tables = {table.name: len(table.columns) for table in loaded.meta.tables if not table.link}
        return EnvironmentDetail(
            id=loaded.id,
            title=loaded.title,
            digest=loaded.digest,
            worlds=tuple(sorted(loaded.manifest.worlds)),
            tools=len(loaded.tools),
            mcp_url=self._shared(loaded.id),
            instructions=loaded.instructions,
            policy=loaded.policy,
            tables=tables,
            columns=columns_of(loaded.meta.tables),
            tool_list=tuple(loaded.tools),
            harness_tools=harness_tools(multi_turn=True),
        )

    def _shared(self, environment: str) -> str | None:
        return f"{self.agent_url}/env/{environment}/mcp" if self.free_play else None


Credentials = Annotated[HTTPAuthorizationCredentials | None, Security(_scheme)]


async def _plane(request: Request) -> ControlPlane:
    plane: ControlPlane = request.app.state.plane
    return plane


Farm = Annotated[ControlPlane, Depends(_plane)]


def _check(plane: ControlPlane, given: HTTPAuthorizationCredentials | None, *roles: Role) -> None:
    if not plane.tokens.allows(given.credentials if given else "", *roles):
        raise ApiError(401, "UNAUTHORIZED", "Authorization: expected a bearer token of this farm. See the token file of its home.")


async def may_read(plane: Farm, given: Credentials) -> None:
    """Lets in who may look."""
    _check(plane, given, "control", "observer")


async def may_change(plane: Farm, given: Credentials) -> None:
    """Lets in who may change."""
    _check(plane, given, "control")


ERRORS: dict[int | str, dict[str, Any]] = {status: {"model": Failed} for status in (401, 404, 409, 422)}
reading = APIRouter(prefix="/v1", dependencies=[Depends(may_read)], responses=ERRORS)
changing = APIRouter(prefix="/v1", dependencies=[Depends(may_change)], responses=ERRORS)
health = APIRouter()


@health.get("/healthz", tags=["health"])
async def healthy() -> dict[str, str]:
    """Whether the farm answers."""
    return {"status": "ok"}


@health.get("/readyz", tags=["health"])
async def ready(plane: Farm, response: Response) -> dict[str, str]:
    """Whether calls can be served and recorded."""
    if plane.ready():
        return {"status": "ok"}
    response.status_code = 503
    return {"status": plane.episodes.trouble() or "the farm is about to stop"}


@reading.get("/metrics", tags=["health"], response_class=Response)
async def metrics(plane: Farm) -> Response:
    """Numbers for Prometheus."""
    text, kind = exposition(Collected(plane.episodes, plane.gauges))
    return Response(text, media_type=kind)


@reading.get("/environments", tags=["environments"])
async def list_environments(plane: Farm) -> EnvironmentList:
    """Every environment that can be served, by id."""
    return plane.list()


@reading.get("/environments/{environment}", tags=["environments"])
async def show_environment(environment: str, plane: Farm) -> EnvironmentDetail:
    """One environment with its tools and its policy."""
    return plane.detail(environment)


@changing.post("/episodes", status_code=201, tags=["episodes"])
async def create_episode(wanted: NewEpisode, plane: Farm) -> Episode:
    """Makes an episode in its initial state."""
    return plane.episode(await plane.episodes.create(EpisodeSpec(**dict(wanted))))


@reading.get("/episodes/{key}", tags=["episodes"])
async def show_episode(key: str, plane: Farm) -> Episode:
    """One episode."""
    return plane.episode(await plane.episodes.info(key))


@reading.get("/episodes/{key}/log", tags=["episodes"])
async def read_log(key: str, plane: Farm) -> EpisodeLog:
    """Every call, branches too."""
    log = await plane.episodes.log(key)
    return EpisodeLog(records=tuple(record.to_json() for record in log.records), digest=log.digest, state_digest=log.state_digest)


@reading.get("/episodes/{key}/changes", tags=["episodes"])
async def read_changes(key: str, plane: Farm) -> EpisodeChanges:
    """What differs from the initial state."""
    found = await plane.episodes.changes(key)
    return EpisodeChanges(changes=found.changes, state_digest=found.state_digest)


@reading.get("/episodes/{key}/snapshot", tags=["episodes"])
async def read_snapshot(key: str, plane: Farm) -> EpisodeRows:
    """All rows."""
    found = await plane.episodes.snapshot(key)
    return EpisodeRows(rows=found.rows, state_digest=found.state_digest)


@changing.post("/episodes/{key}/fork", status_code=201, tags=["episodes"])
async def fork_episode(key: str, place: At, plane: Farm) -> Episode:
    """A new episode that begins with the first calls of this one."""
    return plane.episode(await plane.episodes.fork(key, place.at))


@changing.post("/episodes/{key}/rewind", tags=["episodes"])
async def rewind_episode(key: str, place: To, plane: Farm) -> Episode:
    """Goes back to an earlier call; the log keeps what was undone."""
    return plane.episode(await plane.rewind(key, place.to))


@changing.post("/episodes/{key}/reset", tags=["episodes"])
async def reset_episode(key: str, plane: Farm) -> Episode:
    """Goes back to the initial state."""
    return plane.episode(await plane.rewind(key, 0))


@changing.post("/episodes/{key}/close", tags=["episodes"])
async def close_episode(key: str, plane: Farm) -> Episode:
    """Lets the episode take no further call."""
    info = await plane.episodes.close(key)
    plane.seats.forget(key)
    return plane.episode(info)


@changing.post("/episodes/{key}/end", tags=["episodes"])
async def end_episode(key: str, plane: Farm) -> EpisodeEnd:
    """Lets the episode take no further call, and tells all that it came to."""
    ended = await plane.episodes.end(key)
    plane.seats.forget(key)
    return EpisodeEnd(
        episode=plane.episode(ended.info),
        log=EpisodeLog(records=tuple(record.to_json() for record in ended.log.records), digest=ended.log.digest, state_digest=ended.log.state_digest),
        changes=ended.changes.changes,
    )


@changing.post("/gc", tags=["episodes"])
async def collect_garbage(wanted: Collect, plane: Farm) -> SweptEpisodes:
    """Closes episodes that nobody uses, forgets those that are closed for long."""
    limits = plane.limits
    chosen = AgeLimits(
        idle=limits.idle if wanted.idle is None else wanted.idle,
        age=limits.age if wanted.age is None else wanted.age,
        kept=limits.kept if wanted.kept is None else wanted.kept,
    )
    swept = await plane.sweep(chosen, dry=wanted.dry)
    return SweptEpisodes(closed=swept.closed, removed=swept.removed)


def make_control_app(plane: ControlPlane) -> FastAPI:
    """The application."""
    app = FastAPI(
        title="envfarm control plane",
        version="1",
        description="Creates, inspects, forks, rewinds, resets and closes episodes. Not for agents.",
    )
    app.state.plane = plane
    for router in (health, reading, changing, batch_routes(KNOWN, dependencies=[Depends(may_change)], responses=ERRORS)):
        app.include_router(router)
    app.add_middleware(BodyLimit, most=BODY_BYTES)
    app.add_middleware(FrontDoor, page=control_page())
    app.add_middleware(HostCheck, hosts=plane.hosts)
    install(app, KNOWN)
    return app
