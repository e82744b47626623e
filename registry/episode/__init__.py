"""Episodes: state in memory, log on disk, replay."""

from registry.dispatch.outcome import Outcome
from registry.episode.episodes import Episodes
from registry.episode.local import LocalEpisode
from registry.episode.spec import EpisodeChanges, EpisodeEnd, EpisodeInfo, EpisodeLog, EpisodeSnapshot, EpisodeSpec

__all__ = ["EpisodeChanges", "EpisodeEnd", "EpisodeInfo", "EpisodeLog", "EpisodeSnapshot", "EpisodeSpec", "Episodes", "LocalEpisode", "Outcome"]
