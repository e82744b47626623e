"""One farm: agent plane and control plane over the same episodes."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx
from fastapi import FastAPI

from registry.catalogue import Catalogue
from registry.episode import Episodes, EpisodeSpec
from registry.episode.upkeep import AgeLimits, Swept
from server.agent.directory import Directory
from server.agent.front import Front, Limits
from server.agent.guard import Guard, accepted_hosts, accepted_origins
from server.agent.mcp_server import Plane, make_server
from server.agent.menu import Menus
from server.agent.seat import Seats
from server.agent.simulator import ModelVoice
from server.config import Settings
from server.control.app import ControlPlane, make_control_app
from server.keyring import Doorkeeper
from server.telemetry import make_telemetry


@dataclass(frozen=True, slots=True, kw_only=True)
class Farm:
    """The two applications, ready to be served.

    Args:
        agent: ASGI application of the agent plane.
        control: ASGI application of the control plane.
        episodes: The engine behind both.
        sweep: Closes and forgets old episodes.
    """

    agent: Front
    control: FastAPI
    episodes: Episodes
    sweep: Callable[[AgeLimits], Awaitable[Swept]]


@asynccontextmanager
async def running_farm(settings: Settings, catalogue: Catalogue, episodes: Episodes, tokens: Doorkeeper, agent_url: str) -> AsyncIterator[Farm]:
    """A farm that serves while entered.

    Args:
        settings: Of the process.
        catalogue: What can be served.
        episodes: The engine.
        tokens: Whom the control plane serves.
        agent_url: Where agents reach the agent plane, without a slash at the end.
    """
    seats = make_seats(settings, catalogue, episodes)
    carrier = httpx.AsyncClient(trust_env=False)
    voice = ModelVoice(settings.simulator_url, settings.simulator_model, carrier) if settings.simulator_url else None
    plane = Plane(engine=episodes, menus=Menus(), elicits=settings.elicitation, voice=voice)
    hosts = accepted_hosts(settings.host, settings.allowed_hosts)
    guard = Guard(hosts=hosts, origins=accepted_origins(hosts, settings.allowed_origins), max_body=settings.max_body, max_depth=settings.max_depth)
    limits = Limits(
        calls_per_second=settings.max_calls_per_second,
        running=settings.max_running,
        streams=settings.max_streams,
        sessions=settings.max_sessions,
        sessions_each=settings.max_sessions_each,
    )
    directory = Directory(catalogue=catalogue, namespace=settings.namespace, agent_url=agent_url) if settings.free else None
    front = Front(make_server(plane), seats, guard, limits, plane, directory=directory)
    front.telemetry = make_telemetry(settings.log_level, settings.otel_endpoint)
    front.trouble = episodes.trouble
    control = ControlPlane(
        catalogue=catalogue,
        episodes=episodes,
        seats=seats,
        tokens=tokens,
        agent_url=agent_url,
        free_play=settings.free,
        hosts=accepted_hosts(settings.control_host, settings.allowed_hosts),
        ready=front.ready,
        gauges=front.gauges,
        limits=age_limits(settings),
    )
    async with carrier, front.running():
        yield Farm(agent=front, control=make_control_app(control), episodes=episodes, sweep=control.sweep)


def age_limits(settings: Settings) -> AgeLimits:
    """How old episodes may get."""
    return AgeLimits(idle=round(settings.idle_hours * 3600), age=round(settings.age_hours * 3600), kept=round(settings.keep_days * 86400))


def make_seats(settings: Settings, catalogue: Catalogue, episodes: Episodes) -> Seats:
    """Seats that open free-play episodes where the settings allow it."""

    async def open_free(environment: str, key: str) -> None:
        await episodes.create(EpisodeSpec(environment=environment, key=key, free_play=True, call_limit=0))

    return Seats(episodes, catalogue, open_free=open_free if settings.free else None, most_free=settings.max_free_episodes)
