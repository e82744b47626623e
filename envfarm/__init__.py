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
    from envfarm.client import Client as Client
    from envfarm.client import Episode as Episode
    from envfarm.client import FarmError as FarmError
    from envfarm.client import Report as Report
    from envfarm.client import Run as Run
    from envfarm.client import Task as Task
    from registry.catalogue import Catalogue as Catalogue
    from registry.catalogue import open_folder as open_environment
    from registry.episode import LocalEpisode as LocalEpisode
    from registry.episode import Outcome as Outcome
    from synth.seed.read import read_seed as read_seed

_PLACES = {
    "Catalogue": ("registry.catalogue", "Catalogue"),
    "Client": ("envfarm.client", "Client"),
    "Episode": ("envfarm.client", "Episode"),
    "FarmError": ("envfarm.client", "FarmError"),
    "LocalEpisode": ("registry.episode", "LocalEpisode"),
    "Outcome": ("registry.episode", "Outcome"),
    "Report": ("envfarm.client", "Report"),
    "Run": ("envfarm.client", "Run"),
    "Task": ("envfarm.client", "Task"),
    "open_environment": ("registry.catalogue", "open_folder"),
    "read_seed": ("synth.seed.read", "read_seed"),
}

__all__ = [
    "Catalogue",
    "Client",
    "Episode",
    "FarmError",
    "LocalEpisode",
    "Outcome",
    "Report",
    "Run",
    "Task",
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
