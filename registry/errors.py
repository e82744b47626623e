"""Errors of the registry.

RegistryError
├── EnvNotFound        no environment of that id; names close matches
├── EpisodeNotFound    no episode of that key
├── EpisodeRefused     the request does not fit the episode (a key that is taken, a step that does not exist)
├── ScenarioNotFound   no initial rows are kept under that digest
├── EpisodeCorrupt     the log does not rebuild to the recorded state; the episode is invalid
│   └── PackageChanged the package is another one than the episode was made with; with the old one it would rebuild
└── StoreError         reading or writing the records failed: infrastructure, neither refusal nor defect
    └── StoreLocked    another process works on the same store

Each holds one sentence for a person. Packages that cannot be used raise `registry.package.errors.PackageError`.
"""

import difflib
from collections.abc import Iterable
from pathlib import Path


class RegistryError(Exception):
    """Root of the registry's errors; `str()` is one sentence."""


class EnvNotFound(RegistryError):
    """No environment is called like that.

    Args:
        wanted: The id that was asked for.
        known: All ids there are.
        place: The folder that was looked in.
    """

    def __init__(self, wanted: str, known: Iterable[str], place: Path) -> None:
        names = sorted(known)
        self.wanted = wanted
        self.matches = tuple(difflib.get_close_matches(wanted, names, n=3, cutoff=0.5))
        super().__init__(f"environment: expected the id of a built environment, got {wanted[:80]!r}. {self._advice(names, place)}")

    def _advice(self, names: list[str], place: Path) -> str:
        if self.matches:
            return f"Did you mean {' or '.join(self.matches)}?"
        if names:
            return f"There are: {', '.join(names[:10])}{', …' if len(names) > 10 else ''}."
        return f"None is built yet in {place}: run `envfarm build`."


class EpisodeNotFound(RegistryError):
    """No episode has this key."""

    def __init__(self, key: str) -> None:
        super().__init__(f"episode: expected the key of an episode, got {key[:80]!r}. Create one first, or check the key.")


class EpisodeRefused(RegistryError):
    """The request does not fit the episode or the rules for keys."""


class ScenarioNotFound(RegistryError):
    """No initial rows are kept under this digest."""

    def __init__(self, digest: str) -> None:
        super().__init__(f"scenario_digest: expected the digest of rows that episodes here began with, got {digest[:80]!r}. Send the rows.")


class EpisodeCorrupt(RegistryError):
    """Replay of the log did not lead to what was recorded."""


class PackageChanged(EpisodeCorrupt):
    """The episode was made with another build of its package."""


class StoreError(RegistryError):
    """The records could not be read or written."""


class StoreLocked(StoreError):
    """Another process has the store open for writing."""
