"""The public Python interface of envfarm.

    import envfarm

    environment = envfarm.open_environment(".envfarm/environments/vet_clinic")
    with envfarm.Client.local() as farm:
        run = farm.start("vet_clinic-0001")

Names are imported when they are first used, so that `import envfarm` stays fast.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from envfarm.asking import FarmError as FarmError
    from envfarm.async_client import AsyncClient as AsyncClient
    from envfarm.client import Client as Client
    from envfarm.replies import Curriculum as Curriculum
    from envfarm.replies import Episode as Episode
    from envfarm.replies import NextTask as NextTask
    from envfarm.replies import Report as Report
    from envfarm.replies import Run as Run
    from envfarm.replies import Stepped as Stepped
    from envfarm.replies import Task as Task
    from envfarm.replies import TriedTask as TriedTask
    from envfarm.routes import Call as Call
    from registry.catalogue import Catalogue as Catalogue
    from registry.catalogue import open_folder as open_environment
    from registry.episode import LocalEpisode as LocalEpisode
    from registry.episode import Outcome as Outcome
    from registry.package.noise import NoiseWanted as NoiseWanted
    from registry.package.user import UserWanted as UserWanted
    from synth.seed.read import read_seed as read_seed

_PLACES = {
    "AsyncClient": ("envfarm.async_client", "AsyncClient"),
    "Call": ("envfarm.routes", "Call"),
    "Catalogue": ("registry.catalogue", "Catalogue"),
    "Client": ("envfarm.client", "Client"),
    "Curriculum": ("envfarm.replies", "Curriculum"),
    "Episode": ("envfarm.replies", "Episode"),
    "FarmError": ("envfarm.asking", "FarmError"),
    "LocalEpisode": ("registry.episode", "LocalEpisode"),
    "NextTask": ("envfarm.replies", "NextTask"),
    "NoiseWanted": ("registry.package.noise", "NoiseWanted"),
    "Outcome": ("registry.episode", "Outcome"),
    "Report": ("envfarm.replies", "Report"),
    "Run": ("envfarm.replies", "Run"),
    "Stepped": ("envfarm.replies", "Stepped"),
    "Task": ("envfarm.replies", "Task"),
    "TriedTask": ("envfarm.replies", "TriedTask"),
    "UserWanted": ("registry.package.user", "UserWanted"),
    "open_environment": ("registry.catalogue", "open_folder"),
    "read_seed": ("synth.seed.read", "read_seed"),
}

__all__ = [
    "AsyncClient",
    "Call",
    "Catalogue",
    "Client",
    "Curriculum",
    "Episode",
    "FarmError",
    "LocalEpisode",
    "NextTask",
    "NoiseWanted",
    "Outcome",
    "Report",
    "Run",
    "Stepped",
    "Task",
    "TriedTask",
    "UserWanted",
    "open_environment",
    "read_seed",
]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'envfarm' has no attribute {name!r}")
    module, attribute = _PLACES[name]
    return getattr(importlib.import_module(module), attribute)


def __dir__() -> list[str]:
    return sorted(__all__)
