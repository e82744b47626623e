"""Episodes: state in memory, log on disk, replay."""

from registry.dispatch.outcome import Outcome
from registry.episode.local import LocalEpisode

__all__ = ["LocalEpisode", "Outcome"]
