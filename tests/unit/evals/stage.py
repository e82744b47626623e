"""A farm and a sidecar in this process, as an evaluation reaches them over HTTP."""

import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from evals.agents.agent import Agent, Episode, Limits, Outcome
from evals.agents.known import Known
from evals.running.journal import Journal, open_journal
from evals.running.manifest import Manifest, Noise
from evals.running.runner import Order, Runner, play_all
from evals.session import ThinSession
from evals.sidecar import Sidecar
from registry.catalogue import Catalogue
from registry.episode import Episodes
from registry.store.sqlite import SqliteStore
from server.config import Settings
from server.farm import running_farm
from server.keyring import Open
from server.sidecar.app import make_app
from server.sidecar.farm import Farm
from server.sidecar.grader import Grader
from server.sidecar.packs import Packs
from server.sidecar.store import RunStore
from server.tokens import Tokens
from tests.unit.sidecar.small_pack import write_home, write_talk

TOKENS = Tokens(control="control-token-of-the-test", grader="grader-token-of-the-test", observer="observer-token-of-the-test")


@dataclass
class Stage:
    """A sidecar to be asked, and what carries calls of agents."""

    sidecar: Sidecar
    http: httpx.AsyncClient
    episodes: Episodes
    home: Path

    async def play(
        self,
        agent: Agent,
        out: Path,
        *,
        tasks: tuple[str, ...] = (),
        epochs: int = 1,
        resume: bool = False,
        seconds: float = 60,
        noise: str = "none",
        persona: str = "plain",
    ) -> Journal:
        everything = await self.sidecar.tasks()
        chosen = tuple(one for one in everything if not tasks or one.task in tasks)
        limits = Limits(timeout=seconds)
        order = Order(tasks=chosen, epochs=epochs, limits=limits, seed=0, concurrency=2, noise=Noise(profile=noise), persona=persona)
        manifest = Manifest(
            agent="test", environments={}, packs={}, generator="0", envfarm="0", tasks=tuple(one.task for one in chosen), epochs=epochs
        )
        with open_journal(out, manifest, resume=resume) as journal:
            known = Known(self.sidecar, everything)
            await play_all([Runner(self.sidecar, known, self.http, agent, order, journal, lambda attempt: None)])
        return journal


@asynccontextmanager
async def staged(home: Path, *, talk: bool = False) -> AsyncIterator[Stage]:
    """The hand-written pack, served; with the one in which a user is asked, if so wished."""
    write_home(home)
    if talk:
        write_talk(home)
    catalogue = Catalogue(home / "environments")
    async with Episodes(catalogue, SqliteStore(home / "store")).running() as episodes:
        settings = Settings(home=home, free_play=False)
        async with running_farm(settings, catalogue, episodes, Open(TOKENS), "http://127.0.0.1:8800") as farm:
            store = RunStore(home / "store" / "runs.sqlite")
            line = httpx.AsyncClient(transport=httpx.ASGITransport(farm.control))
            with contextlib.closing(store):
                async with line:
                    control = Farm("http://localhost", lambda: TOKENS.control, line)
                    grader = Grader(Packs(home / "packs"), Catalogue(home / "environments"), control, store)
                    mounts = {
                        "http://sidecar.test": httpx.ASGITransport(make_app(grader, Open(TOKENS))),
                        "http://127.0.0.1:8800": httpx.ASGITransport(farm.agent),  # type: ignore[arg-type]
                    }
                    async with httpx.AsyncClient(mounts=mounts) as http:
                        yield Stage(Sidecar("http://sidecar.test", TOKENS.grader, http), http, episodes, home)


@dataclass
class Scripted:
    """An agent that does what the test says, and remembers what it was given."""

    does: Callable[[ThinSession, Episode, int], Any]
    http: httpx.AsyncClient
    played: list[Episode] = field(default_factory=list)

    async def play(self, episode: Episode) -> Outcome:
        self.played.append(episode)
        number = sum((one.task, one.epoch) == (episode.task, episode.epoch) for one in self.played)
        outcome: Outcome = await self.does(ThinSession(episode.mcp_url, self.http), episode, number)
        return outcome
